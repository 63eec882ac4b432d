"""Phrases that are not English in technical prose, with the line of each."""

from __future__ import annotations

import re

# Only phrases that have no right use here. The value is what to write instead.
PHRASES = {
    r"what others (?:wrote|made)": "untrusted input",
    r"that others made": "untrusted input",
    r"(?:which|that) (?:it|they) ha(?:s|ve) not\b": '"does not have", "is missing"',
    r"\bhas not(?=[.,;:)]|$)": '"does not have"',
    r"stands? in (?:the )?place of": "replaces",
    r"takes? the place of": "replaces",
    r"\bthere are none\b": '"there are no …"',
    r"\bby way of\b": "through",
    r"\b(?:in|for) want of\b": "without",
    r"\bat the most\b": "at most",
    r"\bonce more\b": "again",
    r"\bneedless\b": "unnecessary",
    r"\baught\b": "anything",
    r"\bof ours\b": "tfcarve's",
    r"\bof our own\b": "tfcarve's",
    r"\bNor (?:is|are|does|do)\b": "a sentence with a subject first",
    r"\bheld against\b": "compared with",
    r"\bwithout a word\b": "silently",
    r"\bbe had where\b": '"is available where"',
    r"\b[Ww]hom (?:this|it) stops\b": "threat model",
    r"\b(?i:an?|each|every|its|the) (?:asks?|told)\b": '"request", "setting"',
}
_FOUND = re.compile("|".join(f"({phrase})" for phrase in PHRASES))


def findings(text: str) -> list[tuple[int, str, str]]:
    """Returns the line, the phrase and what to write instead, for each phrase in a text.

    Phrases are found across line breaks, with the comment signs that start a line left out.
    """
    joined = re.sub(
        r"\n[ \t]*(?:#|//|\*)?[ \t]*", lambda m: "\n" + " " * (len(m.group()) - 1), text
    )
    flat = joined.replace("\n", " ")
    spaced = re.compile(_FOUND.pattern.replace(" ", r"\s+"))
    instead = list(PHRASES.values())
    found = []
    for match in spaced.finditer(flat):
        line = text.count("\n", 0, match.start()) + 1
        phrase = " ".join(match.group().split())
        found.append((line, phrase, instead[(match.lastindex or 1) - 1]))
    return found
