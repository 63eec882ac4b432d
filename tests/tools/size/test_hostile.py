"""Tests of reports that were made to take long: a report is untrusted."""

import datetime
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import extent
from tfcarve import cli
from tfcarve.errors import InvalidInput
from tfcarve.size import committed, page
from tfcarve.size.origin import CORE, KERNELS, LINKER, PARTS, Part
from tfcarve.size.report import VERSION, Entry, Kernel, Report, attributed_bytes, parse
from tfcarve.size.treemap import HEIGHT, WIDTH, boxes

_MANY = extent.of(4_000, 16_000)
_LARGEST = 2**63 - 1


def _report(entries: Sequence[Entry], models: Sequence[str] = ("a.pb",)) -> Report:
    classes = {(e.file, e.clazz) for e in entries if e.clazz}
    return Report(
        version=VERSION,
        platform="linux_arm64",
        sizes={"stripped": _LARGEST, "text": 1, "gzip": 1},
        attributed=attributed_bytes(entries),
        models=tuple(models),
        kernels=tuple(Kernel(f, c, ("Relu",), tuple(models)) for f, c in sorted(classes)),
        definitions=(),
        entries=tuple(entries),
    )


def _files(part: Part, count: int, size: int = 1000) -> list[Entry]:
    return [Entry(part, f"{part}/{number}.cc", "", "", size) for number in range(count)]


def _narrow(count: int, share: float) -> Report:
    """A report whose second part has a share of the area, in equal files."""
    size = int(count * 1000 * (1 - share) / share)
    return _report([Entry(CORE, "core", "", "", size), *_files(KERNELS, count)])


