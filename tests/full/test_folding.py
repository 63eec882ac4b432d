"""No source that a library links compares addresses of functions, except where a shared address makes no difference.

The linker's `--icf=all` gives functions with the same code the same address. g++ lists the comparisons in the complete runtime
and in the kernels of the overrides.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import pytest

from e2e.builds import app_workspace, override_library
from e2e.graphs import override_graphs

# With full protos, a library has the complete runtime.
_COMPLETE = "//options:full_protos"
# Patterns of functions that compare addresses, and why functions with the same code may be equal there.
_HARMLESS = {
    r"absl::lts_\w+::base_internal::AtomicHook<.*>::DoStore": "a hook with the same code is the same hook",
    r"absl::lts_\w+::Condition::GuaranteedEqual": "conditions are the same if code and arguments are",
    r"nsync::nsync_maybe_merge_conditions_": "conditions are the same if code and arguments are",
    r"nsync::nsync_cv_wait_with_deadline_generic": "the functions that lock nsync's mutex are known by their code",
    r"google::protobuf::SetLogHandler": "a handler that does nothing is the null handler",
    r"tensorflow::checkpoint::TensorSliceReaderCache::GetReader": "functions with the same code open the same file",
    r"deflateParams": "levels of compression are the same if their code is",
}

_COMPARISONS = """
#include <functional>
struct A { void f(); void g(); };
void foo(int);
void bar(int);
typedef void (*Fn)(int);
struct H { Fn fn; void (A::*member)(); };
const Fn table[] = {foo, bar};
bool to_function(Fn p) { return p == foo; }
bool to_another(const H& a, const H& b) { return a.fn == b.fn; }
bool of_members(const H& a) { return a.member == &A::f; }
bool converted(const H& a) { return (void*)a.fn == (void*)&bar; }
bool as_number(const H& a, long x) { return reinterpret_cast<long>(a.fn) == x; }
bool in_order(Fn a, Fn b) { return a < b; }
bool in_table(Fn f) { return table[f != nullptr] != f; }
template <class T> bool same(T a, T b) { return a == b; }
bool by_template(Fn a) { return same<Fn>(a, bar); }
bool of_target(std::function<void(int)>& f) { return f.target<Fn>() != nullptr; }
"""
_FOUND = {
    "as_number", "converted", "in_order", "in_table", "of_members", "same", "std::function<void(int)>::target", "to_another",
    "to_function",
}  # fmt: skip
_OTHERS = """
#include <functional>
#include <vector>
typedef void (*Fn)(int);
struct H { Fn fn; void (H::*member)(); };
bool null(const H& a) { return a.fn != nullptr; }
bool null_member(const H& a) { return a.member != nullptr; }
bool empty(const std::function<void(int)>& f) { return !f; }
void call(const H& a) { if (a.fn) a.fn(3); }
bool data(int* a, int* b) { return a == b; }
void push(std::vector<Fn>& all, Fn one) { for (Fn each : all) each(1); all.push_back(one); }
"""


def _scanning_compiler(folder: Path) -> Path:
    """Writes the compiler, which fills `folder`."""
    compiler = folder / "g++"
    compiler.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {sys.path!r}\n"
        "from e2e.objects import scanning_gcc\n"
        f"sys.exit(scanning_gcc.main({str(folder)!r}, sys.argv[1:]))\n",
        encoding="utf-8",
    )
    compiler.chmod(0o755)
    return compiler


def _found(folder: Path) -> dict[str, set[str]]:
    """Returns the functions with comparisons, and these."""
    found: dict[str, set[str]] = {}
    for file in folder.glob("*.json"):
        for function, comparison in json.loads(file.read_bytes())["comparisons"]:
            found.setdefault(function, set()).add(comparison)
    return found


@pytest.mark.parametrize(("text", "expected"), [(_COMPARISONS, _FOUND), (_OTHERS, set())])
def test_comparisons_are_found(text: str, expected: set[str], tmp_path: Path) -> None:
    source = tmp_path / "source.cc"
    source.write_text(text, encoding="utf-8")
    options = ["-std=c++17", "-O2", "-c", source, "-o", tmp_path / "source.o"]
    subprocess.run([_scanning_compiler(tmp_path), *options], check=True)
    assert (tmp_path / "compiled").read_text(encoding="utf-8") == f"{source}\n"
    assert {name.partition("<void (")[0] for name in _found(tmp_path)} == expected


def test_tensorflow(tmp_path: Path) -> None:
    """Compiles everything: a cached object would not be scanned."""
    compiler = _scanning_compiler(tmp_path)
    flags = [f"--repo_env=CC={compiler}", "--disk_cache="]
    models = tmp_path / "models"
    models.mkdir()
    graphs = {name: case.graph for name, case in override_graphs.cases(models).items()}
    with app_workspace.opened("folding") as workspace:
        override_library.build(workspace, graphs, models, ("unstripped",), flags=flags)
        workspace.build([_COMPLETE], flags)
    compiled = (tmp_path / "compiled").read_text(encoding="utf-8").splitlines()
    # Each source of the runtime twice, because lite and full messages have different headers.
    assert len(compiled) > 1000
    found = _found(tmp_path)
    harmless = {pattern: {n for n in found if re.fullmatch(pattern, n)} for pattern in _HARMLESS}
    others = found.keys() - set[str]().union(*harmless.values())
    assert not others, "\n".join(f"{name}: {sorted(found[name])}" for name in sorted(others))
    assert all(harmless.values()), "a pattern matches no function"
