"""Records the ops that TensorFlow's own Python tests run: each with its inputs and outputs, in full TensorFlow.

    python -m e2e.graphs.record_ops TREE MODULE OUTPUT OP...

TREE has TensorFlow's sources, MODULE is a test in them, for example tensorflow.python.kernel_tests.nn_ops.conv_ops_test. Writes
a pickled list of RecordedOp.
"""

from __future__ import annotations

import contextlib
import pickle
import runpy
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from e2e.graphs.recorded_ops import RecordedOp, RecordedTensor

# Some tests run an op hundreds of times.
_MOST_OF_A_KIND = 2
_LARGEST = 1 << 19


class Recorder:
    """Records ops of some types: each with the same attributes and shapes up to _MOST_OF_A_KIND times."""

    def __init__(self, ops: Sequence[str]) -> None:
        self.recorded: list[RecordedOp] = []
        self._ops = frozenset(ops)
        self._counts: Counter[Any] = Counter()
        self._graphs: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()

    def eager(
        self,
        op: Any,
        inputs: Sequence[Any],
        attributes: Sequence[Any],
        outputs: Sequence[Any],
        op_name: Any = None,
        graph: Any = None,
    ) -> None:
        """Is TensorFlow's op callback: records an op that has run."""
        name = op.decode() if isinstance(op, bytes) else op
        if graph is None and name in self._ops:
            kind = name, str(attributes), *((each.dtype, tuple(each.shape)) for each in inputs)
            if self._wanted(kind):
                named = dict(zip(attributes[::2], attributes[1::2], strict=True))
                tensors = ([(each, each.numpy()) for each in group] for group in (inputs, outputs))
                self._add(_node(name, inputs, named), *tensors)

    def session(self, run: Any, session: Any, feeds: Any) -> None:
        """Records the ops in a session's graph, once.

        Args:
          run: of the session's class.
          session: that has run.
          feeds: what it was fed.
        """
        import tensorflow as tf

        known = self._graphs.setdefault(session.graph, set())
        for op in session.graph.get_operations():
            if op.type not in self._ops or op.name in known:
                continue
            known.add(op.name)
            try:
                inputs, outputs = run(session, [list(op.inputs), list(op.outputs)], feeds)
            except (tf.errors.OpError, TypeError, ValueError):
                continue
            node = op.node_def
            node.name = node.device = ""
            del node.input[:]
            kind = str(node), *(np.shape(each) for each in inputs)
            if self._wanted(kind):
                self._add(
                    node,
                    list(zip(op.inputs, inputs, strict=True)),
                    list(zip(op.outputs, outputs, strict=True)),
                )

    def _wanted(self, kind: Any) -> bool:
        self._counts[kind] += 1
        return self._counts[kind] <= _MOST_OF_A_KIND

    def _add(self, node: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Adds an op, given its tensors with their values."""
        fed, made = ([_tensor(*pair) for pair in group] for group in (inputs, outputs))
        # Strings are left out.
        numbers = all(each.values.dtype.kind not in "OSU" for each in (*fed, *made))
        if numbers and sum(each.values.nbytes for each in fed) <= _LARGEST:
            node.name = "recorded"
            self.recorded.append(RecordedOp(node.SerializeToString(deterministic=True), fed, made))


def _tensor(tensor: Any, values: Any) -> RecordedTensor:
    return RecordedTensor(tensor.dtype.base_dtype.as_datatype_enum, np.asarray(values))


def _node(name: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Returns the NodeDef of an op that ran eagerly."""
    import tensorflow as tf
    from tensorflow.python.framework import op_def_registry

    definition = op_def_registry.get(name)
    inferred = {arg.type_attr for arg in definition.input_arg}
    with tf.Graph().as_default() as graph:
        fed = [tf.compat.v1.placeholder(each.dtype, each.shape) for each in inputs]
        arguments = {arg.name: each for arg, each in zip(definition.input_arg, fed, strict=True)}
        explicit = {key: value for key, value in attributes.items() if key not in inferred}
        getattr(tf.raw_ops, name)(**arguments, **explicit)
        (node,) = (op.node_def for op in graph.get_operations() if op.type == name)
    del node.input[:]
    return node


class _TreeFinder:
    """Finds modules that TensorFlow's wheel does not have in its sources."""

    def __init__(self, tree: str) -> None:
        self._tree = Path(tree)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns the module of this name, as importlib.abc.MetaPathFinder."""
        if not name.startswith("tensorflow.python."):
            return None
        return PathFinder.find_spec(name, [str(self._tree.joinpath(*name.split(".")[:-1]))], target)


def _no_gradients(*_: Any, **__: Any) -> Any:
    """Returns equal gradients: numeric ones run ops thousands of times."""
    return np.zeros(1), np.zeros(1)


def main(argv: Sequence[str]) -> None:
    """Records the ops of a test, whether the test passes or not."""
    tree, module, output, *ops = argv
    from tensorflow.python.client import session
    from tensorflow.python.framework import op_callbacks
    from tensorflow.python.ops import gradient_checker, gradient_checker_v2

    sys.meta_path.append(_TreeFinder(tree))
    recorder = Recorder(ops)
    run = session.BaseSession.run

    def run_and_record(self: Any, fetches: Any, feed_dict: Any = None, *rest: Any) -> Any:
        fetched = run(self, fetches, feed_dict, *rest)
        recorder.session(run, self, feed_dict)
        return fetched

    session.BaseSession.run = run_and_record
    gradient_checker.compute_gradient = gradient_checker_v2.compute_gradient = _no_gradients
    gradient_checker.compute_gradient_error = lambda *_, **__: 0.0
    op_callbacks.add_op_callback(recorder.eager)
    sys.argv = [module]
    # Some tests add their cases only in the main program.
    with contextlib.suppress(SystemExit):
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    Path(output).write_bytes(pickle.dumps(recorder.recorded))


if __name__ == "__main__":
    main(sys.argv[1:])
