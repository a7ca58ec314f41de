"""The play of a record: a forger who mends every digest and hash is still found.

The report says where and why.
"""

from dataclasses import replace

import pytest

from domain.games import RULES
from service.ledger import record
from service.ledger.canonical import canonical, digest
from service.ledger.commit import StoredCommit, parse_commit
from service.ledger.secrets import put_back
from service.matches import playing
from service.matches.desk import Desk
from service.matches.submitting import Submission
from service.verify.audit import verify_record, verify_stored
from tests import toy
from tests.attacks.forging import entries_of
from tests.service.toy_matches import (
    Change,
    fault,
    forged,
    opened,
    play_on,
    put,
    record_of,
    whole,
)

# In a whole record of one round: 1 opens and deals, 2 and 3 swap, 4 settles, 5 reveals.
OPENED, SWAPPED, SETTLED, REVEALED = 1, 2, 4, 5

NEW_YEAR = "2031-01-01T00:00:00.000Z"
NO_HASH = "0" * 64


# Which commit is forged, the place in it, what is put there, and the code of what is found in that
# commit.
FORGERIES = [
    pytest.param(OPENED, "commit.events.0.game", "chess", "not_opened", id="M1-other-game"),
    pytest.param(OPENED, "commit.events.0.options.rounds", 10, "not_opened", id="M1-bad-option"),
    pytest.param(OPENED, "commit.events.0.options", {}, "not_opened", id="M1-option-missing"),
    pytest.param(OPENED, "commit.events.0.seats", [], "not_opened", id="M1-no-seats"),
    pytest.param(
        OPENED, "commit.command.visibility", "private", "events_differ", id="M1-else-opened"
    ),
    pytest.param(OPENED, "commit.events", [], "bad_shape", id="M1-no-events"),
    pytest.param(OPENED, "commit.actor", "house", "actor_wrong", id="M1-not-its-owner"),
    pytest.param(OPENED, "commit.time", "yesterday", "time_wrong", id="time-is-none"),
    pytest.param(SWAPPED, "commit.match", "another", "other_match", id="other-match"),
    pytest.param(SWAPPED, "commit.version", True, "bad_shape", id="version-is-no-number"),
    pytest.param(SWAPPED, "commit.more", 1, "bad_shape", id="field-too-many"),
    pytest.param(SWAPPED, "commit.events", [3], "bad_shape", id="event-is-no-object"),
    pytest.param(SWAPPED, "secrets.seat:0", {"0": {}}, "bad_shape", id="no-salt"),
    pytest.param(SWAPPED, "secrets.seat:0", [], "bad_shape", id="part-is-no-object"),
    pytest.param(
        SWAPPED,
        "secrets.seat:0",
        {"salt": "", "7": {}},
        "bad_shape",
        id="secret-of-no-event",
    ),
    pytest.param(
        SWAPPED,
        "secrets.seat:0",
        {"salt": "", "1" * 5000: {}},
        "bad_shape",
        id="number-of-an-event-too-long-to-be-read",
    ),
    pytest.param(
        SWAPPED,
        "secrets.seat:0",
        {"salt": "", "1\N{ARABIC-INDIC DIGIT TWO}": {}},
        "bad_shape",
        id="number-of-an-event-in-other-digits",
    ),
    pytest.param(SWAPPED, "commit.command.type", "win", "unreadable", id="no-such-command"),
    pytest.param(SWAPPED, "commit.events.0.type", [], "unreadable", id="event-type-is-no-string"),
    pytest.param(SWAPPED, "commit.events.0.seat", 1.5, "events_differ", id="seat-is-a-fraction"),
    pytest.param(SWAPPED, "commit.command.seat", 1, "not_allowed", id="T2-not-its-turn"),
    pytest.param(SWAPPED, "commit.actor", "seat:1", "actor_wrong", id="M6-not-its-holder"),
    pytest.param(SETTLED, "commit.actor", "seat:1", "actor_wrong", id="M6-not-the-house"),
    pytest.param(SWAPPED, "commit.events.0.seat", 1, "events_differ", id="T2-dealt-to-another"),
    pytest.param(SETTLED, "commit.events.0.heads", None, "events_differ", id="T3-coin-on-edge"),
    pytest.param(
        SETTLED, "commit.events.1.points", [50, 0], "events_differ", id="T3-paid-too-much"
    ),
    pytest.param(SETTLED, "commit.events", [], "unreadable", id="T3-nothing-happened"),
    pytest.param(SETTLED, "commit.view", NO_HASH, "view_differs", id="view-of-something-else"),
    pytest.param(REVEALED, "commit.events.0.parts", {}, "revelation_differs", id="M9-nothing"),
    pytest.param(REVEALED, "commit.events.0.parts", [], "unreadable", id="M9-reveals-a-list"),
]


