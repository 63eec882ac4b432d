"""Runs PostgreSQL until standard input ends; a program of its own, for the Python that has the package pgserver.

usage: database.py FOLDER

Prints how to connect to it. Other packages come from third_party/python/remote.txt too.
"""

import sys

import pgserver


def main(folder):
    """Starts it, waits, and stops it."""
    database = pgserver.get_server(folder, cleanup_mode="stop")
    print(database.get_uri(), flush=True)
    sys.stdin.read()
    database.cleanup()


if __name__ == "__main__":
    main(sys.argv[1])
