"""The play of a record: a forger who mends every digest and hash is still found, and the report says where and why."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from domain.games import RULES
from service.ledger import record
from service.ledger.canonical import canonical, digest, parse_object
from service.ledger.commit import StoredCommit, parse_commit
from service.ledger.secrets import put_back
from service.matches import playing
from service.matches.desk import Desk
from service.matches.records import export
from service.verify.audit import verify_record, verify_stored
from tests import toy
from tests.service.verify.conftest import forged, opened, play_on, whole

# In a whole record of one round: 1 opens and deals, 2 and 3 swap, 4 settles, 5 reveals.
OPENED, SWAPPED, SETTLED, REVEALED = 1, 2, 4, 5


def put(*path: str | int, to: Any) -> Callable[[StoredCommit], None]:
    """Return the change that sets a value at a place of an entry."""

    def change(entry: StoredCommit) -> None:
        place: Any = entry
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


def openly(entry: StoredCommit) -> None:
    """Write a secret where all can read it."""
    entry["commit"]["events"][0]["card"] = entry["secrets"]["seat:0"]["0"].pop("card")


def another_card(entry: StoredCommit) -> None:
    card = entry["secrets"]["seat:0"]["0"]
    card["card"] = (card["card"] + 1) % toy.CARDS


def twice(entry: StoredCommit) -> None:
    entry["commit"]["events"].append({"type": "card_kept", "seat": 0})


def other_secret(entry: StoredCommit) -> None:
    for place in ("command", "0"):
        entry["secrets"]["house"][place]["secret"] = "5" * 64


def lie(entry: StoredCommit) -> None:
    for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
        message["secret"] = "6" * 64


FORGERIES = [
    pytest.param(
        OPENED, put("commit", "events", 0, "game", to="chess"), 1, "not_opened", id="M1-other-game"
    ),
    pytest.param(
        OPENED,
        put("commit", "events", 0, "options", "rounds", to=10),
        1,
        "not_opened",
        id="M1-bad-option",
    ),
    pytest.param(
        OPENED,
        put("commit", "events", 0, "options", to={}),
        1,
        "not_opened",
        id="M1-option-missing",
    ),
    pytest.param(
        OPENED, put("commit", "events", 0, "seats", to=[]), 1, "not_opened", id="M1-no-seats"
    ),
    pytest.param(
        OPENED,
        put("commit", "command", "visibility", to="private"),
        1,
        "events_differ",
        id="M1-else-opened",
    ),
    pytest.param(OPENED, put("commit", "events", to=[]), 1, "bad_shape", id="M1-no-events"),
    pytest.param(
        OPENED, put("commit", "actor", to="house"), 1, "actor_wrong", id="M1-not-its-owner"
    ),
    pytest.param(
        OPENED,
        put("commit", "time", to="2031-01-01T00:00:00.000Z"),
        2,
        "time_wrong",
        id="time-runs-back",
    ),
    pytest.param(OPENED, put("commit", "time", to="yesterday"), 1, "time_wrong", id="time-is-none"),
    pytest.param(SWAPPED, put("commit", "match", to="another"), 2, "other_match", id="other-match"),
    pytest.param(
        SWAPPED, put("commit", "version", to=True), 2, "bad_shape", id="version-is-no-number"
    ),
    pytest.param(SWAPPED, put("commit", "more", to=1), 2, "bad_shape", id="field-too-many"),
    pytest.param(SWAPPED, put("commit", "events", to=[3]), 2, "bad_shape", id="event-is-no-object"),
    pytest.param(SWAPPED, put("secrets", "seat:0", to={"0": {}}), 2, "bad_shape", id="no-salt"),
    pytest.param(
        SWAPPED, put("secrets", "seat:0", "7", to={}), 2, "bad_shape", id="secret-of-no-event"
    ),
    pytest.param(
        SWAPPED, put("commit", "command", "type", to="win"), 2, "unreadable", id="no-such-command"
    ),
    pytest.param(
        SWAPPED,
        put("commit", "events", 0, "type", to=[]),
        2,
        "unreadable",
        id="event-type-is-no-string",
    ),
    pytest.param(
        SWAPPED,
        put("commit", "events", 0, "seat", to=1.5),
        2,
        "events_differ",
        id="seat-is-a-fraction",
    ),
    pytest.param(
        SWAPPED, put("commit", "command", "seat", to=1), 2, "not_allowed", id="T2-not-its-turn"
    ),
    pytest.param(
        SWAPPED, put("commit", "actor", to="seat:1"), 2, "actor_wrong", id="M6-not-its-holder"
    ),
    pytest.param(
        SETTLED, put("commit", "actor", to="seat:1"), 4, "actor_wrong", id="M6-not-the-house"
    ),
    pytest.param(
        SWAPPED,
        put("commit", "events", 0, "seat", to=1),
        2,
        "events_differ",
        id="T2-dealt-to-another",
    ),
    pytest.param(SWAPPED, twice, 2, "events_differ", id="T2-one-event-too-many"),
    pytest.param(
        SETTLED,
        put("commit", "events", 0, "heads", to=None),
        4,
        "events_differ",
        id="T3-coin-on-edge",
    ),
    pytest.param(
        SETTLED,
        put("commit", "events", 1, "points", to=[50, 0]),
        4,
        "events_differ",
        id="T3-paid-too-much",
    ),
    pytest.param(
        SETTLED, put("commit", "events", to=[]), 4, "unreadable", id="T3-nothing-happened"
    ),
    pytest.param(
        SETTLED, put("commit", "view", to="0" * 64), 4, "view_differs", id="view-of-something-else"
    ),
    pytest.param(
        REVEALED,
        put("commit", "events", 0, "parts", to={}),
        5,
        "revelation_differs",
        id="M9-nothing",
    ),
    pytest.param(
        REVEALED,
        put("commit", "events", 0, "parts", to=[]),
        5,
        "unreadable",
        id="M9-reveals-a-list",
    ),
    pytest.param(REVEALED, lie, 5, "commitment_broken", id="M10-other-secret-revealed"),
]


@pytest.mark.parametrize(("number", "change", "commit", "code"), FORGERIES)
def test_a_forged_commit_is_found_in_a_mended_chain(
    desk: Desk, number: int, change: Callable[[StoredCommit], None], commit: int, code: str
) -> None:
    """Every hash fits, and yet the report names the first commit that cannot be true and why."""
    wrong = verify_record(forged(whole(desk, 1), number, change)).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (commit, code), wrong.detail


def revealed_anew(
    lines: list[bytes], number: int, change: Callable[[StoredCommit], None]
) -> list[bytes]:
    """Forge a commit's secret parts and let the revelation tell the same lie."""
    changed = forged(lines, number, change)
    part = parse_object(changed[number - 1])["data"]["secrets"]

    def reveal(entry: StoredCommit) -> None:
        for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
            message["parts"][str(number)] = part

    return forged(changed, len(lines), reveal)


