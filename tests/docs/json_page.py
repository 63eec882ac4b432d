"""docs/reference/json.md and docs/reference/schemas/: the JSON documents, from the classes that decode them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from docs.json_documents import Document
from docs.markdown import NOTE, code, table

_INTRODUCTION = """\
Documents are UTF-8 text. A reader checks every value against its declared type and rejects keys that are not declared; the
message names the place of the first error, as in `$.kernels[3].line`. The schemas are JSON Schema 2020-12.
"""


def schema_file(document: Document) -> str:
    """Returns the name of a document's schema in docs/reference/schemas/."""
    return f"{document.name}.schema.json"


def schema(document: Document) -> str:
    """Returns a document's JSON Schema."""
    fields = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": document.name,
        **msgspec.json.schema(document.document_type),
    }
    return json.dumps(fields, indent=1) + "\n"


def markdown(documents: Sequence[Document]) -> str:
    """Returns the page that lists the documents."""
    rows = [
        [code(d.name), d.written_by, d.read_by, f"[schema](schemas/{schema_file(d)})"]
        for d in documents
    ]
    listed = table(["Document", "Written by", "Read by", "Schema"], rows)
    return "\n".join([NOTE, "# JSON documents\n", _INTRODUCTION, listed])
