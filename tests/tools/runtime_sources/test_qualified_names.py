"""Tests of qualified names: the same for the symbols of two standard libraries and three platforms."""

from pathlib import Path

import clang
import pytest

from tfcarve.runtime_sources.qualified_names import qualified_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN2io5TableD2Ev", "io::Table::D"),
        ("_ZN2io5TableC1ERKS0_", "io::Table::C"),
        ("_ZNK2io5Table4FindERKNSt7__cxx1112basic_stringIcEE", "io::Table::Find"),
        ("_ZNK2io5Table4FindERKNSt3__112basic_stringIcEE", "io::Table::Find"),
        ("__ZNK2io5Table4FindERKNSt3__112basic_stringIcEE", "io::Table::Find"),
        ("_ZTVN2io5TableE", "io::Table"),
        ("_ZThn16_N2io5TableD1Ev", "io::Table::D"),
        ("_ZTv0_n24_N2io5TableD0Ev", "io::Table::D"),
        ("_ZGVN2io5Table5cacheE", "io::Table::cache"),
        ("_ZN2ioeqERKNS_5TableES2_", "io::eq"),
        ("_ZN2io5TablecvbEv", "io::Table::cv"),
        ("_Z4openPKc", "open"),
        ("_ZN2io6CreateINS_5TableEJEEEPT_DpOT0_", "io::Create"),
        ("_ZN2io6CreateIN3app5TableEJEEEPT_DpOT0_", "io::Create<app::Table>"),
        ("_ZN2io6CreateINSt3__16vectorIcEEEEvv", "io::Create"),
        ("_ZlsRSoRK5Table", "_ZlsRSoRK5Table"),
        ("inflate", "inflate"),
        ("_Z", "_Z"),
        ("_ZN999x", "_ZN999x"),
    ],
)
def test_qualified_name(symbol: str, name: str) -> None:
    assert qualified_name(symbol) == name


_SOURCE = """
namespace std { inline namespace INLINE { template <class T> struct text { T* begin; }; } }
namespace io {
struct Table {
  Table(const std::text<char>&);
  virtual ~Table();
  virtual std::text<char> Find(unsigned long, long long) const;
  template <class T> void Read(T*, std::text<char>);
  static std::text<char> last;
};
Table::Table(const std::text<char>&) {}
Table::~Table() {}
std::text<char> Table::Find(unsigned long, long long) const { return last; }
template <class T> void Table::Read(T*, std::text<char>) {}
template void Table::Read<Table>(Table*, std::text<char>);
std::text<char> Table::last;
bool operator==(const Table&, const std::text<char>&) { return true; }
}
"""


def test_names_are_those_of_all_platforms(tmp_path: Path) -> None:
    found = []
    for target, inline in (
        ("x86_64-linux-gnu", "__cxx11"),
        ("armv7a-linux-androideabi24", "__ndk1"),
        ("arm64-apple-ios13.0", "__1"),
    ):
        compiled = clang.compiled(tmp_path, target, _SOURCE, target, f"-DINLINE={inline}", "-frtti")
        listed = clang.run("llvm-nm", "-P", "-g", "--defined-only", compiled)
        found.append({qualified_name(line.split()[0]) for line in listed.splitlines()})
    assert found[0] == found[1] == found[2]
    members = {f"io::Table::{member}" for member in ("C", "D", "Find", "Read", "last")}
    assert found[0] == {"io::Table", "io::eq", *members}
