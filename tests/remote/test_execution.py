"""Remote execution: the same outputs as on this machine, also if a worker or the server ends during an action."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from flex import flex_app, flex_models, interpreters
from remote import executor, fresh_workspace
from remote.executor import Executor
from tfcarve.app.workspace import BuildError, Workspace

_COMPILED = "@tfcarve//tools/runtime/math"
_TARGETS = {
    "sources and tools": (_COMPILED, "//:tensorflow_selection"),
    "one source of each library that a release links": ("//inputs:shared",),
}


@pytest.fixture(name="service")
def _service(tmp_path: Path) -> Iterator[Executor]:
    with executor.prepared(tmp_path) as prepared:
        yield prepared


def _built(
    workspace: Workspace, targets: Sequence[str], flags: Sequence[str]
) -> tuple[Mapping[str, str], set[str]]:
    """Builds targets; returns the digests of their files, and how their actions ran."""
    built = fresh_workspace.build(workspace, targets, flags)
    return built.digests, {spawn.runner for spawn in built.spawns}


def _here(workspace: Workspace, targets: Sequence[str]) -> Mapping[str, str]:
    """Builds targets on this machine, with the same flags otherwise."""
    flags = ["--@tfcarve//rules/config:precompiled_headers=False"]
    digests, runners = _built(workspace, targets, flags)
    assert "remote" not in runners
    workspace.bazel(["clean"])
    return digests


@pytest.mark.parametrize("kind", _TARGETS)
def test_outputs_are_those_of_this_machine(kind: str, service: Executor) -> None:
    with fresh_workspace.opened() as workspace:
        expected = _here(workspace, _TARGETS[kind])
        with service.started(), service.contents_cache(), service.worker("one"):
            digests, runners = _built(workspace, _TARGETS[kind], service.flags())
        assert runners == {"remote"}
        assert digests == expected


def test_a_delegate(service: Executor, tmp_path: Path) -> None:
    """It is built by a worker alone, and an interpreter runs a model with it."""
    with fresh_workspace.opened() as workspace:
        models = flex_app.write_models(tmp_path)
        workspace.place(flex_app.PACKAGE, models, "*.tflite")
        with service.started(), service.contents_cache(), service.worker("one"):
            built = fresh_workspace.build(workspace, [flex_app.ONE_OP], service.flags())
        assert {spawn.runner for spawn in built.spawns} == {"remote"}
        delegate = flex_app.library(built.files)
        model, inputs = models["one_op.tflite"], flex_models.inputs("one_op")
        expected = interpreters.run(interpreters.FULL, "-", model, inputs, tmp_path)
        found = interpreters.run(interpreters.PLAIN[0], f"{delegate}", model, inputs, tmp_path)
        assert found.keys() == expected.keys()
        assert all(interpreters.equal(found[key], array) for key, array in expected.items())


def _runs_action(worker: subprocess.Popen[bytes]) -> bool:
    """Returns whether a process of the worker runs an action. At its start, it runs one that checks options."""
    for children in Path(f"/proc/{worker.pid}/task").glob("*/children"):
        for child in children.read_text().split():
            with suppress(FileNotFoundError):
                if b"--action=" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return True
    return False


def _interrupted(
    workspace: Workspace,
    service: Executor,
    worker: subprocess.Popen[bytes],
    interrupt: Callable[[], None],
) -> tuple[Mapping[str, str], set[str]]:
    """Builds, and calls a function while the worker runs an action; raises BuildError if the build fails."""
    with ThreadPoolExecutor(1) as pool:
        build = pool.submit(_built, workspace, [_COMPILED], service.flags())
        while not build.done() and not _runs_action(worker):
            time.sleep(0.05)
        assert not build.done(), "the build ended before it could be interrupted"
        interrupt()
        return build.result()


def test_worker_that_is_killed(service: Executor) -> None:
    with fresh_workspace.opened() as workspace, ExitStack() as stack:
        expected = _here(workspace, [_COMPILED])
        stack.enter_context(service.started())
        stack.enter_context(service.contents_cache())
        one = stack.enter_context(service.worker("one"))

        def replace() -> None:
            one.kill()
            one.wait()
            stack.enter_context(service.worker("two"))

        digests, runners = _interrupted(workspace, service, one, replace)
        assert runners == {"remote"}
        assert digests == expected


def test_server_that_restarts(service: Executor) -> None:
    """The build ends well, or with a message that names the failure; the next one ends well."""
    with fresh_workspace.opened() as workspace, ExitStack() as stack:
        expected = _here(workspace, [_COMPILED])
        first = stack.enter_context(ExitStack())
        first.enter_context(service.started())
        stack.enter_context(service.contents_cache())
        one = stack.enter_context(service.worker("one"))

        def restart() -> None:
            first.close()
            stack.enter_context(service.started())

        try:
            _interrupted(workspace, service, one, restart)
        except BuildError as error:
            assert "Remote" in str(error) or "UNAVAILABLE" in str(error)
        digests, _ = _built(workspace, [_COMPILED], service.flags())
        assert digests == expected


def test_no_worker(tmp_path: Path) -> None:
    """The service ends an action that waits too long, and Bazel prints its message."""
    with ExitStack() as stack:
        service = stack.enter_context(executor.prepared(tmp_path, longest_wait=10))
        workspace = stack.enter_context(fresh_workspace.opened())
        stack.enter_context(service.started())
        stack.enter_context(service.contents_cache())
        with pytest.raises(BuildError, match="queued for too long"):
            _built(workspace, [_COMPILED], [*service.flags(), "--remote_retries=0"])
