"""The bots' job and the house's: together they bring any match of bots to its end."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.game import Game
from domain.games import GAMES
from service.jobs.queues import Queues
from service.journal.memory import memory_journal
from service.matches import bots as match_bots
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from tests.toy.game import TOY
from workers import bots, jobs, process
from workers.bots.players import Budget

JOBS = {"house": jobs.act, "bots": bots.play}
MOST_JOBS = 200
NOW = 1_800_000_000_000
NOTHING_LISTENS = "redis://127.0.0.1:1/0"


@pytest.fixture
def ctx(monkeypatch: pytest.MonkeyPatch) -> Context:
    """A context over the journal in memory, where the jobs find theirs; the queues are down."""
    shared_ctx = Context(
        memory_journal(),
        b"s" * 32,
        lambda: NOW,
        lambda *_: None,
        allow_seed=True,
    )
    queues = Queues(NOTHING_LISTENS, b"s" * 32)
    monkeypatch.setattr(process, "ctx", lambda: shared_ctx)
    monkeypatch.setattr(process, "queues", lambda: queues)
    return shared_ctx


@pytest.fixture
def _think_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every level plays as it does, but with one thought a move."""
    little = Budget(iterations=1)
    hasty = {level: (player, little) for level, (player, _usual) in bots.LEVELS.items()}
    monkeypatch.setattr(bots, "LEVELS", hasty)


def test_every_level_offered_has_a_player() -> None:
    """The levels that an opening may ask for are those that the bots' job can play."""
    assert list(bots.LEVELS) == list(match_bots.LEVELS)


def test_every_level_is_told_in_a_sentence_of_its_own() -> None:
    """A player who chooses reads what each level does, and how long those that search think."""
    sentences = list(match_bots.LEVELS.values())

    assert len(set(sentences)) == len(sentences)
    assert all(sentence.endswith(".") and sentence.count(".") <= 2 for sentence in sentences)
    for level, (_player, usual) in bots.LEVELS.items():
        thinks = {0.1: "0.1 seconds", 1.0: "a second"}.get(usual.seconds or 0.0, "")
        assert thinks in match_bots.LEVELS[level]
        assert bool(thinks) == (level in match_bots.SEARCHING)


def test_a_game_without_foresight_has_no_levels_that_search() -> None:
    """A search has nothing to go by there; what is left is what a game must bring in any case."""
    assert list(match_bots.offered(GAMES["calimala"])) == ["random", "greedy", "quick", "strong"]
    assert list(match_bots.offered(TOY)) == ["random", "greedy"]


def test_the_default_and_the_adviser_are_levels() -> None:
    """A bot for which nobody names a level is greedy, as in the first release."""
    assert match_bots.DEFAULT == "greedy"
    assert match_bots.STRONG in match_bots.LEVELS


@pytest.mark.usefixtures("_think_little")
@pytest.mark.parametrize(
    ("game", "level"),
    [
        pytest.param(game, level, id=f"{key}-{level}")
        for key, game in GAMES.items()
        for level in match_bots.offered(game)
    ],
)
def test_match_of_bots_comes_to_its_end(ctx: Context, game: Game[Any], level: str) -> None:
    """The two jobs, each done when the match waits for it, play every game to an outcome."""
    bot = {"kind": "bot", "level": level}
    seats = [bot] * max(game.seats)
    match = open_new(ctx, OpenRequest(game.key, seats, seed="bots")).loaded.id

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
