"""Java sources compiled to a jar, and the functions that its native methods are.

The names are those that `javac -h` writes: the Java Native Interface's rules for them are javac's own.
"""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.package.archive_file import zip_file

# A prototype that javac writes for a native method.
_PROTOTYPE = re.compile(rb"^JNIEXPORT .* JNICALL (Java_\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Classes:
    """A jar and what its native methods are called in a library.

    Attributes:
      jar: the file.
      natives: names of functions, e.g. "Java_org_tensorflow_Graph_allocate".
    """

    jar: bytes
    natives: frozenset[str]


def compiled(
    javac: Path, sources: Sequence[Path], source_path: Sequence[Path], stubs: Path
) -> Classes:
    """Compiles Java sources and, of the source path, the classes that these use.

    Args:
      javac: the compiler, of a JDK.
      sources: the classes that are wanted.
      source_path: folders with further classes, which go into the jar where they are used.
      stubs: folder of Android's classes, which are compiled against and stay out of the jar.

    Raises:
      InvalidInput: javac is missing or refuses a source; its words.
    """
    with tempfile.TemporaryDirectory() as scratch:
        classes, headers, android = (
            Path(scratch, name) for name in ("classes", "headers", "android")
        )
        android.mkdir()
        _run(javac, ["-d", str(android), *map(str, sorted(stubs.rglob("*.java")))])
        outputs = ["-d", str(classes), "-h", str(headers), "-implicit:class"]
        paths = ["-classpath", str(android), "-sourcepath", ":".join(map(str, source_path))]
        _run(javac, [*outputs, *paths, *map(str, sources)])
        files = {
            path.relative_to(classes).as_posix(): path.read_bytes()
            for path in classes.rglob("*.class")
        }
        prototypes = b"\n".join(path.read_bytes() for path in headers.glob("*.h"))
    natives = frozenset(name.decode() for name in _PROTOTYPE.findall(prototypes))
    return Classes(zip_file(files), natives)


def _run(javac: Path, arguments: Sequence[str]) -> None:
    # Android's tools read the classes of Java 8 in every version.
    flags = [
        "-encoding",
        "UTF-8",
        "-source",
        "8",
        "-target",
        "8",
        "-g",
        "-nowarn",
        "-Xlint:none",
        "-proc:none",
    ]
    try:
        done = subprocess.run(
            [str(javac), *flags, *arguments], check=False, text=True, capture_output=True
        )
    except OSError as error:
        raise InvalidInput(
            f"{javac}: cannot be run ({error.strerror}): give the javac of a JDK"
        ) from None
    if done.returncode:
        raise InvalidInput(f"{javac} refused:\n{done.stderr.strip()}")
