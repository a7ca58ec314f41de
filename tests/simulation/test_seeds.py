"""The first thousand seeds: every fact holds in each of them, whatever goes wrong."""

from tests.simulation.many import run_share
from tests.simulation.plan import EVENTS, JOURNAL_FAULTS, QUEUE_FAULTS

SEEDS = range(1, 1001)
LEAST_COUNT = 50  # how often each kind of fault happens at least
LEAST_ACKNOWLEDGED = 1000


def test_every_fact_holds_in_a_thousand_seeds() -> None:
    """No seed fails, and each kind of fault happens often."""
    tally = run_share(SEEDS)
    failures = [f"seed {seed}: {failure}" for seed, failure in tally.failures]
    assert failures == []

    rare = {name for name in all_faults() if tally.faults[name] < LEAST_COUNT}
    assert rare == set()
    assert tally.acknowledged > LEAST_ACKNOWLEDGED


def all_faults() -> list[str]:
    """Return the names under which faults are counted."""
    return [
        *(f"journal: {name}" for name in JOURNAL_FAULTS),
        *(f"queue: {name}" for name in QUEUE_FAULTS),
        *(f"event: {name}" for name in EVENTS),
    ]
