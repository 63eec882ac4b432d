"""Reading the models of the npm package."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

from benchmarks.preparation import trained_models

_SCRIPT = (
    "!function(e){module.exports=e()}(function(){a.exports={modelTopology:{model_config:"
    '{class_name:"Model",flags:[!1,!0],size:-.5,seed:null}},weightsManifest:[{weights:['
    '{name:"a/kernel",shape:[2,800],dtype:"float32",quantization:{min:-.25,scale:.5,dtype:"uint8"}},'
    '{name:"a/bias",shape:[2],dtype:"float32"}]}]}},{}]},{},[1])(1)});'
)


def test_the_document() -> None:
    found = trained_models._document(_SCRIPT)
    assert found["modelTopology"]["model_config"] == {
        "class_name": "Model",
        "flags": [False, True],
        "size": -0.5,
        "seed": None,
    }


def test_the_weights(tmp_path: Path) -> None:
    document = trained_models._document(_SCRIPT)
    stored = np.arange(1600).astype(np.uint8)
    data = stored.tobytes() + np.array([1.5, -2], np.float32).tobytes()
    for number, part in ((1, data[:801]), (2, data[801:])):
        script = f'exports="{base64.b64encode(part).decode()}";'
        (tmp_path / f"group1-shard{number}of2.min.js").write_text(script, "utf-8")
    values = trained_models._values(tmp_path, document)
    assert list(values) == ["a/kernel", "a/bias"]
    assert values["a/bias"].tolist() == [1.5, -2]
    np.testing.assert_array_equal(values["a/kernel"].ravel(), stored * np.float32(0.5) - 0.25)
    (tmp_path / "group1-shard2of2.min.js").unlink()
    with pytest.raises(ValueError, match="requested size"):
        trained_models._values(tmp_path, document)
