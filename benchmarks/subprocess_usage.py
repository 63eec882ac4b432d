"""Runs a command and reports its usage, children included.

    python -S subprocess_usage.py DESCRIPTOR COMMAND…

On Linux the peak memory of a child includes that of its parent before exec, so that a large process cannot measure
a small one. This script imports next to nothing. It writes `[wall seconds, CPU seconds, peak memory in bytes]` as JSON
to the file descriptor and exits with the command's status, or 128 plus the number of the signal that killed it.
"""

import json
import os
import sys
import time


def main() -> int:
    """Runs the command in the arguments; returns the exit status."""
    _, descriptor, *command = sys.argv
    start = time.monotonic()
    process = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    wall = time.monotonic() - start
    report = [wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024]
    os.write(int(descriptor), json.dumps(report).encode())
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
