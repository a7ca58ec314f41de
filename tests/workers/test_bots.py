"""The bots' job and the house's: together they bring any match of bots to its end."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.game import Game
from domain.games import GAMES
from service.journal.memory import MemoryJournal
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import LEVELS as OFFERED_LEVELS
from service.matches.opening import Wish, open_new
from workers import bots, context, scoring

JOBS = {"house": scoring.act, "bots": bots.play}
MOST_JOBS = 200
NOW = 1_800_000_000_000


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk over the journal in memory, where the jobs find theirs."""
    shared_desk = Desk(
        MemoryJournal(),
        b"s" * 32,
        lambda: NOW,
        lambda *_: None,
        allow_seed=True,
    )
    monkeypatch.setattr(context, "desk", lambda: shared_desk)
    return shared_desk


def test_every_level_offered_has_a_player() -> None:
    """The levels that an opening may ask for are those that the bots' job can play."""
    assert set(bots.LEVELS) == set(OFFERED_LEVELS)


@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_match_of_bots_comes_to_its_end(desk: Desk, game: Game[Any], level: str) -> None:
    """The two jobs, each done when the match waits for it, play every game to an outcome."""
    bot = {"kind": "bot", "level": level}
    seats = [bot] * max(game.seats)
    match = open_new(desk, Wish(game.key, seats, seed="bots")).loaded.id

    for _job in range(MOST_JOBS):
        waits_for = load(desk, match).match.standing.work
        if not waits_for:
            break

        do_job = JOBS[waits_for]
        do_job(match)

    assert load(desk, match).match.standing.status == "finished"


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_job_done_twice_appends_once(desk: Desk, job: Callable[[str], None]) -> None:
    """A job whose work is done already changes nothing."""
    seats = [{"kind": "human"}] * 3
    match = open_new(desk, Wish("calimala", seats, seed="twice")).loaded.id
    version_before = load(desk, match).version

    job(match)
    job(match)

    assert load(desk, match).version == version_before
