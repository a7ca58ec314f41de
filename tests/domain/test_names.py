"""Names of players: legal ones, in one form, and isolated in a text."""

import unicodedata

import pytest

from domain.names import LONGEST, is_name, isolated, normal

NAMES = {
    "latin": "Ada Lovelace",
    "one-letter": "Ж",
    "digits": "4711",
    "symbols": "★ o_O ★",
    "combined": "e\u0301 Zoe\u0308",
    "arabic": "ليلى",
    "hebrew": "רבקה",
    "persian-non-joiner": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "devanagari-joiner": "क्\u200dष",
    "family": "👩\u200d👩\u200d👧",
    "skin": "👩🏽\u200d🚀",
    "heart": "❤\ufe0f\u200d🔥",
    "flag": "🇮🇹",
    "longest": "x" * LONGEST,
}

NO_NAMES = {
    "empty": "",
    "spaces": "   ",
    "ideographic-space": "\u3000",
    "zero-width-spaces": "\u200b" * 15,
    "hidden-space": "A\u200bda",
    "joiner-alone": "\u200d",
    "joiner-in-latin": "A\u200dda",
    "joiner-at-the-end": "👩\u200d",
    "non-joiner-in-emoji": "👩\u200c👩",
    "override": "\u202eadA",
    "isolate": "Ada\u2069",
    "mark": "Ada\u200f",
    "byte-order-mark": "\ufeffAda",
    "soft-hyphen": "A\u00adda",
    "tag": "Ada\U000e0041",
    "private": "Ada\ue000",
    "unassigned": "Ada\u0378",
    "no-character": "Ada\uffff",
    "line-feed": "Ada\n",
    "line-separator": "A\u2028da",
    "nul": "A\x00",
    "hangul-filler": "\u3164",
    "braille-blank": "\u2800\u2800",
    "mark-alone": "\u0301",
    "selector-alone": "\ufe0f",
    "too-long": "x" * (LONGEST + 1),
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_visible_text_is_a_name(name: str) -> None:
    """Visible text of any script is a name, with joiners in their legal places."""
    assert is_name(normal(name))


@pytest.mark.parametrize("name", NO_NAMES.values(), ids=NO_NAMES)
def test_invisible_text_is_no_name(name: str) -> None:
    """Text that is invisible, even in part, is no name."""
    assert not is_name(normal(name))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (" Ada  Lovelace ", "Ada Lovelace"),
        ("Ada\u00a0\u3000Lovelace", "Ada Lovelace"),
        ("e\u0301", "é"),
        ("Å", "Å"),
    ],
)
def test_a_name_has_one_form(text: str, form: str) -> None:
    """A name is in NFC, with single spaces."""
    assert normal(text) == form == normal(form)
    assert unicodedata.is_normalized("NFC", form)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ada", "Ada"),
        ("★ 7", "★ 7"),
        ("רבקה", "\u2068רבקה\u2069"),
        ("Ada ليلى", "\u2068Ada ليلى\u2069"),
        ("\u202eadA", "\u2068\u202eadA\u2069"),
        ("Ada\u2069\u202eב", "\u2068Ada\u202eב\u2069"),
    ],
)
def test_a_name_does_not_turn_a_text(name: str, expected: str) -> None:
    """No name turns the text around it, not even one that only an earlier release took."""
    assert isolated(name) == expected
