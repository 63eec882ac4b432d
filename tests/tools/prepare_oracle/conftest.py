"""What the comparisons share: TensorFlow's transform_graph, compiled once for this user, and a process that runs TensorFlow."""

from collections.abc import Iterator

import pytest
import trees
from oracle_running import Tools

from bootstrap.cache import cache_root
from demo import transform_graph
from tfcarve.prepare.evaluate import Evaluator

# The user's: other tests have an empty one, and the program takes long to compile.
_CACHE = cache_root()


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    """Gives both tools."""
    oracle = transform_graph.built(trees.tensorflow(), _CACHE)
    with Evaluator() as running:
        yield Tools(oracle, running, tmp_path_factory.mktemp("graphs"))
