"""Tests of the pull request comment."""

from msgspec.structs import replace
from size_reports import report

from tfcarve.size.comment import comment
from tfcarve.size.report import Kernel


def test_table_and_causes() -> None:
    text = comment({"linux_arm64": report()}, {"linux_arm64": report(double=600)})
    lines = text.splitlines()
    assert lines[2] == "| platform | stripped | change | download (gzip) | change |"
    assert lines[4] == r"| linux\_arm64 | 6,600 | +600 (+10.00%) | 2,200 | +200 (+10.00%) |"
    cause = r"| class added | ReluOp\<CPUDevice, double\> \(kernels/relu\_op.cc\) | +600 | b.pb |"
    assert cause in lines


def test_new_and_removed_platforms_and_no_change() -> None:
    arm, intel = report(), report(platform="linux_x86_64")
    text = comment({"linux_arm64": arm}, {"linux_arm64": arm, "linux_x86_64": intel})
    assert r"| linux\_x86\_64 | 6,000 | new | 2,000 | new |" in text
    assert r"linux\_arm64: nothing changed." in text
    assert r"| linux\_arm64 | removed |" in comment({"linux_arm64": arm}, {"linux_x86_64": intel})


def test_names_stay_text() -> None:
    """Model names are untrusted."""
    new = report(double=600)
    evil = "x|</details><script>\n# [a](b) `c` @team"
    kernels = tuple(Kernel(k.file, k.clazz, k.ops, (evil,)) for k in new.kernels)
    text = comment({"linux_arm64": report()}, {"linux_arm64": replace(new, kernels=kernels)})
    assert "<script>" not in text.replace(r"\<script\>", "")
    assert text.count("</details>") == 1
    row = next(line for line in text.splitlines() if line.startswith("| class"))
    assert row.replace(r"\|", "").count("|") == 5
    assert r"\@team" in row
