"""What `giornale verify` prints: no text of a record forges a line, moves a cursor or hides."""

import json

import pytest

from service.cli.output import LONGEST, printable
from service.matches.context import Context
from tests.attacks.forging import DIGESTS, entries_of, mended
from tests.service.cli.conftest import Run
from tests.service.cli.shelf import by_rules
from tests.service.toy_matches import whole

pytestmark = pytest.mark.usefixtures("toy_game")

EVIL = "toy/1\nright: match x\x1b[2J\x9b1A\u202e\u200b\u2028\U000e0041\u3164"
HARMLESS = r"toy/1\u000aright: match x\u001b[2J\u009b1A\u202e\u200b\u2028\U000e0041\u3164"


def test_no_text_of_a_record_forges_what_is_printed(run_alone: Run, ctx: Context) -> None:
    """Line ends, escapes and invisible signs of a record are shown by number, also in JSON."""
    content = by_rules(ctx, EVIL)
    printed = run_alone("verify", "-", input=content).stdout
    printed_json = run_alone("verify", "--json", "-", input=content).stdout

    telling_lines = [line for line in printed.splitlines() if "right: match x" in line]
    assert telling_lines != []
    assert all(HARMLESS in line for line in telling_lines)

    assert is_harmless(printed)
    assert is_harmless(printed_json)
    assert json.loads(printed_json)["rules"] == EVIL


def is_harmless(output: str) -> bool:
    """Return whether an output holds nothing but line ends and signs that are seen."""
    seen = [character for character in output if character != "\n"]
    return all(printable(character) == character for character in seen)


def test_no_wrong_record_forges_what_is_printed(run_alone: Run, ctx: Context) -> None:
    """Nor does one that is wrong: what it calls an audience is in the finding."""
    entries = entries_of(whole(ctx))
    entries[1]["secrets"]["x\nright: all\x1b[1A"] = {"salt": ""}
    content = b"".join(mended(entries, [DIGESTS]))
    assert run_alone("verify", "-", input=content).stdout.count("\n") == 1


def test_letters_of_all_languages_are_printed_and_long_lines_cut() -> None:
    """What people write is shown as it is; a line of a million signs is not."""
    for text in ("Firenze, città", "漢字", "שלום", "😀", "a\\b"):
        assert printable(text) == text

    too_long = "x" * (LONGEST + 1)
    assert printable(too_long) == "x" * LONGEST + f"... ({LONGEST + 1} characters)"
