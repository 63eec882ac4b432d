"""Memory of this process, from Linux's /proc/self/status."""

import re
from pathlib import Path

_STATUS = Path("/proc/self/status")


def parse_status(status: str, field: str) -> int | None:
    """Returns a field of the text of /proc/PID/status in bytes, None if it does not exist."""
    found = re.search(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def status_bytes(field: str) -> int | None:
    """Returns a field of /proc/self/status in bytes, None if the system does not report it."""
    try:
        return parse_status(_STATUS.read_text(encoding="utf-8"), field)
    except OSError:
        return None
