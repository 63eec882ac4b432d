"""The JSON documents that tfcarve reads and writes: one row each."""

from __future__ import annotations

from dataclasses import dataclass

from tfcarve.json_codec import Form


@dataclass(frozen=True)
class Document:
    """A kind of JSON document.

    Attributes:
        name: what the documentation and the schema's file name call it.
        form: the class that decodes it.
        written_by: who writes it, as Markdown.
        read_by: who reads it, as Markdown.
    """

    name: str
    form: type[Form]
    written_by: str
    read_by: str


DOCUMENTS: tuple[Document, ...] = ()