@pytest.mark.parametrize(
    ("number", "change", "code"),
    [
        pytest.param(SWAPPED, another_card, "secrets_differ", id="M10-another-card-drawn"),
        pytest.param(SWAPPED, openly, "events_differ", id="M9-secret-laid-open"),
        pytest.param(
            SWAPPED,
            put("secrets", "seat:0", "salt", to="0" * 64),
            "salt_wrong",
            id="M10-salt-made-up",
        ),
        pytest.param(
            SWAPPED,
            put("secrets", "house", to={"salt": ""}),
            "secrets_differ",
            id="M9-part-of-nothing",
        ),
        pytest.param(
            OPENED, other_secret, "commitment_broken", id="M10-not-the-secret-committed-to"
        ),
        pytest.param(
            OPENED,
            put("secrets", "house", "0", "secret", to="x"),
            "commitment_broken",
            id="M10-no-secret",
        ),
    ],
)
def test_a_forged_secret_is_found_though_the_revelation_confirms_it(
    desk: Desk, number: int, change: Callable[[StoredCommit], None], code: str
) -> None:
    """What was drawn follows from the secret that the first commit was bound to; no later lie can change it."""
    wrong = verify_record(revealed_anew(whole(desk, 1), number, change)).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (number, code), wrong.detail


def test_no_detail_tells_a_secret(desk: Desk) -> None:
    """A finding about a match that is still on names no card, no note and no seed."""
    match = opened(desk)
    play_on(desk, match, until=4)
    stored = [parse_commit(data) for data in desk.journal.read(match.loaded.id)]
    another_card(stored[1])
    stored[1]["commit"]["secrets"] = {
        name: digest(part) for name, part in stored[1]["secrets"].items()
    }
    stored[1]["hash"] = digest(stored[1]["commit"])
    wrong = verify_stored([canonical(entry) for entry in stored[:2]]).report.wrong
    assert wrong is not None
    assert wrong.detail == "its secret part for seat:0 is not the one that its command causes"


