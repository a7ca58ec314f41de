"""Matches with a clock or take-back (M15-M17): replay needs version and time of each commit."""

from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain.chance import FastChance
from domain.errors import RuleBroken
from domain.games import GAMES
from domain.match.messages import (
    AgreeTakeBack,
    AskTakeBack,
    RefuseTakeBack,
    Resign,
    Return,
    RunOut,
)
from domain.match.terms import taken_back
from domain.seats import HOUSE_ACTOR, seat_actor
from service.base.errors import Invalid
from service.matches import automation, lobby, views
from service.matches.bots import Turn
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.records import export
from service.matches.repository import load, load_snapshot, load_version, write_snapshot
from service.matches.stories import Names, lines
from service.record.commit import StoredCommit, parse_commit
from service.record.replay import Loaded, replay_commits
from service.record.verify.audit import verify_record, verify_stored
from service.store.archive.packing import pack, unpack
from service.store.journal.values import Range, Whole
from service.store.keys.tokens import Caller
from tests import taking_back
from tests.attacks.forging import entries_of, mended
from tests.service.matches.conftest import bots, by, humans, make_move, now
from tests.service.record.verify.node import fault_of, reports_of, with_node
from tests.service.toy_matches import fault, forged, new_context, put
from tests.terms import clock_of, take_back_of
from workers.bots import choose

CLOCK: dict[str, Any] = {"bank_s": 20, "move_s": 3, "level": "greedy"}
COMMITS = 60
# Matches of these games are long enough for take-backs, time-outs and returns.
GAMES_BY_KEY = pytest.mark.parametrize("game", ["calimala", "firenze"])


def opened_in(ctx: Context, game: str, **terms: Any) -> NewMatch:
    """Open a match of humans with a clock and take-backs by consent."""
    terms = {"clock": CLOCK, "take_back": "consent", **terms}
    seats = humans(GAMES[game].seats[0])
    return open_new(ctx, OpenRequest(game, seats, seed="stamps", terms=terms), key="stamps")


def played(ctx: Context, game: str, seed: int = 1) -> NewMatch:
    """Return a match with take-backs, a time that ran out, and a return."""
    opened = opened_in(ctx, game)
    chance = Random(seed)
    while (loaded := load(ctx, opened.loaded.id)).version < COMMITS:
        with suppress(RuleBroken):
            commit(ctx, loaded, chance.choice(acts(loaded, chance)))
    return opened


def acts(loaded: Loaded, chance: Random) -> list[Act]:
    """Return commands to choose from. A move and agreements are in the list four times."""
    match = loaded.match
    actor = match.status.actors[0]
    move = match.game.random_move(match.state, actor, FastChance(loaded.version))
    name = HOUSE_ACTOR if actor < 0 else seat_actor(actor)
    seat = chance.randrange(len(match.seats))

    assert clock_of(match) is not None
    commands: list[Any]
    late = [RunOut(one, clock_of(match).due(one)) for one in clock_of(match).paying]
    to = loaded.version - chance.randint(1, 3)
    commands = [
        AskTakeBack(seat, to),
        RefuseTakeBack(seat),
        Return(seat),
    ]
    # Requests are mostly agreed to.
    if take_back_of(match) is not None and take_back_of(match).ask is not None:
        commands += [AgreeTakeBack(one) for one in range(len(match.seats))] * 4

    others = [Act(seat_actor(command.seat), command) for command in commands]
    return [Act(name, move)] * 4 + others + [Act(HOUSE_ACTOR, command) for command in late]


def stored_in(ctx: Context, opened: NewMatch) -> list[bytes]:
    """Return the commits of a match as the journal holds them."""
    return ctx.journal.events.read(opened.loaded.id, 0, 1_000)


def types_in(commits: list[bytes]) -> set[str]:
    """Return the types of the events in commits."""
    return {event["type"] for one in commits for event in parse_commit(one)["commit"]["events"]}


@pytest.mark.whole
@GAMES_BY_KEY
def test_a_match_folds_alike_in_pieces_of_every_size(game: str) -> None:
    """M15, M17: a replay from each version to each later one gives the same match."""
    ctx = new_context()
    opened = played(ctx, game)
    match = opened.loaded.id
    commits = stored_in(ctx, opened)
    assert types_in(commits) >= {"taken_back", "time_ran_out", "seat_restored", "take_back_agreed"}

    each: list[Loaded | None] = []
    for one in commits:
        each.append(replay_commits(each[-1] if each else None, [one]))
    last = load(ctx, match)
    assert each[-1] == last
    for start in range(len(commits)):
        before = each[start - 1] if start else None
        for end in range(start + 1, len(commits) + 1):
            assert replay_commits(before, commits[start:end]) == each[end - 1]

    for version in taken_back(last.match):
        assert load_version(ctx, match, version) == each[version - 1]


