"""Tests of finding the ops of a gradient function."""

from tfcarve.registry.gradients import with_ops
from tfcarve.registry.index import Gradient

_SOURCE = """
typedef FunctionDefHelper FDH;
// "Exp" in a comment is none.
static Status ForUnary(FunctionDef* g, std::vector<FDH::Node> nodes) {
  /* "Log" neither */
  *g = FDH::Define({"x: T"}, {"dx: T"}, nodes);
  return OkStatus();
}
Status SquareGrad(const AttrSlice& attrs, FunctionDef* g) {
  return ForUnary(g, {
      FDH::Const("c", int64_t{2}),
      {{"two"}, "Cast", {"c"}, {{"SrcT", DT_INT64}}},
      {{"dx"}, "Mul", {"dy", "two"}},  // dy * 2
  });
}
Status Twice(const AttrSlice& attrs, FunctionDef* g) {
  return SquareGrad(attrs, g);
}
Status Reduce(FunctionDef* g) {
  nodes.push_back({{"dx"}, "Sum", {"dy"}});
  return Reduce(g);
}
"""


def _ops(function: str) -> tuple[str, ...]:
    known = {"Cast", "Const", "Exp", "Log", "Mul", "Sum"}
    (found,) = with_ops([Gradient("A", function, "a_grad.cc", 3)], {"a_grad.cc": _SOURCE}, known)
    return found.ops


def test_literals_that_name_ops() -> None:
    assert _ops("SquareGrad") == ("Cast", "Const", "Mul")


def test_functions_that_it_calls() -> None:
    assert _ops("Twice") == ("Cast", "Const", "Mul")
    assert _ops("Reduce") == ("Sum",)


def test_none() -> None:
    assert _ops("") == ()
    assert _ops("Elsewhere") == ()
