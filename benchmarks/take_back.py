"""Loading a match in which moves were taken back, against one as long in which none were.

The commits are those of humans who move at random. In one match seats take their last moves back
wherever they may, 50 times, and then play it to its end. The other two are played to their ends as
well: one whose moves could be taken back, and one whose moves could not be. Of all three as many
commits are loaded as the shortest has.
"""

from contextlib import suppress
from functools import partial

from benchmarks.matches import HUMANS, SEED, new_context
from benchmarks.measure import Figures, Ratio, interleaved, limit, show, worked
from domain.chance import FastChance
from domain.errors import RuleBroken
from domain.games import GAMES
from domain.match.messages import AskTakeBack
from domain.seats import HOUSE, HOUSE_ACTOR, seat_actor
from domain.wire import Message
from service.journal.memory import memory_journal
from service.ledger.replay import Loaded, forward
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.opening import OFF, OpenRequest, open_new
from service.matches.repository import load

RUNS = 21
TAKE_BACKS = 50
GOAL = 1.2


def with_take_backs(game: str) -> list[bytes]:
    """Return the commits of a match in which moves were taken back."""
    ctx = new_context(memory_journal())
    match_id = open_new(ctx, OpenRequest(game, HUMANS, seed=SEED, take_back="consent")).loaded.id
    left = TAKE_BACKS

    while left:
        before = load(ctx, match_id)
        move_on(ctx, before)
        with suppress(RuleBroken):
            taken_back(ctx, load(ctx, match_id), before)
            left -= 1
            move_on(ctx, load(ctx, match_id))
    return played_on(ctx, match_id)


def without(game: str, take_back: str) -> list[bytes]:
    """Return the commits of a match in which no move was taken back."""
    ctx = new_context(memory_journal())
    match_id = open_new(ctx, OpenRequest(game, HUMANS, seed=SEED, take_back=take_back)).loaded.id
    return played_on(ctx, match_id)


def played_on(ctx: Context, match_id: str) -> list[bytes]:
    """Return the commits of a match that is played to its end."""
    while (loaded := load(ctx, match_id)).status.name == "running":
        move_on(ctx, loaded)
    return ctx.journal.events.read(match_id)


def move_on(ctx: Context, loaded: Loaded) -> None:
    """Make a move of the first who is awaited."""
    actor = loaded.status.actors[0]
    move = loaded.match.game.random_move(loaded.match.state, actor, FastChance(loaded.version))
    commit(ctx, loaded, Act(HOUSE_ACTOR if actor == HOUSE else seat_actor(actor), move))


def taken_back(ctx: Context, loaded: Loaded, before: Loaded) -> None:
    """Take a move back as its seat; raises RuleBroken where nobody takes it back alone."""
    seat = before.status.actors[0]
    ask: Message = AskTakeBack(seat, before.version)
    take_back = loaded.match.take_back
    if seat == HOUSE or take_back is None or not take_back.is_own(seat, before.version):
        raise RuleBroken("not_own", "M17", "The move cannot be taken back by its seat alone.")
    commit(ctx, loaded, Act(seat_actor(seat), ask))


def measure(game: str) -> Figures:
    """Print what loading takes; return the ratios."""
    matches = {
        f"{TAKE_BACKS} taken back": with_take_backs(game),
        "none taken back": without(game, "consent"),
        "none can be": without(game, OFF),
    }
    shortest = min(map(len, matches.values()))
    ways = {
        name: partial(worked, partial(forward, None, commits[:shortest]))
        for name, commits in matches.items()
    }
    took = interleaved(RUNS, ways)
    show(
        f"{game}: {shortest} commits loaded",
        {name: 1000 * seconds for name, seconds in took.items()},
        "ms",
    )

    loading, allowed, never = took.values()
    return [
        limit(f"{game}: loading {TAKE_BACKS} take-backs against none", loading / never, GOAL),
        Ratio(f"{game}: loading where moves can be taken back", allowed / never),
    ]


def main() -> Figures:
    """Measure each game; return the ratios."""
    return [ratio for game in GAMES for ratio in measure(game)]
