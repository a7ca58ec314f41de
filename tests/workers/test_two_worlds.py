"""A bot sees what its seat may see: what is hidden from it changes neither thought nor move.

Two worlds hold the same match, and differ only in what one seat cannot see. In both a worker does
the bot's job.
"""

from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Chance, FastChance, draw_seed
from domain.game import Game
from domain.games import GAMES
from service.journal.errors import Conflict
from service.journal.memory import memory_journal
from service.journal.port import EventsPort
from service.journal.values import Appended, Entry
from service.ledger.codec import salt
from service.ledger.commit import Json, parse_commit
from service.matches import automation
from service.matches.bots import offered, thinking_seed
from service.matches.cache import MatchCache
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from tests.service.journal.ports import Over
from workers import bots
from workers.bots.players import Budget, Player, Thought, TimeBudget

NOW = 1_800_000_000_000
MOVES = 40
ONE_MOVE = TimeBudget(until=0.0, share=1.0, clock=lambda: 1.0)
FEW = Budget(iterations=8)  # as many in both worlds
GAMES_WITH_HANDS = ["calimala"]


class OtherEvents(Over):
    """The commits of the other world: they are read as in the first, and moves are kept here."""

    def __init__(self, events: EventsPort) -> None:
        super().__init__(events)
        self.offered: list[Entry] = []

    def append(self, entry: Entry) -> Appended:
        """Keep a commit that is offered, and refuse it."""
        self.offered.append(entry)
        raise Conflict(entry.expected)


@pytest.fixture
def thoughts(monkeypatch: pytest.MonkeyPatch) -> list[Thought]:
    """What bots think from now on, with as many iterations each time."""
    made: list[Thought] = []

    def noting(player: Player) -> Player:
        def think(
            game: Game[Any], imagined: Any, seat: int, chance: Chance, _budget: Budget
        ) -> Thought:
            thought = player(game, imagined, seat, chance, FEW)
            made.append(thought)
            return thought

        return think

    noted = {level: (noting(player), FEW) for level, (player, _usual) in bots.LEVELS.items()}
    monkeypatch.setattr(bots, "LEVELS", noted)
    return made


def opened(game: str) -> tuple[Context, str]:
    """Open a match of the strongest bots that the game has; return its context and its id."""
    *_weaker, strongest = offered(GAMES[game])
    ctx = Context(memory_journal(), b"s" * 32, lambda: NOW, lambda *_: None, allow_seed=True)
    seats = [{"kind": "bot", "level": strongest}] * GAMES[game].seats[0]
    return ctx, open_new(ctx, OpenRequest(game, seats, seed="worlds")).loaded.id


def in_another_world(ctx: Context, match: str, seat: int) -> tuple[Context, OtherEvents]:
    """Return the context of a world where all that a seat cannot see is another."""
    loaded = load(ctx, match)
    game = loaded.match.game
    other_state = game.imagine(loaded.match.state, seat, FastChance(b"another world"))
    assert game.view(other_state, seat) == game.view(loaded.match.state, seat)

    cache = MatchCache()
    cache.put(replace(loaded, match=replace(loaded.match, state=other_state)))
    events: Any = OtherEvents(ctx.journal.events)
    journal = replace(ctx.journal, events=events)
    return replace(ctx, journal=journal, cache=cache), events


def command_of(commit_bytes: bytes) -> Json:
    """Return the command of a stored commit, secret parts and all."""
    stored = parse_commit(commit_bytes)
    secrets = [part.get("command") for part in stored["secrets"].values()]
    return {"public": stored["commit"]["command"], "secret": secrets}


@pytest.mark.parametrize("game", GAMES)
def test_what_is_hidden_from_a_bot_changes_nothing(game: str, thoughts: list[Thought]) -> None:
    """The same thought, with all that was weighed, and so the same move: in both worlds."""
    ctx, match = opened(game)
    compared = 0
    differing = 0

    for _move in range(MOVES):
        loaded = load(ctx, match)
        status = loaded.match.status
        if status.awaiting == "house":
            automation.act(ctx, match)
            continue
        if not status.bots:
            break  # a short match is over

        other_ctx, other_events = in_another_world(ctx, match, status.bots[0])
        differing += load(other_ctx, match).match.state != loaded.match.state
        thoughts.clear()
        bots.play_with(other_ctx, match, ONE_MOVE)
        bots.play_with(ctx, match, ONE_MOVE)

        in_the_other, in_the_first = thoughts
        assert in_the_other == in_the_first
        [offered] = other_events.offered
        made = ctx.journal.events.read(match)[-1]
        assert command_of(offered.commit_bytes) == command_of(made)
        compared += 1

    assert compared > 0
    assert differing > MOVES // 2 or game not in GAMES_WITH_HANDS


def test_what_a_bot_does_by_chance_tells_nothing_of_the_secret() -> None:
    """The seed of its chance is of no use for any draw or salt, nor for any other move.

    It is the HMAC of a text that no draw and no salt is made of (docs/fairness.md), under the same
    key: whoever guessed one of them would know nothing of another.
    """
    key = b"k" * 64
    versions = range(1, 30)
    seats = range(4)

    thinking = [
        thinking_seed(key, purpose, version, seat)
        for purpose in ("bot", "advice")
        for version in versions
        for seat in seats
    ]
    draws = [
        draw_seed(key, entropy, version) for version in versions for entropy in ((), ("0", ""))
    ]
    salts = [
        bytes.fromhex(salt(key, version, audience))
        for version in versions
        for audience in ("house", *(f"seat:{seat}" for seat in seats))
    ]

    everything = [*thinking, *draws, *salts]
    assert len(set(everything)) == len(everything)
    assert thinking_seed(b"q" * 64, "bot", 1, 0) not in everything
