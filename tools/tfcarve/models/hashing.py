"""SHA-256 of model files. Hashing a large file takes as long as the rest of a selection."""

import hashlib
import mmap
import os
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from tfcarve.errors import InvalidInput

# The number of bytes of a file that are mapped and hashed at once: a multiple of the page size.
_WINDOW = 8 << 20
# Seconds after which the main thread must release the interpreter lock, which the hashing thread needs once a window.
_SWITCH_INTERVAL = 0.0005


def sha256(path: Path, stopped: Callable[[], bool] = lambda: False) -> str:
    """Returns the SHA-256 of a file, in hex.

    Args:
      path: the file.
      stopped: checked between windows; once it returns true, the rest of the file is skipped and the result is not the file's hash.

    Raises:
      InvalidInput: the file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            for start in range(0, size, _WINDOW):
                if stopped():
                    break
                length = min(_WINDOW, size - start)
                with mmap.mmap(
                    stream.fileno(), length, access=mmap.ACCESS_READ, offset=start
                ) as window:
                    digest.update(window)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from None
    return digest.hexdigest()


class BackgroundHashes:
    """Hashes files in a background thread, one after the other, while the `with` block runs."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Takes the files to hash; `sha256` raises the error of a file that cannot be read."""
        self._done = {file: threading.Event() for file in files}
        self._results: dict[Path, str | InvalidInput] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        for file, done in self._done.items():
            try:
                self._results[file] = sha256(file, self._stop.is_set)
            except InvalidInput as error:
                self._results[file] = error
            done.set()

    def __enter__(self) -> "BackgroundHashes":
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_INTERVAL)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        sys.setswitchinterval(self._interval)

    def sha256(self, path: Path) -> str:
        """Returns the SHA-256 of any file; waits for the thread if it hashes the file."""
        if path not in self._done:
            return sha256(path)
        self._done[path].wait()
        result = self._results[path]
        if isinstance(result, InvalidInput):
            raise result
        return result
