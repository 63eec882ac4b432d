"""nginx as Bazel's remote cache, on this machine, from Debian's package."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bootstrap.apt import PrivateApt
from bootstrap.cache import built_in_place, cache_root, scratch_folder
from remote import server

_SUITE, _PACKAGE, _PROGRAM = "bookworm", "nginx", "usr/sbin/nginx"
# All paths are in the folder of the server. Its `files` has an entry for each action (ac) and each content (cas).
_CONFIGURATION = """\
daemon off;
{user}
pid pid;
error_log error.log;
events {{}}
http {{
  access_log access.log;
  client_body_temp_path body;
  fastcgi_temp_path fastcgi;
  proxy_temp_path proxy;
  scgi_temp_path scgi;
  uwsgi_temp_path uwsgi;
  server {{
    listen 127.0.0.1:{port};
    client_max_body_size {largest};
    location / {{
      root files;
      dav_methods PUT;
      create_full_put_path on;
    }}
  }}
}}
"""


@dataclass(frozen=True)
class CacheServer:
    """A running server.

    Attributes:
      url: for --remote_cache.
      folder: has `files`.
    """

    url: str
    folder: Path

    def contents(self) -> list[Path]:
        """Returns the files of the stored contents."""
        return [file for file in (self.folder / "files" / "cas").rglob("*") if file.is_file()]


def _program() -> Path:
    folder = cache_root() / "nginx"
    with built_in_place(folder) as missing:
        if missing:
            apt = PrivateApt(_SUITE, sources=False)
            apt.refresh()
            with scratch_folder(folder) as scratch:
                apt.download_binaries([_PACKAGE], scratch)
                (package,) = scratch.glob("*.deb")
                subprocess.run(["dpkg", "-x", package, folder], check=True)
    return folder / _PROGRAM


@contextmanager
def running(folder: Path, largest: int = 0) -> Iterator[CacheServer]:
    """Yields a server that stores files in a folder.

    Args:
      folder: exists; may have the files of an earlier server.
      largest: bytes of the largest content that it accepts; 0: no limit.
    """
    port = server.free_port()
    (folder / "files").mkdir(exist_ok=True)
    # The files belong to this user; as root, nginx would use another one.
    user = "user root;" if os.getuid() == 0 else ""
    text = _CONFIGURATION.format(user=user, port=port, largest=largest)
    (folder / "nginx.conf").write_text(text)
    words = [_program(), "-p", folder, "-c", "nginx.conf", "-e", "error.log"]
    with server.running(words, folder / "output.log", port):
        yield CacheServer(f"http://127.0.0.1:{port}", folder)