@pytest.mark.parametrize(("number", "place", "value", "code"), FORGERIES)
def test_a_value_put_in_a_commit_is_found_in_a_mended_chain(
    desk: Desk, number: int, place: str, value: object, code: str
) -> None:
    """Every hash fits, and yet the report names the first commit that cannot be true and why."""
    lines = forged(whole(desk, 1), number, put(place, value))
    assert fault(lines) == (number, code)


def test_a_time_that_runs_back_is_found_in_the_commit_after_it(desk: Desk) -> None:
    """A late time is right in itself: the next commit is the first that cannot be true."""
    lines = forged(whole(desk, 1), OPENED, put("commit.time", NEW_YEAR))
    assert fault(lines) == (SWAPPED, "time_wrong")


def test_an_event_too_many_is_found(desk: Desk) -> None:
    """T2: a seat that swaps its card does not keep it as well."""

    def keep_as_well(stored: StoredCommit) -> None:
        stored["commit"]["events"].append({"type": "card_kept", "seat": 0})

    lines = forged(whole(desk, 1), SWAPPED, keep_as_well)
    assert fault(lines) == (SWAPPED, "events_differ")


def test_another_secret_revealed_is_found(desk: Desk) -> None:
    """M10: the revealed secret is the one that the opening was committed to."""

    def lie(stored: StoredCommit) -> None:
        content = stored["commit"]
        for message in (content["command"], content["events"][0]):
            message["secret"] = "6" * 64

    lines = forged(whole(desk, 1), REVEALED, lie)
    assert fault(lines) == (REVEALED, "commitment_broken")


def lay_open(stored: StoredCommit) -> None:
    """Write a secret where all can read it."""
    part = stored["secrets"]["seat:0"]
    stored["commit"]["events"][0]["card"] = part["0"].pop("card")


def draw_another_card(stored: StoredCommit) -> None:
    """Let the seat have drawn the next card."""
    hidden_fields = stored["secrets"]["seat:0"]["0"]
    hidden_fields["card"] = (hidden_fields["card"] + 1) % toy.CARDS


def seal_another_secret(stored: StoredCommit) -> None:
    """Let the house have sealed another secret than the one it is committed to."""
    for place in ("command", "0"):
        stored["secrets"]["house"][place]["secret"] = "5" * 64


def revealed_anew(lines: list[bytes], number: int, change: Change) -> list[bytes]:
    """Return a record with a commit's secret parts forged, which the revelation confirms."""
    changed = forged(lines, number, change)
    parts = entries_of(changed)[number - 1]["secrets"]

    def reveal(stored: StoredCommit) -> None:
        content = stored["commit"]
        for message in (content["command"], content["events"][0]):
            message["parts"][str(number)] = parts

    return forged(changed, len(lines), reveal)


HIDDEN_FORGERIES = [
    pytest.param(SWAPPED, draw_another_card, "secrets_differ", id="M10-another-card-drawn"),
    pytest.param(SWAPPED, lay_open, "events_differ", id="M9-secret-laid-open"),
    pytest.param(SWAPPED, put("secrets.seat:0.salt", NO_HASH), "salt_wrong", id="M10-salt-made-up"),
    pytest.param(
        SWAPPED, put("secrets.house", {"salt": ""}), "secrets_differ", id="M9-part-of-nothing"
    ),
    pytest.param(
        OPENED, seal_another_secret, "commitment_broken", id="M10-not-the-secret-committed-to"
    ),
    pytest.param(
        OPENED, put("secrets.house.0.secret", "x"), "commitment_broken", id="M10-no-secret"
    ),
]


@pytest.mark.parametrize(("number", "change", "code"), HIDDEN_FORGERIES)
def test_a_forged_secret_is_found_though_the_revelation_confirms_it(
    desk: Desk, number: int, change: Change, code: str
) -> None:
    """What was drawn follows from the secret that the first commit was bound to.

    No later lie can change it.
    """
    lines = revealed_anew(whole(desk, 1), number, change)
    assert fault(lines) == (number, code)