@GAMES_BY_KEY
def test_a_match_with_take_backs_verifies(game: str) -> None:
    """M15-M17: the stored commits verify, and so does the record of the ended match."""
    ctx = new_context()
    opened = played(ctx, game)
    assert verify_stored(stored_in(ctx, opened)).report.wrong is None

    record = ended_record(ctx, opened)
    report = verify_record(record).report
    assert report.wrong is None
    assert report.verdict == "right"
    assert report.decided == report.commits


def ended_record(ctx: Context, opened: NewMatch) -> list[bytes]:
    """Return the record of a match after its abortion and revelation."""
    lobby.abort(ctx, by(opened, "owner"))
    automation.act(ctx, opened.loaded.id)
    return list(export(ctx, opened.loaded.id, None))


@GAMES_BY_KEY
def test_a_match_with_take_backs_is_packed_and_unpacked(game: str) -> None:
    """A match with take-backs is unpacked unchanged."""
    ctx = new_context()
    opened = played(ctx, game)
    ended_record(ctx, opened)
    whole = Whole(stored_in(ctx, opened), {})
    assert unpack(pack(opened.loaded.id, whole)) == whole


@GAMES_BY_KEY
def test_a_snapshot_is_taken_if_nothing_can_be_taken_back(game: str) -> None:
    """M17: the snapshot equals the match. If moves can be taken back there is none."""
    ctx = new_context()
    opened = played(ctx, game)
    match_id = opened.loaded.id
    number = 0

    for version in range(1, COMMITS + 1):
        loaded = load_version(ctx, match_id, version)
        assert take_back_of(loaded.match) is not None
        ctx.journal.metadata.put_snapshot(match_id, b"{}")
        write_snapshot(ctx, loaded)

        snapshot = load_snapshot(ctx, match_id)
        if take_back_of(loaded.match).steps:
            assert snapshot is None
        else:
            assert snapshot == loaded
            number += 1
    assert number > 0


@GAMES_BY_KEY
def test_a_story_is_the_same_from_every_version_on(game: str) -> None:
    """M17: a story from any version on equals the rest of the whole story."""
    ctx = new_context()
    opened = played(ctx, game)
    loaded = load(ctx, opened.loaded.id)
    names = Names({0: "Ada"}, loaded.match)

    whole = list(lines(ctx, loaded, Caller(), names, Range(0, COMMITS, closed=True)))
    assert any("is taken back" in one["text"] for line in whole for one in line["sentences"])
    for after in range(1, COMMITS):
        assert (
            list(lines(ctx, loaded, Caller(), names, Range(after, COMMITS, closed=True)))
            == whole[after:]
        )


# ---- forged --------------------------------------------------------------------------------------


@GAMES_BY_KEY
def test_a_take_back_without_consent_is_found_at_every_position(game: str) -> None:
    """M17: such a take-back is found even if all hashes and secret parts are right."""
    ctx = new_context()
    opened = opened_in(ctx, game)
    while load(ctx, opened.loaded.id).version < 12:
        loaded = load(ctx, opened.loaded.id)
        commit(ctx, loaded, acts(loaded, Random(0))[0])
    record = ended_record(ctx, opened)
    assert fault(record) is None

    for number in range(2, 13):
        entries = entries_of(record)
        take_back_alone(entries[number - 1], number - 1)
        assert fault(mended(entries)) == (number, "not_allowed")


def take_back_alone(stored: StoredCommit, to: int) -> None:
    """Replace a commit by a seat's agreement without a request."""
    content = stored["commit"]
    content["actor"] = "seat:1"
    content["command"] = {"type": "agree_take_back", "seat": 1}
    content["events"] = [
        {"type": "take_back_agreed", "seat": 1},
        {"type": "taken_back", "to": to},
    ]
    stored["secrets"] = {}


def agreed_record() -> tuple[list[bytes], int]:
    """Return a record with the consent of one of two others, and the number of that commit."""
    ctx = new_context()
    opened = opened_in(ctx, "calimala")
    version = opened.loaded.version
    for _ in range(2):
        loaded = load(ctx, opened.loaded.id)
        commit(ctx, loaded, acts(loaded, Random(0))[0])
    for command in (AskTakeBack(0, version), AgreeTakeBack(1)):
        loaded = load(ctx, opened.loaded.id)
        commit(ctx, loaded, Act(seat_actor(command.seat), command))
    return ended_record(ctx, opened), loaded.version + 1