_HOSTILE: Mapping[str, Callable[[int], Report]] = {
    "one part, equal": lambda count: _report(_files(CORE, count)),
    "all parts, equal": lambda count: _report(
        [e for part in PARTS for e in _files(part, count // len(PARTS))]
    ),
    "one giant": lambda count: _report([*_files(CORE, count, 1), Entry(CORE, "g", "", "", 10**9)]),
    "the largest numbers": lambda count: _report(
        [*_files(CORE, count, 1), Entry(LINKER, "g", "", "", _LARGEST - count)]
    ),
    "each half of the one before": lambda count: _report(
        [Entry(CORE, f"{n}", "", "", max(2**61 >> n, 1)) for n in range(count)]
    ),
    **{
        f"a part {width} wide": lambda count, width=width: _narrow(count, width / WIDTH)
        for width in (4.3, 4.6)
    },
    # A row of parts as high as this: the largest part is beside them.
    **{
        f"a part {height} high": lambda count, height=height: _report(
            [
                Entry(CORE, "core", "", "", int(count * 1000 * HEIGHT / height)),
                Entry(LINKER, "linker", "", "", int(count * 1000 * (HEIGHT - height) / height)),
                *_files(KERNELS, count),
            ]
        )
        for height in (20.3, 20.6)
    },
    "one file with many models": lambda count: _report(
        [Entry(KERNELS, "k.cc", "", f"s{number}", 1 + number) for number in range(count // 2)]
        + [Entry(KERNELS, "k.cc", "Op", "", 1)],
        [f"{number}.pb" for number in range(count // 2)],
    ),
    "many classes": lambda count: _report(
        [Entry(KERNELS, f"{n % 9}.cc", f"Op{n}", f"s{n}", 1 + n) for n in range(count)]
    ),
}


def _work(function: Callable[[], object]) -> int:
    """Returns how many lines of Python run in a function, also those of iterations."""
    count = 0

    def trace(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def _shown(report: Report) -> object:
    return page.page(report, _report([]), [])


def _updated(report: Report) -> object:
    day = datetime.date(2026, 1, 1)
    written = committed.updated(committed.NONE, [report], day)
    old = committed.parse(written, "sizes.json")
    return committed.updated(old, [report], day), committed.delta_line(old, [report])


@pytest.mark.parametrize("use", [_shown, _updated])
@pytest.mark.parametrize("kind", _HOSTILE)
def test_work_is_in_proportion(kind: str, use: Callable[[Report], object]) -> None:
    few, many = (_HOSTILE[kind](count) for count in (_MANY // 4, _MANY))
    use(few)  # What only the first use does is not in proportion.
    assert _work(lambda: use(many)) <= 4.5 * _work(lambda: use(few)) + 10_000


def test_work_that_is_not_in_proportion_is_found() -> None:
    """The control: the pairs of some values."""

    def pairs(count: int) -> Callable[[], object]:
        return lambda: sum(a < b for a in range(count) for b in range(count))

    assert _work(pairs(400)) > 15 * _work(pairs(100))


@pytest.mark.parametrize("kind", _HOSTILE)
def test_command_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.json").write_bytes(_HOSTILE[kind](_MANY).to_json())
    assert cli.main(["size", "r.json", "--html", "r.html"]) == 0
    assert Path("r.html").read_text().endswith("</html>\n")
    for _ in range(2):
        assert cli.main(["size-check", "r.json", "--committed", "sizes.json", "--update"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Size: linux_arm64 stripped ")
    assert cli.main(["size-check", "r.json", "--committed", "sizes.json"]) == 0


@pytest.mark.parametrize("kind", _HOSTILE)
def test_boxes_of_a_part_are_inside_it(kind: str) -> None:
    found = boxes(_HOSTILE[kind](_MANY))
    parts = {box.part: box for box in found if not box.name}
    assert len(found) <= len(PARTS) * 402
    for box in found:
        part = parts[box.part]
        assert box.x >= part.x - 0.01 and box.y >= part.y - 0.01
        assert box.x + box.width <= part.x + part.width + 0.01
        assert box.y + box.height <= part.y + part.height + 0.01
        assert box.width > 0 and box.height > 0


def test_small_files_share_a_box() -> None:
    files = [Entry(CORE, f"{n}.cc", "", "", 500 if n < 500 else 200) for n in range(1000)]
    found = [box for box in boxes(_report(files)) if box.name]
    assert len(found) == 401
    assert found[0].name == "600 other files"
    assert found[0].bytes == 100 * 500 + 500 * 200
    assert [box.name for box in found[1:]] == sorted(f"{n}.cc" for n in range(500))[:400]
    one = [*files[:400], Entry(CORE, "small.cc", "", "", 300)]
    assert boxes(_report(one))[-1].name == "1 other file"
    assert {b.name for b in boxes(_report(files[:400]))} == {"", *(e.file for e in files[:400])}


def test_sizes_that_cannot_be_seen_have_no_box() -> None:
    found = boxes(_report([Entry(CORE, "a", "", "", 10**6), Entry(KERNELS, "b", "", "", 1)]))
    assert [(box.part, box.name) for box in found] == [(CORE, ""), (CORE, "a")]
    assert boxes(_report([Entry(CORE, "a", "", "", -5)])) == []
    assert boxes(_report([])) == []


def test_sums_have_a_limit() -> None:
    """Otherwise tfcarve could not read the committed file that it wrote."""
    largest = _report([Entry(CORE, "a", "", "", _LARGEST - 1), Entry(CORE, "b", "", "", -1)])
    assert parse(largest.to_json(), "r.json") == largest
    document = json.loads(largest.to_json())
    document["entries"][1]["bytes"] = -2
    document["attributed"] -= 1
    with pytest.raises(InvalidInput, match="r.json: .*entries: more than 9223372036854775807"):
        parse(json.dumps(document).encode(), "r.json")


def test_a_name_with_a_zero_character() -> None:
    """A kernel class is identified by its name and its file, whatever characters the names contain."""
    report = _report(
        [Entry(KERNELS, "f\0g", "A\0B", "s", 1), Entry(KERNELS, "B\0f\0g", "A", "s", 2)]
    )
    assert json.loads(report.to_json())["entries"][0]["class"] == "A\0B"
    assert page.page(parse(report.to_json(), "r.json"), None, [])
