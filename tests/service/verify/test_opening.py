"""What a record may say of its match and seats: whoever made it up cannot bring a server to hold what none has made."""

from collections.abc import Callable
from typing import Any

import pytest

from service.errors import BadRecord
from service.ledger.commit import StoredCommit
from service.matches import lobby
from service.matches.desk import Desk
from service.matches.opening import Wish, open_new
from service.matches.records import export, import_record
from service.verify.audit import verify_record
from tests.service.toy_matches import Change, forged, new_desk, play_on, whole

JOINED, REPLACED = 2, 3


def renamed(match: str) -> Callable[[list[bytes]], list[bytes]]:
    """Return the forger who gives every commit another match's id."""

    def rename(lines: list[bytes]) -> list[bytes]:
        for number in range(1, len(lines) + 1):
            lines = forged(lines, number, lambda entry: entry["commit"].update({"match": match}))
        return lines

    return rename


@pytest.mark.parametrize(
    "match",
    ["", "a b", "x:head", "{p01}", "../keys", "A" * 26, "a" * 27, "a" * 26 + "\n", "é" * 26],
    ids=["none", "space", "colon", "tag", "path", "capitals", "long", "line", "letters"],
)
def test_an_id_that_no_match_has_is_found(desk: Desk, match: str) -> None:
    """An id becomes part of keys and paths: what is none never comes so far."""
    wrong = verify_record(renamed(match)(whole(desk, 1))).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (1, "bad_shape")


@pytest.mark.parametrize(
    "time",
    [
        "2031-02-30T00:00:00.000Z", "2031-13-01T00:00:00.000Z", "2031-01-01T24:00:00.000Z", "0001-01-01T00:00:00.000Z",
        "٢٠٣١-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z\n",
    ],
    ids=["30-february", "month-13", "hour-24", "year-1", "other-digits", "line"],
)  # fmt: skip
def test_a_moment_that_never_was_is_found(desk: Desk, time: str) -> None:
    """A time is compared as text and read as a moment: it must be both."""
    lines = whole(desk, 1)
    wrong = verify_record(
        forged(lines, len(lines), lambda entry: entry["commit"].update({"time": time}))
    ).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (len(lines), "time_wrong")


def opening(**fields: str) -> Change:
    """Return the change of what the opening says, in command and event alike."""

    def change(entry: StoredCommit) -> None:
        for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
            (message if "visibility" in fields else message["seats"][0]).update(fields)

    return change


OPENINGS = [
    pytest.param({"visibility": "a|b"}, "not_opened", id="M1-visibility"),
    pytest.param({"kind": "dog"}, "bad_seat", id="M1-kind"),
    pytest.param({"level": "greedy"}, "bad_seat", id="M1-human-of-a-level"),
    pytest.param({"kind": "bot", "level": "<b>"}, "bad_seat", id="M1-level"),
    pytest.param({"kind": "bot", "entropy": "00"}, "bad_seat", id="M10-bot-with-entropy"),
    pytest.param({"name": "Ginevra"}, "bad_seat", id="M1-name-in-clear"),
    pytest.param({"entropy": "0"}, "bad_seat", id="M10-half-a-byte"),
    pytest.param({"entropy": "00|"}, "bad_seat", id="M10-a-seed's-separator"),
    pytest.param({"entropy": "00" * 33}, "bad_seat", id="M10-too-much"),
]


@pytest.mark.parametrize(("fields", "code"), OPENINGS)
def test_an_opening_that_no_server_makes_is_found(
    desk: Desk, fields: dict[str, str], code: str
) -> None:
    """Seats are held as they can be, and a name never stands in the chain."""
    wrong = verify_record(forged(whole(desk, 1), 1, opening(**fields))).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (1, code)


def gathered(desk: Desk) -> list[bytes]:
    """Return the whole record of a match in which a human joined (2) and was replaced by a bot (3)."""
    match = open_new(
        desk, Wish("toy", [{"kind": "open"}, {"kind": "bot", "level": "random"}], seed="toy")
    )
    name, owner = match.loaded.id, match.tokens["owner"]
    lobby.join(desk, name, None, 0, {"name": "Ginevra", "entropy": "00ff"}, expected=None, key="")
    lobby.replace(desk, name, owner, 0, "random", expected=None, key="")
    lobby.start(desk, name, owner, expected=None, key="")
    play_on(desk, match)
    return list(export(desk, name, None))


@pytest.mark.parametrize(
    ("number", "fields", "code"),
    [
        pytest.param(JOINED, {"name": "Ginevra"}, "bad_seat", id="M2-name-in-clear"),
        pytest.param(JOINED, {"entropy": "xyz"}, "bad_seat", id="M10-no-hex"),
        pytest.param(JOINED, {"actor": "house"}, "actor_wrong", id="M2-the-house-joins"),
        pytest.param(JOINED, {"actor": "seat:16"}, "actor_wrong", id="M2-a-seat-that-none-has"),
        pytest.param(REPLACED, {"level": "<b>"}, "bad_seat", id="M8-level"),
    ],
)
def test_who_comes_later_is_checked_the_same(
    desk: Desk, number: int, fields: dict[str, str], code: str
) -> None:
    """A seat that is joined or handed to a bot is held as one of the opening."""
    lines = gathered(desk)
    assert verify_record(lines).report.wrong is None

    def change(entry: StoredCommit) -> None:
        commit = entry["commit"]
        changed: list[Any] = [commit["command"], commit["events"][0]]
        if "actor" in fields:
            changed = [commit]
        for message in changed:
            message.update(fields)

    wrong = verify_record(forged(lines, number, change)).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (number, code)


def test_bots_of_an_unknown_level_verify_and_are_not_taken_in(desk: Desk) -> None:
    """A newer server may know more bots, which changes no rule; but what this one shows, it must be able to name."""

    def change(entry: StoredCommit) -> None:
        for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
            message["level"] = "oracle"

    lines = forged(gathered(desk), REPLACED, change)
    assert verify_record(lines).report.wrong is None
    with pytest.raises(BadRecord, match="level"):
        import_record(new_desk(), lines)
