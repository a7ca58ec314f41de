"""The play of a record: a forger who mends every digest and hash is still found.

The report says where and why.
"""

import pytest

from service.ledger.commit import StoredCommit, canonical, digest, parse_commit
from service.matches.context import Context
from service.verify.audit import verify_stored
from tests import toy
from tests.attacks.forging import entries_of, mended
from tests.service.toy_matches import (
    Change,
    fault,
    forged,
    opened,
    play_on,
    put,
    whole,
)

# The commits of a whole record of one round; 3 swaps, too.
OPENED = 1  # and dealt
SWAPPED = 2
SETTLED = 4
REVEALED = 5

NEW_YEAR = "2031-01-01T00:00:00.000Z"
NO_HASH = "0" * 64

# Which commit is forged, the place in it, what is put there, and the code of what is found in that
# commit.
FORGERIES = [
    pytest.param(OPENED, "commit.events.0.game", "chess", "not_opened", id="M1-other-game"),
    pytest.param(OPENED, "commit.events.0.options.rounds", 10, "not_opened", id="M1-bad-option"),
    pytest.param(OPENED, "commit.events.0.options", {}, "not_opened", id="M1-option-missing"),
    pytest.param(OPENED, "commit.events.0.seats", [], "bad_seat", id="M1-no-seats"),
    pytest.param(
        OPENED, "commit.command.visibility", "private", "events_differ", id="M1-else-opened"
    ),
    pytest.param(OPENED, "commit.events", [], "bad_shape", id="M1-no-events"),
    pytest.param(OPENED, "commit.actor", "house", "actor_wrong", id="M1-not-its-owner"),
    pytest.param(OPENED, "commit.time", "yesterday", "time_wrong", id="time-is-none"),
    pytest.param(SWAPPED, "commit.match", "another", "other_match", id="other-match"),
    pytest.param(SWAPPED, "commit.version", True, "not_canonical", id="version-is-no-number"),
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
        "not_canonical",
        id="number-of-an-event-in-other-digits",
    ),
    pytest.param(SWAPPED, "commit.command.type", "win", "unreadable", id="no-such-command"),
    pytest.param(SWAPPED, "commit.events.0.type", [], "unreadable", id="event-type-is-no-string"),
    pytest.param(SWAPPED, "commit.events.0.seat", 1.5, "not_canonical", id="seat-is-a-fraction"),
    pytest.param(SWAPPED, "commit.command.seat", 1, "actor_wrong", id="M6-for-another"),
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
    ctx: Context, number: int, place: str, value: object, code: str
) -> None:
    """Every hash fits, and yet the report names the first commit that cannot be true and why."""
    lines = forged(whole(ctx, 1), number, put(place, value))

    assert fault(lines) == (number, code)


def test_a_time_that_runs_back_is_found_in_the_commit_after_it(ctx: Context) -> None:
    """A late time is right in itself: the next commit is the first that cannot be true."""
    lines = forged(whole(ctx, 1), OPENED, put("commit.time", NEW_YEAR))

    assert fault(lines) == (SWAPPED, "time_wrong")


def test_a_command_out_of_turn_is_found(ctx: Context) -> None:
    """T2: the rules refuse the command of a seat that may not act."""

    def act_out_of_turn(stored: StoredCommit) -> None:
        stored["commit"]["actor"] = "seat:1"
        stored["commit"]["command"]["seat"] = 1

    lines = forged(whole(ctx, 1), SWAPPED, act_out_of_turn)

    assert fault(lines) == (SWAPPED, "not_allowed")


def test_an_event_too_many_is_found(ctx: Context) -> None:
    """T2: a seat that swaps its card does not keep it as well."""

    def keep_as_well(stored: StoredCommit) -> None:
        stored["commit"]["events"].append({"type": "card_kept", "seat": 0})

    lines = forged(whole(ctx, 1), SWAPPED, keep_as_well)

    assert fault(lines) == (SWAPPED, "events_differ")


def test_another_secret_revealed_is_found(ctx: Context) -> None:
    """M10: the revealed secret is the one that the opening was committed to."""

    def lie(stored: StoredCommit) -> None:
        content = stored["commit"]
        for message in (content["command"], content["events"][0]):
            message["secret"] = "6" * 64

    lines = forged(whole(ctx, 1), REVEALED, lie)

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
        SWAPPED, put("secrets.house", {"salt": ""}), "salt_wrong", id="M10-part-without-salt"
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
    ctx: Context, number: int, change: Change, code: str
) -> None:
    """What was drawn follows from the secret that the first commit was bound to.

    No later lie can change it.
    """
    lines = revealed_anew(whole(ctx, 1), number, change)

    assert fault(lines) == (number, code)


def test_a_part_of_nothing_is_found(ctx: Context) -> None:
    """M9: what is hidden for somebody follows from the messages, be its salt right or not."""
    entries = entries_of(whole(ctx, 1))
    entries[SWAPPED - 1]["secrets"]["house"] = {}

    assert fault(mended(entries)) == (SWAPPED, "secrets_differ")


def test_no_detail_tells_a_secret(ctx: Context) -> None:
    """A finding about a match that is still on names no card, no note and no seed."""
    match = opened(ctx)
    play_on(ctx, match, until=4)
    first_bytes, swapped_bytes, *_ = ctx.journal.events.read(match.loaded.id)
    swapped = parse_commit(swapped_bytes)

    draw_another_card(swapped)
    mend(swapped)
    wrong = verify_stored([first_bytes, canonical(swapped)]).report.wrong

    assert wrong is not None
    assert wrong.detail == "its secret part for seat:0 is not the one that its command causes"


def mend(stored: StoredCommit) -> None:
    """Let the digests and the hash of a commit fit what it says."""
    content = stored["commit"]
    content["secrets"] = {name: digest(part) for name, part in stored["secrets"].items()}
    stored["hash"] = digest(content)
