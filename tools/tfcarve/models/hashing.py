"""SHA-256 of model files. For a large one it takes as long as all else that a selection does."""

import hashlib
import mmap
import os
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from tfcarve.errors import InvalidInput

# So much of a file is hashed at once, and mapped for it: a multiple of the page size.
_WINDOW = 8 << 20
# Another thread gives the interpreter's lock away after so many seconds: it is asked for once a window.
_SWITCH = 0.0005


def sha256(path: Path, stopped: Callable[[], bool] = lambda: False) -> str:
    """Returns the SHA-256 of a file, in hex; without what is left of it once it is `stopped`.

    Raises InvalidInput where the file can't be read.
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


class Ahead:
    """Hashes files, one after the other, beside what is done inside of `with`; ends with it."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Takes the files that will be asked for; there may be others, and some that are none."""
        self._done = {file: threading.Event() for file in files}
        self._made: dict[Path, str | InvalidInput] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        for file, done in self._done.items():
            try:
                self._made[file] = sha256(file, self._stop.is_set)
            except InvalidInput as error:
                self._made[file] = error
            done.set()

    def __enter__(self) -> "Ahead":
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
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
        """Returns what sha256 does: at once where the file was among those that were given and its turn is over."""
        if path not in self._done:
            return sha256(path)
        self._done[path].wait()
        made = self._made[path]
        if isinstance(made, InvalidInput):
            raise made
        return made