def test_no_detail_tells_a_secret(desk: Desk) -> None:
    """A finding about a match that is still on names no card, no note and no seed."""
    match = opened(desk)
    play_on(desk, match, until=4)
    first, swapped, *_ = map(parse_commit, desk.journal.read(match.loaded.id))
    draw_another_card(swapped)
    swapped["commit"]["secrets"] = {name: digest(part) for name, part in swapped["secrets"].items()}
    swapped["hash"] = digest(swapped["commit"])

    wrong = verify_stored([canonical(first), canonical(swapped)]).report.wrong
    assert wrong is not None
    assert wrong.detail == "its secret part for seat:0 is not the one that its command causes"


def test_a_whole_record_is_decided_again_to_the_last_commit(desk: Desk) -> None:
    """Nothing is left unchecked in a whole record, and its outcome is worked out anew."""
    report = verify_record(whole(desk)).report
    assert report.wrong is None
    assert report.unchecked == []
    assert not report.redacted
    assert report.ended
    assert report.folded == report.decided == report.commits == 8
    assert report.status == "finished"
    assert report.outcome is not None


def test_a_revelation_makes_a_redacted_record_whole(desk: Desk) -> None:
    """The last commit holds all secret parts (M9).

    A record that lost its own is checked by them as a whole one is.
    """
    *entries, revelation = entries_of(whole(desk))
    bare_lines = [record.line(record.redact(stored, [])) for stored in entries]
    bare_lines.append(record.line(revelation))

    report = verify_record(bare_lines).report
    assert report.wrong is None
    assert report.redacted
    assert report.decided == len(bare_lines)
    assert report.unchecked == []


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
    """A seat's record holds its own parts, each with its own salt.

    Another's digests cannot be opened with them.
    """
    match = opened(desk)
    play_on(desk, match, until=4)

    entries = entries_of(record_of(desk, match, match.tokens["seat:0"]))
    assert {audience for stored in entries for audience in stored["secrets"]} == {"seat:0"}

    salts = [part["salt"] for stored in entries for part in stored["secrets"].values()]
    assert len(set(salts)) == len(salts) > 1

    own_command, _ = put_back(entries[1])
    others_command, _ = put_back(entries[2])
    assert own_command["why"] == "secret of 0"
    assert "why" not in others_command


@pytest.mark.parametrize("who", [None, "seat:1", "owner"])
def test_a_redacted_record_is_checked_as_far_as_it_goes(desk: Desk, who: str | None) -> None:
    """Where hidden cards are missing the fold stops.

    The report says at which commit and why.
    """
    match = opened(desk)
    play_on(desk, match, until=4)
    token = None if who is None else match.tokens[who]

    report = verify_record(record_of(desk, match, token)).report
    assert report.wrong is None
    assert report.redacted
    assert report.folded == 0
    assert "commits 1 to 4 are not folded" in report.unchecked[1]


def test_without_hidden_cards_a_redacted_record_is_folded_and_mostly_decided(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If only the match's secret is missing, all is folded.

    Every command that draws nothing is decided again.
    """
    toy.install(monkeypatch, toy.OPEN_HANDED)
    match = opened(desk, seats=3)
    for seat, kind in enumerate(["keep", "swap", "keep"]):
        playing.move(
            desk, Submission(match.loaded.id, match.tokens[f"seat:{seat}"]), {"type": kind}
        )

    report = verify_record(record_of(desk, match)).report
    assert report.wrong is None
    assert (report.folded, report.decided) == (4, 2)
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
    """The holder of a journal checks a match that is still on to its last commit."""
    match = opened(desk)
    play_on(desk, match, until=4)

    report = verify_stored(desk.journal.read(match.loaded.id)).report
    assert report.wrong is None
    assert report.decided == 4
    assert report.status == "running"


@pytest.mark.parametrize("commit_bytes", [b"{", b'{"a": 1}', b'{"a":1}'])
def test_a_journal_of_other_bytes_is_found(commit_bytes: bytes) -> None:
    """What is no commit in canonical form is called so."""
    wrong = verify_stored([commit_bytes]).report.wrong
    assert wrong is not None
    assert wrong.code in ("not_canonical", "bad_shape")
