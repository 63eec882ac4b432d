"""The ops of loops and conditions.

Source: tensorflow/core/ops/control_flow_ops.cc, and the classes of nodes in tensorflow/core/graph/graph.cc.
"""

ENTERS = frozenset(("Enter", "RefEnter"))
EXITS = frozenset(("Exit", "RefExit"))
MERGES = frozenset(("Merge", "RefMerge", "_XlaMerge"))
NEXT_ITERATIONS = frozenset(("NextIteration", "RefNextIteration"))
# A Switch has two outputs; a _SwitchN has several.
SWITCHES = frozenset(("RefSwitch", "Switch"))
ALL_SWITCHES = SWITCHES | {"_SwitchN"}
# In a graph without these ops all nodes run once.
OPENING = ENTERS | ALL_SWITCHES
ALL = OPENING | EXITS | MERGES | NEXT_ITERATIONS | {"LoopCond"}
