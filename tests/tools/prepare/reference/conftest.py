"""Shared fixtures: TensorFlow's transform_graph, compiled once per user, and a child process that runs TensorFlow."""

from collections.abc import Iterator

import pytest
import trees
from reference_running import Tools

from bootstrap.cache import cache_root
from demo import transform_graph
from tfcarve.prepare.evaluate.evaluator import Evaluator

# The user's cache, because the program takes long to compile; other tests have an empty cache.
_CACHE = cache_root()


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    """Both tools."""
    reference = transform_graph.built(trees.tensorflow(), _CACHE)
    with Evaluator() as running:
        yield Tools(reference, running, tmp_path_factory.mktemp("graphs"))