def taken_back_too(stored: StoredCommit) -> None:
    """Let a commit that asks or agrees take the moves back as well."""
    stored["commit"]["events"].append({"type": "taken_back", "to": 1})


@pytest.mark.parametrize("commits_before", [0, 1], ids=["M17-agreed", "M17-asked"])
def test_a_take_back_before_all_have_agreed_is_found(commits_before: int) -> None:
    """M17: the take-back is found if only one of two others has agreed, or nobody."""
    record, number = agreed_record()
    assert fault(record) is None
    number -= commits_before
    assert fault(forged(record, number, taken_back_too)) == (number, "events_differ")


def another_seat(stored: StoredCommit) -> None:
    """Make the other seat of two the actor."""
    seat = stored["commit"]["command"]["seat"]
    stored["commit"]["actor"] = seat_actor(1 - seat)


def both_seats_changed(stored: StoredCommit) -> None:
    """Let the other seat of two come back, although it was never away."""
    content = stored["commit"]
    another_seat(stored)
    for message in (content["command"], content["events"][0]):
        message["seat"] = 1 - message["seat"]


def spoken_record() -> tuple[list[bytes], dict[str, int]]:
    """Return a record with an expiry, a return and a resignation.

    Return the numbers of their commits, too.
    """
    ctx = new_context()
    opened = opened_in(ctx, "firenze")
    while not _try_to_run_out(ctx, opened):
        pass
    loaded = load(ctx, opened.loaded.id)
    numbers = {"ran-out": loaded.version}
    (seat,) = loaded.match.away

    for what, command in (("returned", Return(seat)), ("resigned", Resign(1 - seat, "greedy"))):
        loaded = load(ctx, opened.loaded.id)
        commit(ctx, loaded, Act(seat_actor(command.seat), command))
        numbers[what] = loaded.version + 1
    return ended_record(ctx, opened), numbers


def _try_to_run_out(ctx: Context, opened: NewMatch) -> bool:
    loaded = load(ctx, opened.loaded.id)
    assert clock_of(loaded.match) is not None
    seat = clock_of(loaded.match).paying[0]
    try:
        commit(ctx, loaded, Act(HOUSE_ACTOR, RunOut(seat, clock_of(loaded.match).due(seat))))
    except RuleBroken:
        return False
    return True


def earlier(stored: StoredCommit) -> None:
    """Give a commit a time before the seat's time runs out."""
    stored["commit"]["time"] = BEGIN


def due_earlier(stored: StoredCommit) -> None:
    """Let the time have run out a millisecond before."""
    content = stored["commit"]
    for message in (content["command"], content["events"][0]):
        message["due"] -= 1


def by_the_seat(stored: StoredCommit) -> None:
    """Make the seat itself the actor of its expiry."""
    stored["commit"]["actor"] = f"seat:{stored['commit']['command']['seat']}"


def of_another_level(stored: StoredCommit) -> None:
    """Let a bot of another level stand in."""
    stored["commit"]["events"][1]["level"] = "random"


BEGIN = "2023-11-14T22:13:21.000Z"  # after the opening, and before the time runs out


# ---- opened --------------------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, Any], list[str]]] = {
    "M15-bank": ({"clock": CLOCK | {"bank_s": 4}}, ["/clock/bank_s"]),
    "M15-missing": ({"clock": {}}, ["/clock/bank_s", "/clock/move_s", "/clock/level"]),
    "M17-option": ({"take_back": "always"}, ["/take_back"]),
}


@pytest.mark.parametrize(("terms", "places"), BAD.values(), ids=BAD)
def test_bad_terms_are_refused_by_member(terms: dict[str, Any], places: list[str]) -> None:
    """Bad terms are refused by their members, even without the schemas of the contract."""
    with pytest.raises(Invalid) as refused:
        opened_in(new_context(), "firenze", **terms)
    assert [place.pointer for place in refused.value.places] == places


