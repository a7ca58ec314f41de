"""The bots' job and the house's: they bring any match of bots to its end, and see no secret.

Two worlds hold the same match, and differ only in what one seat cannot see. In both a worker does
the bot's job.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Chance, FastChance, draw_seed
from domain.game import Game
from domain.games import GAMES
from service.jobs.queues import Queues
from service.journal.errors import Conflict
from service.journal.memory import memory_journal
from service.journal.port import EventsPort
from service.journal.values import Appended, Entry
from service.ledger.codec import salt
from service.ledger.commit import Json, parse_commit
from service.matches import automation, bots as match_bots
from service.matches.bots import offered, thinking_seed
from service.matches.context import Context, MatchCache
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from tests.service.journal.ports import Over
from tests.toy import TOY
from workers import bots, jobs, process
from workers.bots.players import Budget, Player, Thought, TimeBudget

JOBS = {"house": jobs.act, "bots": bots.play}
MOST_JOBS = 200
NOW = 1_800_000_000_000
NOTHING_LISTENS = "redis://127.0.0.1:1/0"

MOVES = 40
ONE_MOVE = TimeBudget(until=0.0, share=1.0, clock=lambda: 1.0)
FEW = Budget(iterations=8)  # as many in both worlds
GAMES_WITH_HANDS = ["calimala"]


@pytest.fixture
def ctx(monkeypatch: pytest.MonkeyPatch) -> Context:
    """A context over the journal in memory, where the jobs find theirs; the queues are down."""
    made = Context(memory_journal(), b"s" * 32, lambda: NOW, lambda *_: None, allow_seed=True)
    queues = Queues(NOTHING_LISTENS, b"s" * 32)
    monkeypatch.setattr(process, "ctx", lambda: made)
    monkeypatch.setattr(process, "queues", lambda: queues)
    return made


def opened(ctx: Context, game: Game[Any], level: str, seats: int) -> str:
    """Open a match of bots of one level; return its id."""
    seated = [{"kind": "bot", "level": level}] * seats
    return open_new(ctx, OpenRequest(game.key, seated, seed="bots")).loaded.id


def test_every_level_that_is_offered_has_a_player_and_a_sentence() -> None:
    """The sentence says what a level does, and how long one that searches thinks.

    A bot of no named level is greedy. Without search hooks a game has no level that searches.
    """
    assert list(bots.LEVELS) == list(match_bots.LEVELS)
    sentences = list(match_bots.LEVELS.values())
    assert len(set(sentences)) == len(sentences)
    for level, (_player, usual) in bots.LEVELS.items():
        sentence = match_bots.LEVELS[level]
        thinks = {0.1: "0.1 seconds", 1.0: "a second"}.get(usual.seconds or 0.0, "")
        assert sentence.endswith(".")
        assert thinks in sentence
        assert bool(thinks) == (level in match_bots.SEARCHING)

    assert match_bots.DEFAULT == "greedy"
    assert match_bots.STRONG in match_bots.LEVELS
    assert list(offered(GAMES["calimala"])) == ["random", "greedy", "quick", "strong"]
    assert list(offered(TOY)) == ["random", "greedy"]


@pytest.mark.parametrize(
    ("game", "level"),
    [
        pytest.param(game, level, id=f"{key}-{level}")
        for key, game in GAMES.items()
        for level in offered(game)
    ],
)
def test_match_of_bots_comes_to_its_end(
    ctx: Context, game: Game[Any], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two jobs, each done when the match waits for it, play every game to an outcome."""
    player, _usual = bots.LEVELS[level]
    monkeypatch.setitem(bots.LEVELS, level, (player, Budget(iterations=1)))
    match = opened(ctx, game, level, max(game.seats))

    for _job in range(MOST_JOBS):
        awaiting = load(ctx, match).status.awaiting
        if not awaiting:
            break
        do_job = jobs.act if awaiting == "house" else bots.play
        do_job(match)

    assert load(ctx, match).status.name == "finished"


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_job_done_twice_appends_once(ctx: Context, job: Callable[[str], None]) -> None:
    """A job whose work is done already changes nothing."""
    seats = [{"kind": "human"}] * 3
    match = open_new(ctx, OpenRequest("calimala", seats, seed="twice")).loaded.id
    version_before = load(ctx, match).version

    job(match)
    job(match)

    assert load(ctx, match).version == version_before


# ---- two worlds ----------------------------------------------------------------------------------


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


@pytest.mark.parametrize("key", GAMES)
def test_what_is_hidden_from_a_bot_changes_nothing(
    ctx: Context, key: str, thoughts: list[Thought]
) -> None:
    """The same thought, with all that was weighed, and so the same move: in both worlds."""
    game = GAMES[key]
    *_weaker, strongest = offered(game)
    match = opened(ctx, game, strongest, game.seats[0])
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
        [offered_entry] = other_events.offered
        made = ctx.journal.events.read(match)[-1]
        assert command_of(offered_entry.commit_bytes) == command_of(made)
        compared += 1

    assert compared > 0
    assert differing > MOVES // 2 or key not in GAMES_WITH_HANDS


def test_what_a_bot_does_by_chance_tells_nothing_of_the_secret() -> None:
    """The seed of its chance is of no use for any draw or salt, nor for any other move.

    It is the HMAC of a text that no draw and no salt is made of (docs/fairness.md), under the same
    key: to guess one of them tells nothing of another.
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
