"""The advice in messages about models is followed: after a refused command line, the advised one succeeds."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import advised_models
import numpy as np
import pytest
import tensorflow as tf

import tfcarve
from tfcarve import cli, commands
from tfcarve.errors import InvalidInput
from tfcarve.models import read
from tfcarve.prepare import transforms
from tfcarve.prepare.graph import graph_file

pytest_plugins = ["in_process"]
pytestmark = pytest.mark.usefixtures("in_process")

_FREEZE = "freeze graph.pb -o f.pb --outputs y"
_FROZEN = f"{_FREEZE} --checkpoint model.ckpt"
_CALIBRATE = "calibrate conv.pb --as-is --data x.npz -o ranges.json"
_QUANTIZE = "transform conv.pb -o t.pb --transforms 'quantize_nodes(ranges=\"{}.json\")'"
_CORRECT = (
    "transform conv.pb -o t.pb --transforms 'correct_biases(ranges=\"{}.json\", minimum_size=1)'"
)
_SPARSIFY = "transform {}.pb -o t.pb --inputs x --outputs y --transforms 'sparsify_gather{}'"
_TABLE = "freeze table.pb -o f.pb --outputs y --checkpoint table.ckpt"
_LOG = 'freeze_requantization_ranges(min_max_log_file="{}.log")'
_LOGGING = 'insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")'


@dataclass(frozen=True)
class _Row:
    """Advice.

    Attributes:
      refused: the command line that is refused.
      says: a part of the message that has no names of the model.
      followed: the advised command lines, separated by " && ".
      forms: the forms of models in which the command line is refused.
      before: command lines that create files for it.
    """

    refused: str
    says: str
    followed: str
    forms: tuple[str, ...] = advised_models.FORMS
    before: str = ""


_ROWS = (
    _Row("freeze graph.pb -o f.pb", "pass --outputs, and --checkpoint if the graph has variables", _FROZEN),
    _Row("freeze graph.pb -o f.pb --checkpoint model.ckpt", "requires --outputs: a GraphDef does not name", _FROZEN),
    _Row("freeze saved -o f.pb --checkpoint model.ckpt", "already contains its variables: remove --checkpoint", "freeze saved -o f.pb"),
    _Row(f"{_FREEZE} --moving-averages", "--moving-averages requires --checkpoint", f"{_FREEZE} --moving-averages --checkpoint averaged.ckpt"),
    _Row(f"{_FROZEN} --moving-averages", "remove --moving-averages", _FROZEN),
    _Row("freeze saved -o f.pb --signature nothing", "pass one of them with --signature, or pass --outputs", "freeze saved -o f.pb --signature serving_default && freeze saved -o f.pb --outputs y"),
    _Row("freeze model.meta -o f.pb --checkpoint model.ckpt", "pass --outputs", "freeze model.meta -o f.pb --checkpoint model.ckpt --outputs y"),
    _Row("freeze silent -o f.pb", "has no outputs: pass --outputs", "freeze silent -o f.pb --outputs y --inputs x,other"),
    _Row("freeze saved -o f.pb --tags gpu", "pass one of them with --tags", "freeze saved -o f.pb --tags serve"),
    _Row(f"{_FROZEN} --inputs other", "which nothing feeds: add them to --inputs, ", f"{_FROZEN} --inputs other,x"),
    _Row(f"{_FROZEN} --inputs other", "or choose --outputs that do not need them", "freeze graph.pb -o f.pb --checkpoint model.ckpt --inputs other --outputs weights/read"),
    _Row(f"{_FROZEN} --constant other=0 --constant other=0", "is passed twice: pass it once", f"{_FROZEN} --constant other=0"),
    _Row(f"{_FROZEN} --inputs x,other --constant other=0", "is also in --inputs: remove it from one of them", f"{_FROZEN} --inputs x --constant other=0 && {_FROZEN} --inputs x,other"),
    _Row(_FROZEN.replace("--outputs y", "--outputs counted"), "choose --outputs that do not need it, or save the model without the update", _FROZEN),
    _Row(_FROZEN.replace("--outputs y", "--outputs asserted"), "--assertions drop, or ", _FROZEN.replace("--outputs y", "--outputs asserted --assertions drop")),
    _Row("freeze examples.pb -o f.pb --outputs y", "pass them as inputs: --inputs ", "freeze examples.pb -o f.pb --outputs y --inputs IteratorGetNext"),
    _Row(_FROZEN.replace("--outputs y", "--outputs exported"), "can only look up keys: choose --outputs that do not need this node", _FROZEN),
    _Row(f"{_FROZEN} --unroll 2", "the loop has more iterations than --unroll", f"{_FROZEN} --unroll 3", ("functional",)),
    _Row("freeze count.pb -o f.pb --outputs y --unroll 9", "remove --unroll, or make the size that it depends on constant", "freeze count.pb -o f.pb --outputs y", ("functional",)),
    _Row("read saved/saved_model.pb", "is a SavedModel: freeze it first: tfcarve freeze", "freeze saved -o model.pb"),
    _Row("read meta.pbtxt", ": freeze it first: tfcarve freeze", "freeze meta.pbtxt -o model.pb --outputs y --checkpoint model.ckpt"),
    _Row("transform graph.pb -o t.pb --inputs halves,other --outputs y --transforms strip_unused_nodes", "which creates a Placeholder for each output", f"{_FROZEN} --inputs halves,halves:1,other"),
    _Row(_SPARSIFY.format("table", ""), "freeze the model first: tfcarve freeze --checkpoint", f"{_TABLE} && {_SPARSIFY.format('f', '')}", ("no loop", "functional")),
    _Row(_SPARSIFY.format("table", '(input_checkpoint="table.ckpt")'), "variables must be frozen before: tfcarve freeze --checkpoint", f"{_TABLE} && {_SPARSIFY.format('f', '')}"),
    _Row("transform more.pb -o t.pb --inputs x --outputs y,alone --preset mobile", "which --inputs does not list: add it to --inputs", "transform more.pb -o t.pb --inputs x,unused --outputs y,alone --preset mobile"),
    _Row("transform read.pb -o t.pb --preset mobile", "every node is read by another: pass --outputs", "transform read.pb -o t.pb --preset mobile --outputs y", ("no loop",)),
    _Row("transform conv.pb -o t.pb --transforms quantize_nodes --ranges ranges.json", "in a list of transforms write quantize_nodes(ranges=", _QUANTIZE.format("ranges"), before=_CALIBRATE),
    _Row("transform conv.pb -o t.pb --preset mobile --ranges ranges.json", "takes no ranges: --ranges requires --preset", "transform conv.pb -o t.pb --preset int8 --ranges ranges.json", before="calibrate conv.pb --data x.npz -o ranges.json"),
    _Row("transform conv.pb -o t.pb --preset int8 --ranges ranges.json", "was measured on another model: tfcarve calibrate", "calibrate conv.pb --data x.npz -o ranges.json && transform conv.pb -o t.pb --preset int8 --ranges ranges.json", before="transform conv.pb -o q.pb --transforms 'rename_node(old_node_name=conv, new_node_name=c)' && calibrate q.pb --data x.npz -o ranges.json"),
    _Row(_QUANTIZE.format("empty"), "create it with `tfcarve calibrate`", f"{_CALIBRATE} && {_QUANTIZE.format('ranges')}"),
    _Row(_QUANTIZE.format("no_ranges"), "has no range for the tensor", f"{_CALIBRATE} && {_QUANTIZE.format('ranges')}", before=f"{_CALIBRATE} && ranges"),
    _Row(_CORRECT.format("no_means"), "has no means: run `tfcarve calibrate` on this model", f"{_CALIBRATE} && {_CORRECT.format('ranges')}", before=f"{_CALIBRATE} && ranges"),
    _Row(_CORRECT.format("other_node"), "run `tfcarve calibrate` on this model", f"{_CALIBRATE} && {_CORRECT.format('ranges')}", before=f"{_CALIBRATE} && ranges"),
    _Row(_CORRECT.format("other_count"), " channels: run `tfcarve calibrate` on this model", f"{_CALIBRATE} && {_CORRECT.format('ranges')}", before=f"{_CALIBRATE} && ranges"),
    _Row(f"transform q.pb -o t.pb --transforms '{_LOG.format('empty')}'", f"log them with {_LOGGING}", f"transform q.pb -o l.pb --transforms '{_LOGGING}' && log && transform q.pb -o t.pb --transforms '{_LOG.format('run')}'", before="transform conv.pb -o q.pb --transforms quantize_nodes"),
    _Row("transform q.pb -o t.pb --transforms 'freeze_requantization_ranges(ranges=\"no_ranges.json\")'", "run `tfcarve calibrate` on this quantized model", "calibrate q.pb --data x.npz -o ranges.json && transform q.pb -o t.pb --transforms 'freeze_requantization_ranges(ranges=\"ranges.json\")'", before="transform conv.pb -o q.pb --transforms quantize_nodes && calibrate q.pb --data x.npz -o ranges.json && ranges"),
    _Row("compare small.pb more.pb", "pass the inputs of both with --inputs", "compare small.pb more.pb --inputs x --outputs y"),
    _Row("compare small.pb renamed.pb", "have no output in common: pass --outputs", "compare small.pb renamed.pb --outputs middle", ("no loop",)),
    _Row("compare number.pb number.pb", "pass valid inputs with --data", "compare number.pb number.pb --data number.npz"),
    _Row("select small.pb more.pb -o s.json --outputs y", "freeze each with tfcarve freeze", "freeze small.pb -o a.pb --outputs y && freeze more.pb -o b.pb --outputs y"),
)  # fmt: skip
_KERAS = "is a Keras file: freeze it first: tfcarve freeze"
# Advice that no row follows, and why.
_OTHERS = {
    _KERAS: "test_a_keras_file",
    "`tfcarve inspect MODEL` lists them": "test_commands.py of tests/zoo has signatures of all models",
    "cannot be lowered: remove --lower-control-flow": "TensorFlow lowers all loops and conditions that are known",
    "too large for random values: pass --data": "such data has more than 256 MB",
    "list all inputs with --inputs": "a note of commands that succeed",
    "strip_unused_nodes removes it": "a note of commands that succeed",
    "which can't be fed: pass other --inputs": "another message comes first",
    "or calibrate the model --as-is": "it requires a carved library",
    "--lower-control-flow": "an option of the row before",
    "pip install": "//tests/keras3 and //tests/preparing have environments with these packages",
    "--custom-objects": "test_custom_objects of //tests/keras3",
    "--outputs NAMES -o model.pb": "test_checkpoints.py freezes graphs with their checkpoints",
    "it has a checkpoint: pass the graph": "test_checkpoints.py freezes graphs with their checkpoints",
    "for which it must be frozen: --freeze": "test_functions.py",
    "functions for --signature": "test_functions.py",
    "pass {} with --signature": "test_functions.py",
    "replace lookup tables by constants first": "test_tables.py of tests/tools/prepare/compare",
}
# Messages that name a transform or an option and advise nothing.
_FACTS = (
    "expected",
    "is not a node of the graph",
    "only Placeholders get a value",
    "--constant takes NAME=VALUE",
    "names this input too",
    "for --preset int8 and weights8",
    "requires {}",
    "nothing to calibrate",
    "fold_pads {}",
    "merge_duplicate_nodes {}",
    "for example fold_constants",
    "pass either {} or",
    "without its {} nodes",
    "`tfcarve freeze` writes differs",
    "--unroll {}",
)


@pytest.fixture(name="form", scope="module", params=advised_models.FORMS)
def _form(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A form of loops; the current folder has models of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("models"))
        advised_models.write(str(request.param))
        yield str(request.param)


def _log(capfd: pytest.CaptureFixture[str]) -> None:
    """Runs the graph in l.pb, which prints ranges, as a program does, and writes its messages to run.log."""
    capfd.readouterr()
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(Path("l.pb").read_bytes()), name="")
        session.run("y:0", {"x:0": np.load("x.npz")["x"]})
    Path("run.log").write_text(capfd.readouterr().err)


def _run(line: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Runs a command line in this process; returns its exit status and its messages."""
    words = shlex.split(line)
    capfd.readouterr()
    status = 0
    if words == ["log"]:
        _log(capfd)
    elif words == ["ranges"]:
        advised_models.write_ranges()
    elif words[0] == "read":  # as commands do that take only frozen graphs
        try:
            graph_file.read_graph(Path(words[1]))
        except InvalidInput as error:
            return 2, str(error)
    else:
        status = cli.main(words)
    return status, capfd.readouterr().err