def test_the_result_names_the_seats_that_bots_played() -> None:
    """M16: the outcome of the match names the seats of bots."""
    ctx = new_context()
    opened = opened_in(ctx, "firenze")
    for seat in (0, 1):
        loaded = load(ctx, opened.loaded.id)
        commit(ctx, loaded, Act(seat_actor(seat), Resign(seat, "greedy")))
    while (loaded := load(ctx, opened.loaded.id)).status.name == "running":
        match = loaded.match
        actor = match.status.actors[0]
        move = match.game.random_move(match.state, actor, FastChance(loaded.version))
        commit(ctx, loaded, Act(HOUSE_ACTOR if actor < 0 else seat_actor(actor), move))

    end = views.document(loaded, {})["outcome"]
    assert end is not None
    assert end["stood_in_for"] == [0, 1]


FORGED = {
    "M15-too-early": ("ran-out", earlier, "not_allowed"),
    "M15-another-due": ("ran-out", due_earlier, "not_allowed"),
    "M15-by-the-seat": ("ran-out", by_the_seat, "actor_wrong"),
    "M15-another-level": ("ran-out", of_another_level, "events_differ"),
    "M15-by-another-seat": ("returned", another_seat, "actor_wrong"),
    "M15-of-another-seat": ("returned", both_seats_changed, "not_allowed"),
    "M15-by-the-owner": ("returned", put("commit.actor", "owner"), "actor_wrong"),
    "M16-by-the-owner": ("resigned", put("commit.actor", "owner"), "actor_wrong"),
    "M16-odd-level": ("resigned", put("commit.command.level", "<b>"), "bad_seat"),
}


@pytest.mark.parametrize(("what", "change", "code"), FORGED.values(), ids=FORGED)
def test_commands_that_nobody_gave_are_found(what: str, change: Any, code: str) -> None:
    """M15: an expiry must fit the times of the commits, and be the house's.

    M15, M16: a return and a resignation must be the seat's own.
    """
    record, numbers = spoken_record()
    assert fault(record) is None
    assert fault(forged(record, numbers[what], change)) == (numbers[what], code)


@with_node
def test_the_page_judges_such_records_as_the_service_does(tmp_path: Path) -> None:
    """M15-M17: the actors of an expiry and of a seat's change are checked without the game."""
    record, numbers = spoken_record()
    ctx = new_context()
    contents = [record, ended_record(ctx, played(ctx, "firenze"))]
    for name in ("M15-by-the-seat", "M15-by-another-seat", "M16-by-the-owner", "M16-odd-level"):
        what, change, _code = FORGED[name]
        contents.append(forged(record, numbers[what], change))

    reports = reports_of(tmp_path, [b"".join(content) for content in contents])

    assert [fault_of(report) for report in reports] == [fault(content) for content in contents]
    assert [report["notes"] for report in reports] == [
        verify_record(content).report.notes for content in contents
    ]


# ---- bots ----------------------------------------------------------------------------------------


def test_a_bot_that_thinks_of_a_move_taken_back_does_no_harm(ctx: Context) -> None:
    """M17: a bot's move for a version before the take-back is not made.

    The match waits for the human.
    """
    seats = [*humans(1), *bots(2)]
    wish = OpenRequest("calimala", seats, seed="take back", terms={"take_back": "consent"})
    opened = open_new(ctx, wish)
    match = opened.loaded.id
    while (before := now(ctx, opened)).status.seats != (0,):
        play_first(ctx, opened, before)
    make_moves_of_a_turn(ctx, opened)
    thought_for: list[int] = []

    def interrupted(turn: Turn) -> Any:
        version = now(ctx, opened).version
        thought_for.append(version)
        if len(thought_for) == 1:
            taking_back.ask(ctx, by(opened, "seat:0"), before.version)
        return choose(turn)

    automation.play_bots(ctx, match, interrupted)

    after = now(ctx, opened)
    assert after.match.state == before.match.state
    assert after.status.seats == (0,)
    assert len(thought_for) == 1

    make_moves_of_a_turn(ctx, opened)
    automation.play_bots(ctx, match, choose)
    assert now(ctx, opened).version > after.version + 1
    assert verify_stored(ctx.journal.events.read(match)).report.wrong is None


def play_first(ctx: Context, opened: NewMatch, loaded: Loaded) -> None:
    """Let the bots act, or the human if the match waits for it."""
    if loaded.status.worker == "bots":
        automation.play_bots(ctx, opened.loaded.id, choose)
    else:
        make_move(ctx, opened, 0)


def make_moves_of_a_turn(ctx: Context, opened: NewMatch) -> None:
    """Make the human's moves until the match waits for bots."""
    while now(ctx, opened).status.seats == (0,):
        make_move(ctx, opened, 0)
