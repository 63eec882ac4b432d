"""Runs a command and tells what it took, itself and its children.

    python -S alone.py DESCRIPTOR COMMAND…

Linux counts into a child's peak memory that of the process it was started from: between a large process
and what it measures stands this small one, which imports next to nothing. It writes
`[wall seconds, processor seconds, peak memory in bytes]` as JSON to the file descriptor and ends as the
command did, by 128 and the signal's number where that killed it.
"""

import json
import os
import sys
import time


def main() -> int:
    """Runs the command that the arguments name; returns the exit status."""
    _, descriptor, *command = sys.argv
    start = time.monotonic()
    process = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    wall = time.monotonic() - start
    taken = [wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024]
    os.write(int(descriptor), json.dumps(taken).encode())
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
