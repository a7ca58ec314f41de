"""Take-back among bots, and in folds: what was taken back leaves no trace but in the history."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest

from domain.chance import FastChance
from domain.errors import RuleBroken
from domain.games import GAMES
from domain.match.messages import AgreeTakeBack, AskTakeBack, RefuseTakeBack
from domain.seats import HOUSE_ACTOR, seat_actor
from service.ledger.codec import read_events
from service.ledger.commit import parse_commit
from service.ledger.replay import Loaded, apply, events_in, forward, stamp_of
from service.matches import automation, moves
from service.matches.bots import Turn
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.repository import at_version, load
from service.verify.audit import verify_stored
from tests.e2e.playing import LONG_GAMES
from tests.service.matches.conftest import bots, by, humans, make_move, now
from workers.bots import choose

# A short game may have nothing to take back.
GAMES_BY_KEY = pytest.mark.parametrize("game", LONG_GAMES)
COMMITS = 150


def by_consent(ctx: Context, game: str, seats: list[dict[str, str]]) -> Opened:
    """Open a match in which moves are taken back by consent."""
    return open_new(ctx, OpenRequest(game, seats, seed="take back", take_back="consent"))


# ---- bots ----------------------------------------------------------------------------------------


def test_a_bot_that_thinks_of_what_is_taken_back_does_no_harm(ctx: Context) -> None:
    """M17: its move is for a version that is past; it thinks again, and nobody has asked it."""
    opened = by_consent(ctx, "calimala", [*humans(1), *bots(2)])
    match = opened.loaded.id
    while (before := now(ctx, opened)).status.seats != (0,):
        play_first(ctx, opened, before)
    make_moves_of_a_turn(ctx, opened)
    thought_for: list[int] = []

    def interrupted(turn: Turn) -> Any:
        version = now(ctx, opened).version
        thought_for.append(version)
        if len(thought_for) == 1:
            moves.ask_take_back(ctx, by(opened, "seat:0"), before.version)
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


def play_first(ctx: Context, opened: Opened, loaded: Loaded) -> None:
    """Let the bots act, or the human where the match waits for it."""
    if loaded.status.worker == "bots":
        automation.play_bots(ctx, opened.loaded.id, choose)
    else:
        make_move(ctx, opened, 0)


def make_moves_of_a_turn(ctx: Context, opened: Opened) -> None:
    """Make the human's moves until the match waits for bots."""
    while now(ctx, opened).status.seats == (0,):
        make_move(ctx, opened, 0)


# ---- folds ---------------------------------------------------------------------------------------


def played(ctx: Context, game: str, seed: int) -> list[bytes]:
    """Return the commits of a match in which seats ask, agree and refuse at random."""
    opened = by_consent(ctx, game, humans(GAMES[game].seats[0]))
    chance = Random(seed)
    while (loaded := now(ctx, opened)).version < COMMITS and loaded.status.name == "running":
        with suppress(RuleBroken):
            commit(ctx, loaded, act(loaded, chance))
    return ctx.journal.events.read(opened.loaded.id)


def act(loaded: Loaded, chance: Random) -> Act:
    """Return a move, or something about taking moves back."""
    match = loaded.match
    seat = chance.randrange(len(match.seats))
    assert match.take_back is not None
    to = chance.choice(match.take_back.versions[-6:])
    about: list[Any] = [AskTakeBack(seat, to), *[AgreeTakeBack(seat)] * 5, RefuseTakeBack(seat)]
    if chance.random() < (0.9 if match.take_back.ask else 0.4):
        return Act(seat_actor(seat), chance.choice(about))

    actor = match.status.actors[0]
    move = match.game.random_move(match.state, actor, FastChance(loaded.version))
    return Act(HOUSE_ACTOR if actor < 0 else seat_actor(actor), move)


@GAMES_BY_KEY
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_leaving_out_what_was_taken_back_leads_to_the_same(
    ctx: Context, game: str, seed: int
) -> None:
    """M17: as folding commit by commit does, from any version to any later one."""
    commits = played(ctx, game, seed)
    each = list(one_by_one(commits))
    assert len(each[-1].match.taken_back) > 1

    for start in range(0, len(commits), 7):
        base = each[start - 1] if start else None
        for end in range(start + 1, len(commits) + 1, 11):
            assert forward(base, commits[start:end]) == each[end - 1]


def one_by_one(commits: list[bytes]) -> list[Loaded]:
    """Return the match after each commit, every one of which is applied with its end."""
    found: list[Loaded] = []
    for one in commits:
        stored = parse_commit(one)
        content = stored["commit"]
        before = found[-1].match.copy() if found else None
        rules = before.rules if before else content["events"][0]["rules"]
        match = apply(before, read_events(events_in([one]), rules), stamp_of(content))
        created = found[0].time if found else content["time"]
        found.append(
            Loaded(
                id=content["match"],
                version=content["version"],
                created=created,
                time=content["time"],
                hash=stored["hash"],
                match=match,
            )
        )
    return found


@GAMES_BY_KEY
def test_a_version_that_was_taken_back_is_as_it_was(ctx: Context, game: str) -> None:
    """M17: for a process that has seen it made, and for one that knows nothing."""
    commits = played(ctx, game, seed=4)
    match = parse_commit(commits[0])["commit"]["match"]
    each = one_by_one(commits)
    gone = each[-1].match.taken_back
    assert gone

    for version in gone:
        assert at_version(ctx, match, version) == each[version - 1]
    ctx.cache.forget()
    assert load(ctx, match) == each[-1]
    for version in gone:
        assert at_version(ctx, match, version) == each[version - 1]
