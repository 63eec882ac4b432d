"""Models with side effects, created by full TensorFlow, with the outputs of their first run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from freeze_sources import Source

v1 = tf.compat.v1
raw = tf.raw_ops
X = np.array([1.0, 2.0], np.float32)
_INPUT = [tf.TensorSpec([2], tf.float32, name="x")]

# Creates the output from the input, in a graph of TensorFlow 1.
Draw = Callable[[Any], Any]
# Creates variables in the module, and returns the function that computes the output.
Make = Callable[[Any], Callable[[Any], Any]]


def saved_model(folder: Path, make: Make) -> Source:
    """A SavedModel of TensorFlow 2 with the input x and the output y."""
    module = tf.Module()
    call = make(module)
    module.call = tf.function(lambda x: {"y": call(x)}, input_signature=_INPUT)
    tf.saved_model.save(module, str(folder), signatures=module.call)
    return Source(folder, {"x": X}, {"y": module.call(tf.constant(X))["y"].numpy()})


def checkpointed(folder: Path, draw: Draw) -> Source:
    """A GraphDef of TensorFlow 1 and a checkpoint; the input is x, the output y."""
    folder.mkdir(parents=True, exist_ok=True)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.identity(draw(x), name="y")
        v1.get_variable("unused", [1])
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver().save(session, str(folder / "m.ckpt"))
        (folder / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
        expected = session.run(y, {x: X})
    options = {"checkpoint": prefix, "outputs": ("y",)}
    return Source(folder / "m.pb", {"x": X}, {"y": expected}, options)


def variable(name: str, use_resource: bool = True, shape: tuple[int, ...] = (2,)) -> Any:
    """A variable of a graph of TensorFlow 1 whose initial value is ones."""
    ones = v1.ones_initializer()
    return v1.get_variable(name, list(shape), initializer=ones, use_resource=use_resource)


def _counter(module: Any) -> Any:
    module.calls = tf.Variable(0.0, name="calls")
    return module.calls


def _counts(module: Any) -> Callable[[Any], Any]:
    calls = _counter(module)

    def call(x: Any) -> Any:
        calls.assign_add(1.0)
        return x * 2.0

    return call


def _seed_generator(module: Any) -> Callable[[Any], Any]:
    """As in Keras 3: the next seed is drawn, but its random numbers are not used."""
    module.state = tf.Variable([3, 4], dtype=tf.int64, name="seed_generator/state")

    def call(x: Any) -> Any:
        seed = module.state.value()
        module.state.assign(seed + tf.constant([0, 1], tf.int64))
        tf.random.stateless_uniform([2], seed)
        return x + 1.0

    return call


def _batch_norm_of_training(module: Any) -> Callable[[Any], Any]:
    module.norm = tf.keras.layers.BatchNormalization()
    module.norm.build([2, 2])
    return lambda x: module.norm(tf.stack([x, x * x], 1), training=True)[:, 0]


def _metric(module: Any) -> Callable[[Any], Any]:
    module.mean = tf.keras.metrics.Mean(name="loss")

    def call(x: Any) -> Any:
        module.mean.update_state(x)
        return x - 1.0

    return call


def _prints(module: Any) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        tf.print("x", x, summarize=0)
        return x * 3.0

    return call


def _counts_in_a_branch(module: Any) -> Callable[[Any], Any]:
    calls = _counter(module)

    def call(x: Any) -> Any:
        if x[0] > 0.0:
            calls.assign_add(1.0)
        return x * 2.0

    return call


def _counts_in_a_loop(module: Any) -> Callable[[Any], Any]:
    calls = _counter(module)

    def call(x: Any) -> Any:
        for _ in tf.range(tf.cast(x[1], tf.int32)):
            calls.assign_add(1.0)
            x += 1.0
        return x

    return call


def _chained(module: Any) -> Callable[[Any], Any]:
    """One variable gets the value of another one that is updated."""
    calls = _counter(module)
    module.last = tf.Variable(0.0, name="last")

    def call(x: Any) -> Any:
        calls.assign_add(1.0)
        module.last.assign(calls)
        return -x

    return call


def _table(module: Any) -> Callable[[Any], Any]:
    module.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, 0.5)

    def call(x: Any) -> Any:
        module.table.insert(["a"], x[:1])
        return x + 4.0

    return call


def _unused_generator(module: Any) -> Callable[[Any], Any]:
    module.random = tf.random.Generator.from_seed(7)

    def call(x: Any) -> Any:
        module.random.uniform([2])
        return x + 5.0

    return call


def _updates_references(x: Any) -> Any:
    calls, rows = variable("calls", False), variable("rows", False, (4, 2))
    updates = [
        v1.assign_add(calls, x),
        v1.scatter_update(rows, [1], tf.expand_dims(x, 0)),
        raw.CountUpTo(
            ref=v1.get_variable("step", initializer=0, use_resource=False)._variable, limit=9
        ),
    ]
    with tf.control_dependencies([tf.group(*updates), tf.identity(updates[0])]):
        return x * 2.0


def _updates_resources(x: Any) -> Any:
    calls, rows = variable("calls"), variable("rows", True, (4, 2))
    updates = [
        raw.ResourceScatterAdd(resource=rows.handle, indices=[1], updates=tf.expand_dims(x, 0)),
        raw.ResourceApplyGradientDescent(var=calls.handle, alpha=0.5, delta=x),
    ]
    with tf.control_dependencies(updates):
        return x * 2.0


def _prints_as_before(x: Any) -> Any:
    """Print passes on its input; it prints the value of a variable that is updated."""
    calls = variable("calls")
    with tf.control_dependencies([calls.assign_add(x)]):
        return raw.Print(input=x, data=[calls.read_value()], message="x", summarize=0) + 1.0


def _writes_summaries(x: Any) -> Any:
    writer, step = raw.SummaryWriter(shared_name="w"), tf.constant(0, tf.int64)
    created = raw.CreateSummaryFileWriter(
        writer=writer, logdir=tempfile.mkdtemp(), max_queue=1, flush_millis=1, filename_suffix=""
    )
    with tf.control_dependencies([created]):
        written = [
            raw.WriteScalarSummary(writer=writer, step=step, tag="x", value=x[0]),
            raw.WriteSummary(writer=writer, step=step, tensor=x, tag="x", summary_metadata=""),
        ]
    with (
        tf.control_dependencies(written),
        tf.control_dependencies([raw.FlushSummaryWriter(writer=writer)]),
    ):
        return x - 2.0


def _prepares_an_iterator(x: Any) -> Any:
    """An iterator that no output reads."""
    iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(3).map(lambda n: n + 1))
    with tf.control_dependencies([iterator.initializer]):
        return x * 4.0


# The model, what the note says, and the op with the side effect.
REMOVED: Mapping[str, tuple[Callable[[Path], Source], str, str]] = {
    "counter": (lambda f: saved_model(f, _counts), "updates of variables and tables that no output reads: calls", "AssignAddVariableOp"),
    "seed generator": (lambda f: saved_model(f, _seed_generator), "reads: seed_generator/state", "AssignVariableOp"),
    "batch norm of training": (lambda f: saved_model(f, _batch_norm_of_training), "moving_mean, ", "AssignSubVariableOp"),
    "metric": (lambda f: saved_model(f, _metric), "reads: total, count", "AssignAddVariableOp"),
    "print": (lambda f: saved_model(f, _prints), "removed Print nodes: PrintV2", "PrintV2"),
    "counter in a branch": (lambda f: saved_model(f, _counts_in_a_branch), "reads: calls", "AssignAddVariableOp"),
    "counter in a loop": (lambda f: saved_model(f, _counts_in_a_loop), "reads: calls", "AssignAddVariableOp"),
    "chain": (lambda f: saved_model(f, _chained), "reads: calls, last", "AssignVariableOp"),
    "table": (lambda f: saved_model(f, _table), "reads: MutableHashTable", "LookupTableInsertV2"),
    "generator": (lambda f: saved_model(f, _unused_generator), "reads: StateVar", "RngReadAndSkip"),
    "references": (lambda f: checkpointed(f, _updates_references), "reads: calls, rows, step", "ScatterUpdate"),
    "resources": (lambda f: checkpointed(f, _updates_resources), "reads: rows, calls", "ResourceScatterAdd"),
    "Print": (lambda f: checkpointed(f, _prints_as_before), "removed Print nodes: Print", "Print"),
    "summaries": (lambda f: checkpointed(f, _writes_summaries), "removed summaries: CreateSummaryFileWriter, ", "WriteScalarSummary"),
    "iterator": (lambda f: checkpointed(f, _prepares_an_iterator), "iterators and queues that no output reads: ", "MakeIterator"),
}  # fmt: skip


def _reads_after(module: Any) -> Callable[[Any], Any]:
    calls = _counter(module)

    def call(x: Any) -> Any:
        calls.assign_add(1.0)
        return x + calls

    return call


def _reads_before(module: Any) -> Callable[[Any], Any]:
    """The next run reads what this run writes, as in stateful recurrent layers."""
    module.state = tf.Variable([0.0, 0.0], name="state")

    def call(x: Any) -> Any:
        y = x + module.state
        module.state.assign(y)
        return y

    return call


def _reads_in_a_branch(module: Any) -> Callable[[Any], Any]:
    calls = _counter(module)

    def call(x: Any) -> Any:
        calls.assign_add(1.0)
        return x + calls if x[0] > 0.0 else x

    return call


def _reads_in_a_loop(module: Any) -> Callable[[Any], Any]:
    calls = _counter(module)

    def call(x: Any) -> Any:
        for _ in tf.range(3):
            calls.assign_add(1.0)
            x += calls
        return x

    return call


def _draws(module: Any) -> Callable[[Any], Any]:
    module.random = tf.random.Generator.from_seed(7)
    return lambda x: x + module.random.uniform([2])


def _augments(module: Any) -> Callable[[Any], Any]:
    """As layers of Keras 3 that were saved in training mode: random numbers of the seed reach the output."""
    module.state = tf.Variable([3, 4], dtype=tf.int64, name="seed_generator/state")

    def call(x: Any) -> Any:
        seed = module.state.value()
        module.state.assign(seed + tf.constant([0, 1], tf.int64))
        return x * tf.random.stateless_uniform([2], seed)

    return call


def _result_of_update(x: Any) -> Any:
    return x + v1.assign_add(variable("calls", False), x)


def _updates_two(x: Any) -> Any:
    """One op updates two variables; the first one is read."""
    calls, sums = variable("calls"), variable("sums")
    update = raw.ResourceApplyMomentum(
        var=calls.handle, accum=sums.handle, lr=0.5, grad=x, momentum=0.5
    )
    with tf.control_dependencies([update]):
        return x + calls.read_value()


def _read_by_name(x: Any) -> Any:
    """Two nodes are the same variable; one is updated, the other one is read."""
    calls = variable("calls")
    same = raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="calls", name="same")
    with tf.control_dependencies([calls.assign_add(x)]):
        return x + raw.ReadVariableOp(resource=same, dtype=tf.float32)


def _counter_that_is_checked(module: Any) -> Callable[[Any], Any]:
    calls = _counter(module)

    def call(x: Any) -> Any:
        calls.assign_add(1.0)
        tf.debugging.assert_less(calls, 10.0)
        return x * 2.0

    return call


# The model, and parts of the message in their order.
REFUSED: Mapping[str, tuple[Callable[[Path], Source], tuple[str, ...]]] = {
    "read after": (lambda f: saved_model(f, _reads_after), ("AssignAddVariableOp changes the variable 'calls'", "the output 'y' reads it (", "AssignAddVariableOp -> calls -> add/ReadVariableOp -> add -> ", " -> y)")),
    "read before": (lambda f: saved_model(f, _reads_before), ("AssignVariableOp changes the variable 'state'", "the output 'y' reads it (", "-> state -> ", "-> y)")),
    "read in a branch": (lambda f: saved_model(f, _reads_in_a_branch), ("changes the variable 'calls'", "the output 'y' reads it (", " -> calls -> ", " in cond_then_branch", "-> y)")),
    "read in a loop": (lambda f: saved_model(f, _reads_in_a_loop), ("changes the variable 'calls'", "the output 'y' reads it (", "-> calls -> ", " in while_body", "-> y)")),
    "generator": (lambda f: saved_model(f, _draws), ("RngReadAndSkip changes the variable 'StateVar'", "the output 'y' needs its result (", "RngReadAndSkip -> ", "-> y)")),
    "augmentation": (lambda f: saved_model(f, _augments), ("changes the variable 'seed_generator/state'", "the output 'y' reads it (", "-> seed_generator/state -> ", "-> y)", "a Keras model: a function that calls it with training=False")),
    "result of an update": (lambda f: checkpointed(f, _result_of_update), ("AssignAdd changes the variable 'calls'", "the output 'y' needs its result (AssignAdd -> add -> y)")),
    "update of two": (lambda f: checkpointed(f, _updates_two), ("ResourceApplyMomentum changes the variable 'calls'", "the output 'y' reads it (ResourceApplyMomentum -> calls -> ")),
    "read by name": (lambda f: checkpointed(f, _read_by_name), ("changes the variable 'calls'", "the output 'y' reads it (AssignAddVariableOp -> calls -> ReadVariableOp", "-> add -> y)")),
    "counter that is checked": (lambda f: saved_model(f, _counter_that_is_checked), ("changes the variable 'calls'", "the node 'assert_less/Assert/AssertGuard/", "(Assert) reads it (", "--assertions drop")),
}  # fmt: skip


def with_iterator(folder: Path) -> Source:
    """A GraphDef that gets two tensors from an iterator."""

    def draw(_: Any) -> Any:
        data = tf.data.Dataset.from_tensors((X, np.float32(3.0))).map(lambda a, b: (a * 2.0, b))
        a, b = v1.data.make_one_shot_iterator(data).get_next(name="examples")
        return a + b

    return checkpointed(folder, draw)


def with_queue(folder: Path) -> Source:
    """A GraphDef that gets a tensor from a queue."""
    folder.mkdir(parents=True)
    with tf.Graph().as_default() as graph:
        queue = raw.FIFOQueueV2(component_types=[tf.float32], name="queue")
        (taken,) = raw.QueueDequeueV2(handle=queue, component_types=[tf.float32], name="taken")
        tf.multiply(taken, 2.0, name="y")
    (folder / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    return Source(folder / "m.pb", {"taken": X}, {"y": X * 2}, {"outputs": ("y",)})
