"""Runs models of an installed wheel, in a Python that has nothing else of tfcarve: run_wheel.py FOLDER.

Prints what it finds as JSON.
"""

import json
import resource
import sys
import threading
from pathlib import Path

sys.path.insert(0, sys.argv[1])

import carved_models
import numpy as np


def _error(call):
    try:
        call()
    except (carved_models.ModelError, TypeError) as error:
        return {
            "kind": type(error).__name__,
            "text": str(error),
            "node": getattr(error, "node", ""),
        }
    return None


def _memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def tiny():
    """The model of the app, which has a custom op."""
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    model = carved_models.Model("tiny")
    outputs = model(input=x)
    (info,) = Path(sys.argv[1]).glob("*.dist-info")
    return {
        "outputs": outputs["output"].tolist(),
        "info": repr(model.inputs),
        "licenses": [file.parent.name for file in info.glob("licenses/*/LICENSE")],
        "sbom": json.loads((info / "sboms/carved_models.spdx.json").read_text())["spdxVersion"],
    }


def shared():
    """Models of the tests of the C interface."""
    product, text = carved_models.Model("product"), carved_models.Model("text", threads=2)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = {"y": product(x=x, outputs=["y"])["y"].tolist()}
    found["declared"] = sorted(product(x=x))
    found["top"] = {k: v.tolist() for k, v in product(x=x, outputs=["top", "top:1"]).items()}
    # An array that is not contiguous, Python's own numbers, an empty array.
    found["transposed"] = product(x=np.asfortranarray(x), outputs=["y"])["y"].tolist()
    found["numbers"] = product({"x": [[0, 1, 2]]}, outputs=["y"])["y"].tolist()
    found["empty"] = list(product(x=np.zeros((0, 3), np.float32), outputs=["y"])["y"].shape)
    found["joined"] = [value.decode() for value in text(text=["a", "", "é\0b"])["joined"]]
    found["bytes"] = text(text=np.array([b"xy"]))["joined"].tolist()[0].decode()
    found["errors"] = {
        "shape": _error(lambda: product(x=np.zeros((2, 2), np.float32))),
        "type": _error(lambda: product(x=np.zeros(3, "datetime64[s]"))),
        "name": _error(lambda: product(z=x)),
        "missing": _error(lambda: carved_models.Model("gone")),
        "deadline": _error(lambda: carved_models.Model("loop")(n=2**31 - 1, timeout=0.2)),
    }
    # Outputs keep their memory; other runs do not change them, and all memory is freed.
    first = product(x=x, outputs=["y"])["y"]
    kept = first.copy()
    other = carved_models.Model("pass")
    large = np.ones((4096, 16), np.float32)
    for _ in range(200):
        other(x=large)
    before = _memory()
    for _ in range(2000):
        other(x=large)
    found["grown_kilobytes"] = _memory() - before
    found["is_kept"] = bool((first == kept).all())
    first[:] = 0  # it can be written to
    # Several threads run one model at once.
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(product(x=x, outputs=["y"])["y"].tolist()))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found["threads"] = results
    return found


print(json.dumps({"tiny": tiny, "shared": shared}[sys.argv[2]]()))
