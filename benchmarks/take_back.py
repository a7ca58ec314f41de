"""Loading a match in which moves were taken back, against one as long in which none were.

The commits are those of humans who move at random. In one match seats take their last moves back
wherever they may, 50 times, and then play on. The other two are as long: one whose moves could be
taken back, and one whose moves could not be. Each is read from the bundled server and folded; the
fold is also measured alone.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from benchmarks.matches import HUMANS, SEED, new_context
from benchmarks.measure import Figures, interleaved, limit, show, timed, worked
from benchmarks.web import server
from domain.chance import FastChance
from domain.errors import RuleBroken
from domain.games import GAMES
from domain.match.messages import AskTakeBack
from domain.seats import HOUSE, HOUSE_ACTOR, seat_actor
from service.journal.redis import open_journal
from service.ledger.replay import Loaded, forward
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.opening import OFF, OpenRequest, open_new
from service.matches.repository import load

RUNS = 41
TAKE_BACKS = 50
LENGTH = 205  # versions
PARTITIONS = 4
GOAL = 1.2


def with_take_backs(ctx: Context, game: str) -> str:
    """Play a match in which moves are taken back; return its id."""
    match_id = open_new(ctx, OpenRequest(game, HUMANS, seed=SEED, take_back="consent")).loaded.id
    left = TAKE_BACKS

    while left:
        before = load(ctx, match_id)
        move_on(ctx, before)
        with suppress(RuleBroken):
            take_back(ctx, load(ctx, match_id), before)
            left -= 1
            move_on(ctx, load(ctx, match_id))
    return played_on(ctx, match_id)


def without(ctx: Context, game: str, option: str) -> str:
    """Play a match in which no move is taken back; return its id."""
    match_id = open_new(ctx, OpenRequest(game, HUMANS, seed=SEED, take_back=option)).loaded.id
    return played_on(ctx, match_id)


def played_on(ctx: Context, match_id: str) -> str:
    """Play a match on to its length."""
    while (loaded := load(ctx, match_id)).version < LENGTH:
        move_on(ctx, loaded)
    return match_id


def move_on(ctx: Context, loaded: Loaded) -> None:
    """Make a move of the first who is awaited."""
    actor = loaded.status.actors[0]
    move = loaded.match.game.random_move(loaded.match.state, actor, FastChance(loaded.version))
    commit(ctx, loaded, Act(HOUSE_ACTOR if actor == HOUSE else seat_actor(actor), move))


def take_back(ctx: Context, loaded: Loaded, before: Loaded) -> None:
    """Take a move back as its seat; raises RuleBroken where nobody takes it back alone."""
    seat = before.status.actors[0]
    kept = loaded.match.take_back
    if kept is None or not kept.is_own(seat, before.version):
        raise RuleBroken("not_own", "M17", "The move cannot be taken back by its seat alone.")
    commit(ctx, loaded, Act(seat_actor(seat), AskTakeBack(seat, before.version)))


def measure(ctx: Context, game: str) -> Figures:
    """Print what loading takes; return the ratios."""
    matches = {
        f"{TAKE_BACKS} taken back": with_take_backs(ctx, game),
        "none taken back": without(ctx, game, "consent"),
        "none can be": without(ctx, game, OFF),
    }
    commits = {name: ctx.journal.events.read(match_id) for name, match_id in matches.items()}
    loads = {name: partial(timed, partial(loaded, ctx, one)) for name, one in matches.items()}
    folds = {name: partial(worked, partial(forward, None, one)) for name, one in commits.items()}

    took = interleaved(RUNS, loads)
    shown = {name: 1000 * seconds for name, seconds in took.items()}
    show(f"{game}: {LENGTH} commits loaded", shown, "ms")
    folded = interleaved(RUNS, folds)
    shown = {name: 1000 * seconds for name, seconds in folded.items()}
    show(f"{game}: {LENGTH} commits folded", shown, "ms")

    taken, allowed, never = took.values()
    return [
        limit(f"{game}: loading {TAKE_BACKS} take-backs against none", taken / never, GOAL),
        limit(f"{game}: loading where moves can be taken back", allowed / never),
        limit(f"{game}: folding {TAKE_BACKS} take-backs", ratio(folded)),
    ]


def loaded(ctx: Context, match_id: str) -> Loaded | None:
    """Return a match as a process that knows nothing of it loads it, from its first commit."""
    return forward(None, ctx.journal.events.read(match_id))


def ratio(took: Mapping[str, float]) -> float:
    """Return what the first of three took against the last."""
    first, _, last = took.values()
    return first / last


def main() -> Figures:
    """Measure each game; return the ratios."""
    with server() as url:
        journal = open_journal(url, PARTITIONS)
        figures = [figure for game in GAMES for figure in measure(new_context(journal), game)]
        journal.close()
    return figures
