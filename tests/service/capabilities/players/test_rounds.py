"""Rounds of the ratings: they take in ended matches, forget deleted ones, and log faults."""

from pathlib import Path

import pytest

from service.capabilities.players.rounds import RATE_AGAIN_SECONDS, RATE_SECONDS, RatingRounds
from service.matches import lifecycle
from service.store.tlog.ratings import Ratings
from tests import toy
from tests.service.capabilities.players.test_use_cases import House as RatedHouse
from tests.service.rated import ADA, BEN, fold_now, played
from tests.service.store.tlog.conftest import run_out


@pytest.fixture
def rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RatedHouse:
    """A house with an ended match of two keys."""
    toy.install(monkeypatch)
    house = RatedHouse(tmp_path / "rated")
    house.put(played(ADA, BEN))
    run_out(house.sequencer)
    return house


def test_players_are_rated_and_deleted_matches_forgotten(rated: RatedHouse) -> None:
    """Each round looks for ended matches, and some rounds look for deleted ones."""
    rating = RatingRounds(rated.ctx)
    assert rating.attempt() == RATE_SECONDS
    assert len(rated.ladder()) == 2

    [match] = rated.records
    lifecycle.delete(rated.ctx, match, "operator")
    rating._next_look = 0.0
    rating.attempt()
    fold_now(rated.kept)
    assert rated.ladder() == []


def test_a_fault_of_the_ratings_is_logged_once_while_it_lasts(
    rated: RatedHouse, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A lasting fault of the ratings is logged once, and no match is lost by it."""
    rating = RatingRounds(rated.ctx)
    for _ in range(2):
        rating._rating_file = Ratings(tmp_path)  # a directory
        for _ in range(3):
            assert rating.attempt() == RATE_AGAIN_SECONDS
        rating._rating_file = rated.kept
        assert rating.attempt() == RATE_SECONDS
    records = [one for one in caplog.records if one.message == "ratings stopped"]
    assert [str(tmp_path) in one.__dict__["reason"] for one in records] == [True, True]
    assert len(rated.ladder()) == 2
