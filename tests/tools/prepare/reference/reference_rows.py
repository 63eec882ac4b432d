"""The rows of the table of comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Equal(Enum):
    """The way in which the two graphs are equal. All except UNCHANGED must differ from the source."""

    UNCHANGED = auto()  # neither tool changes the graph
    ORDERED = auto()  # the same nodes in the same order
    NODES = auto()  # the same nodes
    OPS = auto()  # the same number of nodes of each op, and equal outputs
    OUTPUTS = auto()  # equal outputs


class Defect(Enum):
    """A defect of TensorFlow's tool; tfcarve's graph has the outputs of the source."""

    DIFFERENT = auto()  # its outputs differ from the source, or are not finite
    FAILS = auto()  # rejects the graph
    KEEPS = auto()  # keeps nodes of an op that tfcarve removes
    LARGER = auto()  # is at least 1.5 times as large as tfcarve's
    NEVER_ENDS = auto()
    NOT_RUN = auto()  # creates a graph that TensorFlow rejects


@dataclass(frozen=True)
class Same:
    """Graphs on which both tools must agree.

    Attributes:
      transforms: the list of transforms; {log} is a log of insert_logging.
      samples: names from reference_graphs, separated by spaces.
      equal: the way in which they agree.
      why: why they do not agree in all nodes and their order.
      tolerance: the largest difference of outputs.
    """

    transforms: str
    samples: str
    equal: Equal
    why: str = ""
    tolerance: float = 1e-5


@dataclass(frozen=True)
class Differs:
    """A graph on which tfcarve deliberately differs.

    Attributes:
      transforms: the list of transforms.
      sample: a name from reference_graphs.
      defect: the defect of TensorFlow's tool.
      why: the reason.
      op: the op of KEEPS.
      tolerance: the largest difference of tfcarve's outputs from the source's.
    """

    transforms: str
    sample: str
    defect: Defect
    why: str
    op: str = ""
    tolerance: float = 1e-5
