"""What runs the graphs of a library: a plan, or TensorFlow's session.

A plan (tools/runtime/plan) calls kernels in order and needs a small part of TensorFlow's runtime, but cannot run all graphs.
"""

from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Literal

from tfcarve import json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.models import yaml_form
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.registry.index import OpDefinition
from tfcarve.releases.release import Release
from tfcarve.selection.need import Need

# "flex": a Flex delegate calls kernels by itself and runs no graph.
Runtime = Literal["plan", "session", "flex"]
_FUNCTIONS = ("func", "list(func)")


class SessionReason(JsonDocument, frozen=True, order=True):
    """Why graphs run in TensorFlow's session.

    Attributes:
      why: the reason.
      op: the op that a plan cannot run; empty: the reason is not an op.
      needed_by: the nodes of the op.
    """

    why: str
    op: str = ""
    needed_by: tuple[Need, ...] = ()


class _Row(JsonDocument, frozen=True):
    why: str
    ops: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()


class SessionOps(JsonDocument, frozen=True):
    """The ops of a release that only a session runs (session_ops.yaml).

    Attributes:
      session: ops, or the sources that define them, and why a plan cannot run them.
      own: ops that a plan runs without a kernel.
      control_flow: ops of this kind that run functions or loops.
    """

    session: tuple[_Row, ...]
    own: frozenset[str]
    control_flow: frozenset[str]

    def listed(self, op: OpDefinition) -> str:
        """Returns why only a session runs the kernel of an op; "" if a plan or a Flex delegate runs it."""
        rows = (row for row in self.session if op.name in row.ops or op.file in row.files)
        return next((row.why for row in rows), "")

    def why(self, op: OpDefinition) -> str:
        """Returns why a plan cannot run an op; "" if it can."""
        if listed := self.listed(op):
            return listed
        if any(argument.ref for argument in (*op.inputs, *op.outputs)):
            return (
                "plans have no tensors of reference types, which the variables of TensorFlow 1 have"
            )
        if op.name not in self.control_flow and any(
            a.type in _FUNCTIONS for a in op.attrs.values()
        ):
            return "its kernel calls a function through TensorFlow's session"
        return ""


@cache
def load(release: Release) -> SessionOps:
    """Returns the ops of a release that only a session runs."""
    file = release.file("session_ops.yaml")
    document = yaml_form.load(file.read_text(encoding="utf-8"))
    return json_codec.convert(document, SessionOps, str(file))


def calls_functions(uses: Iterable[NodeUse], model: Model) -> bool:
    """Returns whether nodes call functions of their model, by name or by an attribute.

    Args:
      uses: the nodes that can run, with the nodes of the functions.
      model: their model.
    """
    return any(use.function or use.op in model.functions for use in uses)


def delegate_reasons(
    ops: Iterable[tuple[OpDefinition, Collection[Need]]], session_ops: SessionOps
) -> tuple[SessionReason, ...]:
    """Returns the reasons why a Flex delegate cannot run some models, sorted; empty if it can.

    Args:
      ops: the ops of the models, each with the nodes that need it.
      session_ops: the ops that only a session runs.
    """
    return _reasons(ops, session_ops.listed)


def session_reasons(
    ops: Iterable[tuple[OpDefinition, Collection[Need]]], session_ops: SessionOps, *, trains: bool
) -> tuple[SessionReason, ...]:
    """Returns the reasons why a plan cannot run some models, sorted; empty if it can.

    Args:
      ops: the ops of the models, each with the nodes that need it.
      session_ops: the ops that only a session runs.
      trains: whether a model trains.
    """
    training = [SessionReason("a model trains: a session builds gradients at run time")]
    return tuple(sorted([*_reasons(ops, session_ops.why), *(training if trains else [])]))


def _reasons(
    ops: Iterable[tuple[OpDefinition, Collection[Need]]], why: Callable[[OpDefinition], str]
) -> tuple[SessionReason, ...]:
    found = (
        SessionReason(text, op.name, tuple(sorted(set(needs))))
        for op, needs in ops
        if (text := why(op))
    )
    return tuple(sorted(found))
