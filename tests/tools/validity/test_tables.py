"""Tests of finding lookup tables that are read before anything initializes them."""

from __future__ import annotations

import pytest

from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.validity.tables import UnreadyTable, unready_tables


def _nodes(text: str) -> list[NodeUse]:
    """Parses lines of `name Op inputs…`; `Op=NAME` has that shared_name; a name `f/n` is in the function f."""
    uses = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, op, *inputs = line.split()
        op, _, shared = op.partition("=")
        function, _, node = name.rpartition("/")
        attrs = {"shared_name": AttrValue("string", shared)} if shared else {}
        uses.append(NodeUse("m", function, node, op, "", attrs, tuple(inputs)))
    return uses


_FIND = "find LookupTableFindV2 t x d\nx Placeholder\nd Const\n"
_INIT = "init InitializeTableV2 t d d\n"
_NEVER = [UnreadyTable("t", "find", ())]
_NOT_YET = [UnreadyTable("t", "find", ("init",))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t HashTableV2\n" + _FIND, _NEVER),
        ("t HashTable\n" + _FIND.replace("V2", ""), _NEVER),
        ("t HashTableV2\n" + _FIND + _INIT, _NOT_YET),
        ("t HashTableV2\n" + _FIND + _INIT.replace("InitializeTable", "LookupTableImport"), _NOT_YET),
        ("t HashTableV2\n" + _FIND.replace("d\nx", "d ^init\nx") + _INIT, []),
        ("t HashTableV2\n" + _FIND.replace("t x", "t x ^a") + _INIT + "a NoOp ^init", []),
        ("t MutableHashTableV2\n" + _FIND, []),  # empty, and ready
        ("t HashTableV2\n" + _INIT, []),  # nothing reads it
        ("t HashTableV2\nsize LookupTableSizeV2 t\n", []),
        ("t HashTableV2\ni Identity t\n" + _FIND.replace("t x", "i x"), _NEVER),
        ("t HashTableV2\nother HashTableV2\n" + _FIND + _INIT.replace(" t ", " other "), _NEVER),
        ("t HashTableV2=a\nother HashTableV2=a\n" + _FIND + _INIT.replace(" t ", " other "), _NOT_YET),
        ("t HashTableV2=a\nother HashTableV2=b\n" + _FIND + _INIT.replace(" t ", " other "), _NEVER),
        ("t HashTableV2\n" + _FIND + "f/i InitializeTableV2 h k v", []),  # of any table
        ("t HashTableV2\nh Placeholder\n" + _FIND + _INIT.replace(" t ", " h "), []),
        (_FIND.replace("t x", "h x") + "h Placeholder", []),
        ("i Identity i\n" + _FIND.replace("t x", "i x") + "t HashTableV2", []),
    ],
)  # fmt: skip
def test_unready_tables(text: str, expected: list[UnreadyTable]) -> None:
    assert unready_tables(_nodes(text)) == expected


def test_a_long_chain_takes_little_time() -> None:
    """Each node of the chain is visited once, and not once for each lookup."""
    chain = "t HashTableV2\ni0 Identity t\n" + "".join(
        f"i{i} Identity i{i - 1}\n" for i in range(1, 5_000)
    )
    lookups = "".join(f"find{i} LookupTableFindV2 i4999 c c\n" for i in range(5_000))
    assert unready_tables(_nodes(chain + lookups)) == [UnreadyTable("t", "find0", ())]


def test_many_tables_take_little_time() -> None:
    """The search visits the graph once for each of the first hundred tables."""
    text = "".join(
        f"t{i} HashTableV2\nfind{i} LookupTableFindV2 t{i} c c\ninit{i} InitializeTableV2 t{i} c c\n"
        for i in range(3_000)
    )
    assert len(unready_tables(_nodes(f"{text}c Const"))) == 100
