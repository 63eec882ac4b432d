"""What a delegate does in an interpreter whose structures differ from those that it was compiled with."""

from __future__ import annotations

from pathlib import Path

import flat
import pytest

from built import published
from flex import altered_interpreter, interpreters
from flex.flex_app import LIBRARY, ONE_OP

_UNKNOWN = "the interpreter's structures differ from TensorFlow Lite 2.14's: "
_NODE = "node 0 (FlexErf): "
# Serialized: op: "Erf", attr { key: "T" value { type: DT_FLOAT } }.
_NODE_DEF = b"\x12\x03Erf*\x07\n\x01T\x12\x020\x01"
_EXPECTED = {
    "none": "takes 1",
    "no_plan": _UNKNOWN + "the execution plan has no nodes",
    "plan_size": _UNKNOWN + "the execution plan has no nodes",
    "node_twice": _UNKNOWN + "the execution plan has node 0 twice",
    "negative_node": _UNKNOWN + "the execution plan has node -3",
    "no_node": _UNKNOWN + "node 0 is missing",
    "builtin_code": _UNKNOWN + f"node 0 has the unknown op {0x7F3A10}",
    "no_function": _UNKNOWN + "a function is missing",
    "no_tensors": _UNKNOWN + "there are no tensors",
    "no_inputs": _UNKNOWN + _NODE + "it has no tensors",
    "input": _UNKNOWN + _NODE + "there is no tensor 2",
    "output": _UNKNOWN + _NODE + "there is no tensor -1",
    "type": _UNKNOWN + _NODE + f"tensor 1 has the unknown type {0x5500}",
    "threads": "the interpreter has 1025 threads: set 1 to 1024",
}


@pytest.fixture(scope="module", name="delegate")
def _delegate() -> Path:
    return published.of("flex").named(ONE_OP)[LIBRARY]


@pytest.fixture(scope="module", name="options")
def _options(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("options") / "options"
    file.write_bytes(flat.flex_options(b"Erf", _NODE_DEF))
    return file


@pytest.mark.parametrize("alteration", altered_interpreter.ALTERATIONS)
def test_altered_structures(alteration: str, delegate: Path, options: Path, tmp_path: Path) -> None:
    """Without an alteration the delegate takes the node."""
    program = Path(altered_interpreter.__file__)
    done = interpreters.python([program, delegate, options, alteration], tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, _EXPECTED[alteration]), done.stderr
