"""What a record may say of its match and seats.

Who makes one up cannot bring a server to hold what none has made.
"""

import pytest

from service.errors import BadRecord
from service.ledger.commit import StoredCommit
from service.matches import lobby
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.records import import_record
from tests.service.toy_matches import (
    Change,
    fault,
    forged,
    new_context,
    play_on,
    put,
    record_of,
    whole,
)

# Commits of a match in which somebody joins.
JOINED = 2
REPLACED = 3


@pytest.mark.parametrize(
    "match",
    [
        pytest.param("", id="none"),
        pytest.param("a b", id="space"),
        pytest.param("x:head", id="colon"),
        pytest.param("{p01}", id="tag"),
        pytest.param("../keys", id="path"),
        pytest.param("A" * 26, id="capitals"),
        pytest.param("a" * 27, id="long"),
        pytest.param("a" * 26 + "\n", id="line"),
        pytest.param("é" * 26, id="letters"),
    ],
)
def test_an_id_that_no_match_has_is_found(ctx: Context, match: str) -> None:
    """An id becomes part of keys and paths: what is none never comes so far."""
    lines = whole(ctx, 1)
    for number in range(1, len(lines) + 1):
        lines = forged(lines, number, put("commit.match", match))

    assert fault(lines) == (1, "bad_shape")


@pytest.mark.parametrize(
    "time",
    [
        pytest.param("2031-02-30T00:00:00.000Z", id="30-february"),
        pytest.param("2031-13-01T00:00:00.000Z", id="month-13"),
        pytest.param("2031-01-01T24:00:00.000Z", id="hour-24"),
        pytest.param("0001-01-01T00:00:00.000Z", id="year-1"),
        pytest.param("٢٠٣١-01-01T00:00:00.000Z", id="other-digits"),
        pytest.param("2031-01-01T00:00:00.000Z\n", id="line"),
    ],
)
def test_a_moment_that_never_was_is_found(ctx: Context, time: str) -> None:
    """A time is compared as text and read as a moment: it must be both."""
    true_lines = whole(ctx, 1)
    last = len(true_lines)

    lines = forged(true_lines, last, put("commit.time", time))

    assert fault(lines) == (last, "time_wrong")


def opening(place: str, **fields: str | bool) -> Change:
    """Return the change of what the opening says, in command and event alike.

    place: "match", or "seat" for the first seat.
    """

    def change(stored: StoredCommit) -> None:
        content = stored["commit"]
        for message in (content["command"], content["events"][0]):
            changed = message if place == "match" else message["seats"][0]
            changed.update(fields)

    return change


OPENINGS = [
    pytest.param(opening("match", visibility="a|b"), "not_opened", id="M1-visibility"),
    pytest.param(opening("match", advice=False), "not_opened", id="M14-no-advice-told"),
    pytest.param(opening("seat", kind="dog"), "bad_seat", id="M1-kind"),
    pytest.param(opening("seat", level="greedy"), "bad_seat", id="M1-human-of-a-level"),
    pytest.param(opening("seat", kind="bot", level="<b>"), "bad_seat", id="M1-level"),
    pytest.param(opening("seat", kind="bot", entropy="00"), "bad_seat", id="M10-bot-with-entropy"),
    pytest.param(opening("seat", name="Ginevra"), "bad_seat", id="M1-name-in-clear"),
    pytest.param(opening("seat", entropy="0"), "bad_seat", id="M10-half-a-byte"),
    pytest.param(opening("seat", entropy="00|"), "bad_seat", id="M10-a-seed's-separator"),
    pytest.param(opening("seat", entropy="00" * 33), "bad_seat", id="M10-too-much"),
]


@pytest.mark.parametrize(("change", "code"), OPENINGS)
def test_an_opening_that_no_server_makes_is_found(ctx: Context, change: Change, code: str) -> None:
    """Seats are held as they can be, and a name never stands in the chain."""
    lines = forged(whole(ctx, 1), 1, change)

    assert fault(lines) == (1, code)


def gathered(ctx: Context) -> list[bytes]:
    """Return the record of a match in which a human joined (2) and a bot took over (3)."""
    plans = [
        {"kind": "open"},
        {"kind": "bot", "level": "random"},
    ]
    match = open_new(ctx, OpenRequest("toy", plans, seed="toy"))
    match_id = match.loaded.id
    nobody = Submission(match_id, None)
    owner = Submission(match_id, match.tokens["owner"])

    joiner = {"name": "Ginevra", "entropy": "00ff"}
    lobby.join(ctx, nobody, 0, joiner)
    lobby.replace(ctx, owner, 0, "random")
    lobby.start(ctx, owner)
    play_on(ctx, match)
    return record_of(ctx, match)


def message(**fields: str) -> Change:
    """Return the change of what a command and its first event say alike."""

    def change(stored: StoredCommit) -> None:
        content = stored["commit"]
        content["command"].update(fields)
        content["events"][0].update(fields)

    return change


@pytest.mark.parametrize(
    ("number", "change", "code"),
    [
        pytest.param(JOINED, message(name="Ginevra"), "bad_seat", id="M2-name-in-clear"),
        pytest.param(JOINED, message(entropy="xyz"), "bad_seat", id="M10-no-hex"),
        pytest.param(JOINED, put("commit.actor", "house"), "actor_wrong", id="M2-the-house-joins"),
        pytest.param(
            JOINED, put("commit.actor", "seat:16"), "actor_wrong", id="M2-a-seat-that-none-has"
        ),
        pytest.param(REPLACED, message(level="<b>"), "bad_seat", id="M8-level"),
    ],
)
def test_who_comes_later_is_checked_the_same(
    ctx: Context, number: int, change: Change, code: str
) -> None:
    """A seat that is joined or handed to a bot is held as one of the opening."""
    true_lines = gathered(ctx)
    assert fault(true_lines) is None

    lines = forged(true_lines, number, change)

    assert fault(lines) == (number, code)


def test_bots_of_an_unknown_level_verify(ctx: Context) -> None:
    """A newer server may know more bots, which changes no rule."""
    lines = forged(gathered(ctx), REPLACED, message(level="oracle"))

    assert fault(lines) is None


def test_bots_of_an_unknown_level_are_not_taken_in(ctx: Context) -> None:
    """What this server shows, it must be able to name."""
    lines = forged(gathered(ctx), REPLACED, message(level="oracle"))

    with pytest.raises(BadRecord, match="level"):
        import_record(new_context(), lines)
