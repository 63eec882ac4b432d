"""Compiles Java sources to a jar, and lists the C functions of its native methods.

The names are read from the headers that `javac -h` writes, since javac knows the Java Native Interface's rules.
"""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes
from tfcarve.package.zip_file import zip_file

# A native method's prototype in a header that javac wrote.
_PACKAGE = re.compile(rb"^package ([A-Za-z_][\w.]*);", re.MULTILINE)
_PROTOTYPE = re.compile(rb"^JNIEXPORT .* JNICALL (Java_\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Classes:
    """A jar and the functions that implement its native methods in a library.

    Attributes:
      jar: the file.
      natives: names of the functions, e.g. "Java_org_tfcarve_Natives_run".
    """

    jar: bytes
    natives: frozenset[str]


def compiled(javac: Path, sources: Sequence[Path], stubs: Sequence[Path]) -> Classes:
    """Compiles Java sources.

    Args:
      javac: the compiler of a JDK.
      sources: the classes to compile.
      stubs: sources of classes of Android or of other packages, to compile against; the jar does not contain them.

    Raises:
      InvalidInput: javac cannot be run or reports errors, which the message contains.
    """
    with tempfile.TemporaryDirectory() as scratch:
        classes, headers, others = (
            Path(scratch, name) for name in ("classes", "headers", "others")
        )
        others.mkdir()
        if stubs:
            _run(javac, ["-d", str(others), *map(str, stubs)])
        outputs = ["-d", str(classes), "-h", str(headers)]
        # An empty source path: classes of the folder that javac runs in are not for it.
        paths = ["-classpath", str(others), "-sourcepath", ""]
        _run(javac, [*outputs, *paths, *map(str, sources)])
        files = {
            path.relative_to(classes).as_posix(): path.read_bytes()
            for path in classes.rglob("*.class")
        }
        prototypes = b"\n".join(path.read_bytes() for path in headers.glob("*.h"))
    natives = frozenset(name.decode() for name in _PROTOTYPE.findall(prototypes))
    return Classes(zip_file(files), natives)


def sources_jar(sources: Sequence[Path]) -> bytes:
    """Returns a jar of Java sources, in the folders of their packages, which development environments show.

    Raises:
      InvalidInput: a source does not state its package, or two sources are the same class.
    """
    files: dict[str, bytes] = {}
    for path in sources:
        text = read_bytes(path)
        package = _PACKAGE.search(text)
        if not package:
            raise InvalidInput(f"{path}: does not state its package")
        name = f"{package[1].decode().replace('.', '/')}/{path.name}"
        if name in files:
            raise InvalidInput(f"{path}: {name} is there twice")
        files[name] = text
    return zip_file(files)


def _run(javac: Path, arguments: Sequence[str]) -> None:
    # Every version of Android's tools reads class files of Java 8. With its classes, javac finds uses of newer methods.
    flags = [
        "-encoding",
        "UTF-8",
        "--release",
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
            f"{javac}: cannot be run ({error.strerror}): pass the javac of a JDK with --javac"
        ) from None
    if done.returncode:
        raise InvalidInput(f"{javac} failed:\n{done.stderr.strip()}")
