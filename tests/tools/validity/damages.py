"""Ways to damage one node of a graph or of a function's body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]
# Damages one of the nodes; takes what it draws from.
Damage = Callable[[Sequence[Any], Draw], None]

_TYPES = (0, 1, 2, 3, 7, 9, 10, 20, 101, 103, 77)


def _one(values: Sequence[Any], draw: Draw) -> Any:
    assume(values)
    return draw(st.sampled_from(values))


def _value(nodes: Sequence[Any], draw: Draw, fits: Callable[[Any], object]) -> Any:
    """Returns an attribute's value that fits."""
    values = [node.attr[name] for node in nodes for name in sorted(node.attr) if name[0] != "_"]
    return _one([value for value in values if fits(value)], draw)


def _is(kind: str) -> Callable[[Any], bool]:
    return lambda value: value.WhichOneof("value") == kind


def _with_input(nodes: Sequence[Any], draw: Draw, control: bool) -> tuple[Any, int]:
    """Returns a node and the place of one of its inputs; control inputs only if they may be."""
    found = [
        (node, place)
        for node in nodes
        for place, text in enumerate(node.input)
        if control or not text.startswith("^")
    ]
    node, place = _one(found, draw)
    return node, place


def _set_type(nodes: Sequence[Any], draw: Draw) -> None:
    """Changes a type."""
    _value(nodes, draw, _is("type")).type = _one(_TYPES, draw)


def _set_listed_type(nodes: Sequence[Any], draw: Draw) -> None:
    """Changes a type in a list."""
    types = _value(nodes, draw, lambda value: value.list.type).list.type
    types[draw(st.integers(0, len(types) - 1))] = _one(_TYPES, draw)


def _set_number(nodes: Sequence[Any], draw: Draw) -> None:
    """Changes an integer, which may be the number of inputs or outputs."""
    _value(nodes, draw, _is("i")).i = _one((-1, 0, 1, 2, 3, 5), draw)


def _set_string(nodes: Sequence[Any], draw: Draw) -> None:
    """Changes a string."""
    _value(nodes, draw, _is("s")).s = _one((b"", b"SAME", b"other"), draw)


def _resize_list(nodes: Sequence[Any], draw: Draw) -> None:
    """Adds a type to a list, or removes it; other lists get items of two kinds."""
    types = _value(nodes, draw, _is("list")).list.type
    if types and draw(st.booleans()):
        del types[-1]
    else:
        types.append(_one((1, 3), draw))


def _other_kind(nodes: Sequence[Any], draw: Draw) -> None:
    """Sets an attribute to a value of another kind, or to none."""
    value = _value(nodes, draw, lambda _: True)
    value.Clear()
    kind = _one(("none", "i", "s", "b", "f", "type", "list", "types"), draw)
    if kind == "list":
        value.list.SetInParent()
    elif kind == "types":
        value.list.type.append(1)
    elif kind != "none":
        setattr(value, kind, b"x" if kind == "s" else 1)


def _remove_attribute(nodes: Sequence[Any], draw: Draw) -> None:
    """Removes an attribute; valid if it has a default."""
    node = _one([node for node in nodes if node.attr], draw)
    del node.attr[_one(sorted(node.attr), draw)]


def _unknown_attribute(nodes: Sequence[Any], draw: Draw) -> None:
    """Adds an attribute that the op does not have: valid."""
    _one(nodes, draw).attr["of_a_newer_release"].i = 1


def _other_input(nodes: Sequence[Any], draw: Draw) -> None:
    """Takes the output of another node, which may depend on this one."""
    node, place = _with_input(nodes, draw, False)
    node.input[place] = _one(nodes, draw).name


def _other_output(nodes: Sequence[Any], draw: Draw) -> None:
    """Takes another output of the same node."""
    node, place = _with_input(nodes, draw, False)
    port = _one(("0", "1", "2", "00", "9999999", "x", ""), draw)
    node.input[place] = f"{node.input[place].partition(':')[0]}:{port}"


def _no_input(nodes: Sequence[Any], draw: Draw) -> None:
    """Takes an input that does not exist."""
    node, place = _with_input(nodes, draw, True)
    control = "^" if node.input[place].startswith("^") else ""
    node.input[place] = control + _one(("gone", "", "x y", "^x"), draw)


def _remove_input(nodes: Sequence[Any], draw: Draw) -> None:
    """Removes an input."""
    node, place = _with_input(nodes, draw, True)
    del node.input[place]


def _add_input(nodes: Sequence[Any], draw: Draw) -> None:
    """Adds an input, which may be a control input, at any place."""
    node = _one(nodes, draw)
    text = _one(("", "^"), draw) + _one(nodes, draw).name
    node.input.insert(draw(st.integers(0, len(node.input))), text)


def _rename(nodes: Sequence[Any], draw: Draw) -> None:
    """Gives a node another name, which may be invalid or that of another node."""
    names = ["_x", "a b", "a>b", "a>", "", "-a", ".a", "a/b-c_d.e", nodes[0].name]
    _one(nodes, draw).name = _one(names, draw)


def _other_op(nodes: Sequence[Any], draw: Draw) -> None:
    """Replaces an op, which may be the beginning or the end of a loop."""
    ops = ("Identity", "Enter", "Exit", "NextIteration", "Merge", "NoOp", "Const", "LoopCond")
    _one(nodes, draw).op = _one(ops, draw)


def _other_frame(nodes: Sequence[Any], draw: Draw) -> None:
    """Moves an Enter to another loop."""
    frames = [node.attr["frame_name"] for node in nodes if "frame_name" in node.attr]
    _one(frames, draw).s = _one([*(frame.s for frame in frames), b"new", b""], draw)


def _constant(nodes: Sequence[Any], draw: Draw) -> None:
    """Replaces a node without inputs, such as a variable, by a constant of its type."""
    node = _one([n for n in nodes if not n.input and "dtype" in n.attr and n.op != "Const"], draw)
    node.op = "Const"
    node.attr["value"].tensor.dtype = node.attr["dtype"].type


ALL: tuple[Damage, ...] = (
    _set_type,
    _set_listed_type,
    _set_number,
    _set_string,
    _resize_list,
    _other_kind,
    _remove_attribute,
    _unknown_attribute,
    _other_input,
    _other_output,
    _no_input,
    _remove_input,
    _add_input,
    _rename,
    _other_op,
    _other_frame,
    _constant,
)
VALID = str(_unknown_attribute.__doc__)
