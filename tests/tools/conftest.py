"""Settings of all tests: an empty cache directory instead of the user's, examples without deadlines."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The machine may be busy: no test fails because it is slow. Each run tries the same examples: a change is not blamed
# for a fault that was there before. `--hypothesis-profile=explore` tries other and more examples.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", _PATIENT, derandomize=True)
settings.register_profile("explore", _PATIENT, max_examples=5000)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yields the cache directory of the test session, which is empty at first."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder
