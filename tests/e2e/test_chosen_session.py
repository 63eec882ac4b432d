"""A selection chooses TensorFlow's session for a model that a plan cannot run: the library compiles the session's sources itself."""

from __future__ import annotations

import os

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import json
from pathlib import Path

import numpy as np

from e2e.builds import app_workspace
from e2e.graphs import dataset_graph
from e2e.sessions import numpy_session
from models import frozen
from tfcarve.client.library import Library

_LIBRARY = "//chosen:library"


def test_output(tmp_path: Path) -> None:
    graph = dataset_graph.graph()
    fed = np.arange(dataset_graph.SIZE, dtype=np.float32)
    with app_workspace.opened() as workspace:
        models = app_workspace.write_graphs({"model": graph}, tmp_path)
        workspace.place("chosen", models, "*.pb")
        build = workspace.build([_LIBRARY], ["--output_groups=default,optional_sources"])
        found = build.named(_LIBRARY, "default")
        selection = json.loads(found["selection.json"].read_text(encoding="utf-8"))
        assert selection["runtime"] == "session"
        assert {row["op"] for row in selection["session_reasons"]} == {
            "BatchDatasetV2",
            "DatasetToSingleElement",
            "TensorSliceDataset",
        }
        optional = build.named(_LIBRARY, "optional_sources")
        assert "tools__runtime__session__session_engine.cc" in optional
        library = Library(found["libtensorflow-core.so"])
        with library.session_from_bytes(graph.SerializeToString(), 1) as session:
            (output,) = numpy_session.run(session, {frozen.INPUT: fed}, [frozen.OUTPUT])
    np.testing.assert_array_equal(output, fed)
