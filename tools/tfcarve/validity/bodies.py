"""Checks the inputs of the nodes of a function's body, and the outputs of the function. Pure.

Source: FunctionInstantiationHelper and ArgNumType in tensorflow/core/framework/function.cc.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfcarve.models.node_use import Function, NodeUse
from tfcarve.models.signature_def import node_of
from tfcarve.op_definition import Argument
from tfcarve.validity import inputs
from tfcarve.validity.fault import Fault, Reason, fault
from tfcarve.validity.known_ops import KnownNode
from tfcarve.validity.signatures import Tensors, Type
from tfcarve.validity.variables import wrong_type

_RETURNED = Reason("the outputs of a function differ from its declaration")


class _NoTensor(Exception):
    """The body has no such tensor."""


def _declared(argument: Argument) -> Tensors | None:
    """Returns the tensors of an argument; None: the function's caller decides their number."""
    if argument.number_attr or argument.type_list_attr:
        return None
    if not argument.type:
        return Tensors(argument.name, (None,))
    return Tensors(argument.name, (f"{argument.type}_ref" if argument.ref else argument.type,))


def _same(expected: Type, actual: Type) -> bool:
    return expected is None or actual is None or expected == actual


def _pairs(argument: Tensors, read: int, found: Tensors) -> Iterable[tuple[Type, Type]]:
    """Returns the types that an argument requires after the first `read`, and the types of its inputs."""
    if len(argument.types) == 1:
        return ((argument.types[0], actual) for actual in found.types)
    return zip(argument.types[read : read + len(found)], itertools.cycle(found.types), strict=False)


class _Body:
    def __init__(
        self, function: Function, uses: Sequence[NodeUse], known: Sequence[KnownNode]
    ) -> None:
        self._uses = uses
        self._known = known
        self._places = {use.node: place for place, use in enumerate(uses)}
        self._arguments: Mapping[str, Tensors | None] = {
            argument.name: _declared(argument) for argument in function.inputs
        }

    def _source(self, text: str) -> NodeUse | None:
        """Returns the node of a tensor; None if the tensor is an argument."""
        place = self._places.get(node_of(text))
        return None if place is None else self._uses[place]

    def _exists(self, name: str) -> bool:
        return name in self._places or name in self._arguments

    def _tensors(self, text: str) -> Tensors | None:
        """Returns the tensors that an input names, or None if they are not known; raises _NoTensor if no tensor has this name."""
        name, *path = text.split(":")
        if name in self._arguments:
            found = self._arguments[name]
        elif name in self._places and path:
            found = self._outputs(self._known[self._places[name]], path.pop(0))
        else:
            raise _NoTensor
        if found is None or not path:
            return found
        number = inputs.item(path[0])
        if len(path) > 1 or not 0 <= number < len(found):
            raise _NoTensor
        return Tensors(found.name, (found.type(number),))

    def _outputs(self, known: KnownNode, name: str) -> Tensors | None:
        if known.signature is None:
            return None
        for tensors in known.signature.outputs:
            if tensors.name == name:
                return tensors
        raise _NoTensor

    def faults(self, use: NodeUse, known: KnownNode) -> Iterator[Fault]:
        """Yields the faults of a node's inputs."""
        if known.signature is None:
            return
        texts = iter(inputs.data(use))
        for argument in known.signature.inputs:
            read = 0
            while read < len(argument):
                text = next(texts, None)
                if text is None:
                    yield fault(use, inputs.wrong_number(use), f"{argument.name} has too few")
                    return
                try:
                    found = self._tensors(text)
                except _NoTensor:
                    if self._exists(node_of(text)):  # check.py reports missing tensors
                        yield fault(use, inputs.UNKNOWN, f"takes {text}")
                    return
                if found is None:
                    return
                for expected, actual in _pairs(argument, read, found):
                    if not _same(expected, actual):
                        yield wrong_type(use, text, self._source(text), (expected, actual))
                read += len(found)
            if read > len(argument):
                yield fault(use, inputs.wrong_number(use), f"{argument.name} has too many")
                return
        for text in texts:
            yield fault(use, inputs.wrong_number(use), f"{text} is one too many")

    def wrong_return(self, argument: Argument, text: str | None) -> str:
        """Returns the fault of an output of the function, which is the tensor `text`; "" if it has none."""
        if text is None:
            return f"{argument.name} is missing"
        try:
            found = self._tensors(text)
        except _NoTensor:
            return f"{argument.name} is {text}, which does not exist"
        declared = _declared(argument)
        if found is None or declared is None:
            return ""
        if len(found) != 1 or not _same(declared.types[0], found.types[0]):
            return (
                f"{argument.name} is {text} of type {found.types[0]}, must be {declared.types[0]}"
            )
        return ""


def faults(
    name: str, function: Function, uses: Sequence[NodeUse], known: Sequence[KnownNode]
) -> Iterator[Fault]:
    """Yields the faults of the inputs of a body's nodes, and of the function's outputs.

    Args:
      name: of the function.
      function: the function.
      uses: the nodes of its body.
      known: the signature and faults of each node.
    """
    body = _Body(function, uses, known)
    for use, of_use in zip(uses, known, strict=True):
        yield from body.faults(use, of_use)
    for argument in function.outputs:
        wrong = body.wrong_return(argument, function.returned.get(argument.name))
        if wrong:
            yield Fault(name, "", _RETURNED, wrong)