@pytest.mark.parametrize("row", [pytest.param(row, id=row.says) for row in _ROWS])
def test_advice(row: _Row, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    if form not in row.forms:
        pytest.skip("the command line is not refused")
    for line in filter(None, row.before.split(" && ")):
        status, messages = _run(line, capfd)
        assert status == 0, messages
    status, messages = _run(row.refused, capfd)
    assert status == 2
    assert row.says in messages
    for line in row.followed.split(" && "):
        status, messages = _run(line, capfd)
        assert status == 0, messages


def test_a_keras_file(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    if form != "no loop":
        pytest.skip("it takes long, and the message does not depend on the model")
    layers = tf.keras.layers
    tf.keras.Sequential([layers.Input((3,)), layers.Dense(2)]).save("m.keras")
    with pytest.raises(InvalidInput, match=_KERAS) as raised:
        read.read(Path("m.keras"))
    line = str(raised.value).partition("tfcarve ")[2]
    status, messages = _run(line, capfd)
    assert status == 0, messages
    assert read.read(Path("model.pb")).nodes


def _texts(tree: ast.AST) -> Iterator[str]:
    """Yields the text literals of a module, without docstrings; {} is a value in an f-string."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            skipped.add(id(body[0].value))
        if isinstance(node, ast.JoinedStr):
            skipped.update(map(id, node.values))
            parts = (v.value if isinstance(v, ast.Constant) else "{}" for v in node.values)
            yield "".join(map(str, parts))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node.value


def _advice() -> Iterator[str]:
    """Yields the messages about models that name a command, an option or a transform."""
    named = "|".join((*(f"tfcarve {name}" for name in commands.NAMES), *transforms.NAMES))
    pattern = re.compile(rf"\b(?:{named})\b|(?<![\w-])--[a-z][a-z-]+")
    folder = Path(tfcarve.__file__).parent
    files = [*(folder / "prepare").rglob("*.py"), *(folder / "models").rglob("*.py")]
    files += [
        folder / "commands" / f"{name}.py" for name in ("select", "transform", "prepare_options")
    ]
    for file in sorted(files):
        for text in _texts(ast.parse(file.read_text())):
            # Without a colon it may be the help of an option.
            is_message = ": " in text or file.parent.name != "commands"
            if is_message and "\n" not in text and len(text.split()) > 2 and pattern.search(text):
                yield text


def test_all_advice_is_followed() -> None:
    known = [*(row.says for row in _ROWS), *_OTHERS, *_FACTS]
    found = list(_advice())
    assert len(found) > len(_ROWS)
    assert [text for text in found if not any(part in text for part in known)] == []
    # The control: each row is about a message that exists.
    assert [part for part in known if not any(part in text for text in found)] == []
