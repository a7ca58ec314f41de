"""The first thousand seeds: every fact holds in each of them, whatever goes wrong."""

from tests.simulation.many import run_share

SEEDS = range(1, 1001)
MANY = 50  # times that each kind of fault happens at least


def test_every_fact_holds_in_a_thousand_seeds() -> None:
    """No seed fails, and each kind of fault happens often."""
    tally = run_share(SEEDS)
    told = [f"seed {seed}: {failure}" for seed, failure in tally.failures]
    assert told == []

    rare = {name: count for name, count in tally.faults.items() if count < MANY}
    assert rare == {}
    assert tally.acknowledged > 1000
