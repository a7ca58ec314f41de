"""Names of players: the rule for new names, and names within a text.

A name is visible text in one line and in one Unicode form. Names of earlier releases may break the
rule. `isolated` makes these names safe to show, too.
"""

import re
import unicodedata

LONGEST = 60  # characters
EXPECTED = (
    f"must be a name of 1 to {LONGEST} characters that can be seen: no control, format, private or "
    "unassigned characters"
)

_NON_JOINER, _JOINER = "\u200c", "\u200d"
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks that show nothing (Default_Ignorable_Code_Point), and the blank symbol U+2800.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_SKINS = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_VIRAMA = 9  # a combining class (RFC 5892, A.1 and A.2)

_TURNS = frozenset({"R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "PDF"})
# Isolate controls. In a name they could end the isolate around the name. Other controls have no
# effect beyond that isolate.
_ISOLATES = re.compile("[\u2066-\u2069]")
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
WHOLE_ISOLATE = re.compile("(\u2068[^\u2066-\u2069]*\u2069)")


def normal(name: str) -> str:
    """Return a name in its only form: NFC, single spaces inside, none at the ends."""
    return re.sub(" +", " ", _plain_spaces(unicodedata.normalize("NFC", name))).strip(" ")


def _plain_spaces(name: str) -> str:
    return "".join(" " if unicodedata.category(char) == "Zs" else char for char in name)


def is_name(name: str) -> bool:
    """Return True if a text is an allowed name. The text comes from `normal`."""
    if not 1 <= len(name) <= LONGEST:
        return False
    if not all(_may_stand(name, place) for place in range(len(name))):
        return False
    return any(unicodedata.category(char)[0] in "LNPS" for char in name)


def _may_stand(name: str, place: int) -> bool:
    char = name[place]
    if char in (_JOINER, _NON_JOINER):
        return _may_join(name, place)
    if char in _SELECTORS:
        return place > 0 and unicodedata.category(name[place - 1])[0] in "LNPS"
    return char not in _BLANK and unicodedata.category(char) not in _REFUSED


def _may_join(name: str, place: int) -> bool:
    """Return True for an allowed joiner or non-joiner.

    Both may stand after a virama or between Arabic letters, a joiner also within an emoji. Neither
    may begin or end a name. Letters of related scripts (bidi class AL) and nonspacing marks count
    as Arabic letters.
    """
    before = name[:place].rstrip("".join(_SELECTORS | _SKINS))[-1:]
    after = name[place + 1 : place + 2]
    if not before or not after:
        return False
    if unicodedata.combining(name[place - 1]) == _VIRAMA:
        return True
    if name[place] == _JOINER and _is_symbol(before) and _is_symbol(after):
        return True
    return all(unicodedata.bidirectional(char) in ("AL", "NSM") for char in (before, after))


def _is_symbol(char: str) -> bool:
    return unicodedata.category(char) == "So"


def isolated(name: str) -> str:
    """Return a form of a name that cannot change the direction of the English text around it.

    Only a name with right-to-left letters, Arabic digits, embeddings or overrides gets an isolate.
    """
    bare = _ISOLATES.sub("", name)
    if not any(unicodedata.bidirectional(char) in _TURNS for char in bare):
        return bare
    return f"{_FIRST_STRONG_ISOLATE}{bare}{_POP_ISOLATE}"