def test_a_whole_record_is_decided_again_to_the_last_commit(desk: Desk) -> None:
    """Nothing is left unchecked in a whole record, and its outcome is worked out anew."""
    report = verify_record(whole(desk)).report
    assert (report.wrong, report.unchecked, report.redacted, report.ended) == (
        None,
        [],
        False,
        True,
    )
    assert report.folded == report.decided == report.commits == 8
    assert report.status == "finished"
    assert report.outcome is not None


def test_a_revelation_makes_a_redacted_record_whole(desk: Desk) -> None:
    """The last commit holds all secret parts: a record that lost its own is checked by them as a whole one is (M9)."""
    bare = forged(whole(desk), 1, lambda _entry: None)
    for number in range(1, len(bare)):
        bare = [*bare[: number - 1], _without_secrets(bare[number - 1]), *bare[number:]]
    report = verify_record(bare).report
    assert (report.wrong, report.redacted, report.decided, report.unchecked) == (
        None,
        True,
        len(bare),
        [],
    )


def _without_secrets(line: bytes) -> bytes:
    return record.line(record.redact(record.read_line(line)[0], []))


def test_unknown_rules_leave_the_play_unchecked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program without the match's rules checks the chain and says that it cannot play."""
    lines = whole(desk)
    monkeypatch.delitem(RULES, "toy/1")
    report = verify_record(lines).report
    assert report.wrong is None
    assert report.unchecked == ["the play: this program does not know the rules toy/1"]


def test_a_seat_opens_its_own_secrets_and_no_other(desk: Desk) -> None:
    """A seat's record holds its own parts, each with its own salt; another's digests cannot be opened with them."""
    match = opened(desk)
    play_on(desk, match, until=4)
    entries = [
        parse_object(line)["data"] for line in export(desk, match.loaded.id, match.tokens["seat:0"])
    ]
    assert {audience for entry in entries for audience in entry["secrets"]} == {"seat:0"}
    salts = [part["salt"] for entry in entries for part in entry["secrets"].values()]
    assert len(set(salts)) == len(salts) > 1
    assert put_back(entries[1])[0]["why"] == "secret of 0"
    assert "why" not in put_back(entries[2])[0]


def test_a_redacted_record_is_checked_as_far_as_it_goes(desk: Desk) -> None:
    """Where hidden cards are missing the fold stops, and the report says at which commit and why."""
    match = opened(desk)
    play_on(desk, match, until=4)
    for token in (None, match.tokens["seat:1"], match.tokens["owner"]):
        report = verify_record(list(export(desk, match.loaded.id, token))).report
        assert (report.wrong, report.redacted, report.folded) == (None, True, 0)
        assert "commits 1 to 4 are not folded" in report.unchecked[1]


def test_without_hidden_cards_a_redacted_record_is_folded_and_mostly_decided(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If only the match's secret is missing all is folded, and every command that draws nothing is decided again."""
    toy.install(monkeypatch, toy.OPEN_HANDED)
    match = opened(desk, seats=3)
    for seat, kind in enumerate(["keep", "swap", "keep"]):
        playing.move(desk, match.loaded.id, match.tokens[f"seat:{seat}"], {"type": kind})
    report = verify_record(list(export(desk, match.loaded.id, None))).report
    assert (report.wrong, report.folded, report.decided) == (None, 4, 2)
    assert "2 commits draw by a secret that is not revealed yet" in report.unchecked[1]


def test_another_view_version_leaves_the_view_digests_unchecked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """View digests count only for the version of the view that the match was opened with."""
    lines = whole(desk)
    toy.install(monkeypatch, replace(toy.TOY, view_version=2, view=lambda *_: {"all": "new"}))
    report = verify_record(lines).report
    assert report.wrong is None
    assert report.unchecked == ["view digests: they are of view version 1, not 2"]


def test_a_journal_is_verified_with_all_its_secrets_though_unended(desk: Desk) -> None:
    """The keeper of a journal checks a match that is still on to its last commit."""
    match = opened(desk)
    play_on(desk, match, until=4)
    report = verify_stored(desk.journal.read(match.loaded.id)).report
    assert (report.wrong, report.decided, report.status) == (None, 4, "running")


@pytest.mark.parametrize("bad", [b"{", b'{"a": 1}', b'{"a":1}'])
def test_a_journal_of_other_bytes_is_found(bad: bytes) -> None:
    """What is no commit in canonical form is called so."""
    wrong = verify_stored([bad]).report.wrong
    assert wrong is not None
    assert wrong.code in ("not_canonical", "bad_shape")
