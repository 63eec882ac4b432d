"""Tests of reading a process's memory."""

from tfcarve.benchmark import process_status

_STATUS = "Name:\tpython\nVmRSS:\t  900 kB\nRssAnon:\t   512 kB\nRssFile:\t  388 kB\n"


def test_parse_status() -> None:
    assert process_status.parse_status(_STATUS, "RssAnon") == 512 * 1024
    assert process_status.parse_status(_STATUS, "VmHWM") is None


def test_this_process() -> None:
    assert (process_status.status_bytes("VmHWM") or 0) > 1_000_000
    assert process_status.status_bytes("NoSuchField") is None
