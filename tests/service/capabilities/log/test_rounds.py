"""The rounds of the log: positions, the index, and faults."""

from pathlib import Path

import pytest

from service.capabilities.log.rounds import SEQUENCE_AGAIN_SECONDS, SEQUENCE_SECONDS, Sequencing
from service.matches.context import Context
from service.record.commit import clock
from service.store.tlog.index import Index
from tests.service.store.tlog.conftest import House
from tests.service.store.tlog.test_sequencer import go_back


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A house with a log."""
    return House(tmp_path / "house")


@pytest.fixture
def sequencing(house: House) -> Sequencing:
    """Rounds of a sequencer for its commits. No thread is started."""
    ctx = Context(house.journal, b"s" * 32, clock, lambda *_: None, log=house.log)
    return Sequencing(ctx, house.sequencer())


def test_commits_get_positions_that_are_found_at_once(house: House, sequencing: Sequencing) -> None:
    """The machine's index has the positions of commits before anybody asks for them."""
    house.fill(5)
    assert sequencing.attempt() == SEQUENCE_SECONDS
    house.check_all_sealed()
    assert house.log._index.size(house.log.state().key) == 5


def test_a_fault_of_the_log_is_logged_once_while_it_lasts(
    house: House, sequencing: Sequencing, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A lasting fault of the log is logged once, also if only the index cannot be written."""
    index = house.log._index
    for _ in range(2):
        house.log._index = Index(tmp_path)  # a directory
        for _ in range(3):
            house.commit("m0")
            assert sequencing.attempt() == SEQUENCE_AGAIN_SECONDS
            assert str(tmp_path) in house.journal.order.state().stopped

        house.log._index = index
        assert sequencing.attempt() == SEQUENCE_SECONDS
        assert house.journal.order.state().stopped == ""

    records = [one for one in caplog.records if one.message == "log stopped"]
    assert [str(tmp_path) in one.__dict__["reason"] for one in records] == [True, True]
    house.check_all_sealed()


def test_a_loss_that_the_log_meets_is_noted(house: House, sequencing: Sequencing) -> None:
    """After a loss the journal says that it has gone back, until its operator accepts that."""
    house.fill(20)
    sequencing.attempt()
    go_back(house, 1)
    assert sequencing.attempt() == SEQUENCE_AGAIN_SECONDS
    generation = house.journal.lifecycle.generation()
    assert generation is not None
    assert generation.gone_back is not None
    sequencing.attempt()
    assert "gone back" in house.journal.order.state().stopped
