"""The rows of the table of comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Equal(Enum):
    """In what the two graphs are equal. All but UNCHANGED have to differ from the source."""

    UNCHANGED = auto()  # both leave the graph as it is
    ORDERED = auto()  # the same nodes in the same order
    NODES = auto()  # the same nodes
    OPS = auto()  # as many nodes of each op, and equal outputs
    OUTPUTS = auto()  # equal outputs


class Theirs(Enum):
    """What is wrong or missing in what TensorFlow's tool makes; ours gives the outputs of the source."""

    DIFFERENT = auto()  # gives other outputs than the source, or none that are numbers
    FAILS = auto()  # refuses the graph
    KEEPS = auto()  # keeps nodes of an op that ours removes
    LARGER = auto()  # is half as large again as ours
    NEVER_ENDS = auto()
    NOT_RUN = auto()  # makes a graph that TensorFlow refuses


@dataclass(frozen=True)
class Same:
    """Graphs on which both tools have to agree.

    Attributes:
      transforms: the list of transforms; {log} is a log of insert_logging.
      samples: names of oracle_graphs, separated by spaces.
      equal: in what they agree.
      why: why not in all nodes and their order.
      tolerance: the largest difference of outputs.
    """

    transforms: str
    samples: str
    equal: Equal
    why: str = ""
    tolerance: float = 1e-5


@dataclass(frozen=True)
class Differs:
    """A graph on which ours differs on purpose.

    Attributes:
      transforms: the list of transforms.
      sample: name of oracle_graphs.
      theirs: what TensorFlow's tool does.
      why: the reason.
      op: what KEEPS is about.
      tolerance: the largest difference of our outputs from the source's.
    """

    transforms: str
    sample: str
    theirs: Theirs
    why: str
    op: str = ""
    tolerance: float = 1e-5
