r"""A story as plain text, for terminals: a line a sentence, headings as lines of their own.

No name and no text of a record can move the cursor, forge a line or hide one: what is not seen is
written as \uXXXX.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Line = Mapping[str, Any]  # of the story: answers.StoryLine, or what a server sent as one
_HIGHEST_SHORT_ESCAPE = 0xFFFF
_VERSION_WIDTH = 5

# Marks, letters and signs that count as printable and are not seen: joiners, fillers, selectors of
# variants.
_UNSEEN = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def visible(text: str) -> str:
    r"""Return a text in one line, with characters that are not seen as \uXXXX."""
    return "".join(map(_escaped, text))


def text_lines(story: Iterable[Line]) -> Iterator[str]:
    """Yield the lines of a story as people read them, without line ends.

    A sentence stands behind the version of its commit, once for all sentences of the commit; the
    rules that decided follow in brackets. What was taken back since (M17) says so.
    """
    is_first = True
    for commit in story:
        version = str(commit["version"])
        mark = "(taken back) " if commit.get("taken_back") else ""
        for sentence in commit["sentences"]:
            heading = sentence.get("heading")
            if heading is not None:
                if not is_first:
                    yield ""
                yield visible(heading["title"])
                yield ""

            yield f"{version:>{_VERSION_WIDTH}}  {mark}{_with_rules(sentence)}"
            version = ""
            is_first = False


def _with_rules(sentence: Line) -> str:
    text = visible(sentence["text"])
    rules = sentence["rules"]
    return f"{text} [{', '.join(rules)}]" if rules else text


def _escaped(character: str) -> str:
    r"""Return a character as it is, or as \uXXXX if it is not seen."""
    code = ord(character)
    if character.isprintable() and code not in _UNSEEN:
        return character
    if code <= _HIGHEST_SHORT_ESCAPE:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"
