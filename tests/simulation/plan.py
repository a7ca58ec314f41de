"""Decisions of a seed before its run begins: the kinds of faults, and sizes.

A seed has only some kinds of faults. Rare meetings of two faults are found sooner so than if every
run has all of them (swarm testing: Groce and others, ISSTA 2012).
"""

from dataclasses import dataclass, field
from random import Random

from service.matches import following, repository
from service.matches.automation import MOVES_A_JOB
from service.matches.context import CHECKPOINT_EVERY, MATCHES
from tests.simulation.kernel import SECOND

# Faults of one call, each with its highest probability.
JOURNAL_FAULTS = {
    "refused": 0.03,  # no answer, and nothing done
    "answer lost": 0.04,  # done, and no answer
    "late": 0.02,  # no answer, and done later
    "slow": 0.04,  # the answer takes seconds
    "full": 0.03,  # nothing can be added
    "crash": 0.01,  # the caller's process dies during the call
}
QUEUE_FAULTS = {
    "lost": 0.3,
    "doubled": 0.2,
    "late": 0.2,
    "hangs": 0.05,
}

# Events at a moment of a run, each with its greatest number.
EVENTS = {
    "crash": 4,
    "flush": 2,
    "restart": 1,
    "clock": 3,
    "gone back": 3,
}
# Long absences: no time may run out in them. Each is drawn beside the others, for its share of the
# seeds.
ABSENCES = {"scheduler away": 0.3, "journal away": 0.15, "backup restored": 0.1}
GONE_BACK_SHARE = 0.6  # of the seeds may go back. That may discard the findings of other faults

# Share of the seeds with sequencers. Their writes are changes, too: in these seeds a journal that
# goes back loses fewer commits.
LOG_SHARE = 0.3

REAL_GAME_SHARE = 0.03  # of the seeds with a match of a real game, and no other
PRODUCT_SIZES_SHARE = 0.25  # of the seeds with the product's own sizes

CHAOS_SECONDS = (8, 20)
QUIET_SECONDS = 26
FAR_FUTURE_SHARE = 0.4  # of the jumps of a clock by hours, not by seconds


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the product. They are smaller in most runs, for short matches to pass them.

    piece, snapshot: of service.matches.repository.
    follower_piece: of service.matches.following.
    checkpoint: of service.matches.context.
    moves: of service.matches.automation.
    shelf: how many matches a process remembers.
    """

    piece: int = repository.PIECE
    follower_piece: int = following.PIECE
    checkpoint: int = CHECKPOINT_EVERY
    snapshot: int = repository.SNAPSHOT_EVERY
    moves: int = MOVES_A_JOB
    shelf: int = MATCHES


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed decides beforehand. Times are microseconds from the beginning.

    journal, queue: probabilities of faults by name, those of this seed alone.
    events: when something happens, and what.
    chaos: when the faults end.   end: when the run ends.
    matches: the game of each match.   patience: seconds after which the house ends a match left
        alone, 0 for never.   has_log: whether there are sequencers, and all who go with them.
    """

    journal: dict[str, float]
    queue: dict[str, float]
    events: list[tuple[int, str]]
    chaos: int
    end: int
    matches: list[str]
    sizes: Sizes = field(default_factory=Sizes)
    patience: int = 0
    has_log: bool = False


def plan_of(random: Random, absences: Random, log: Random) -> Plan:
    """Return a plan. `absences` and `log` draw those parts alone, `random` draws the rest."""
    chaos = random.randint(*CHAOS_SECONDS) * SECOND
    return Plan(
        journal=_some(random, JOURNAL_FAULTS),
        queue=_some(random, QUEUE_FAULTS),
        events=sorted(_events(random, chaos) + _absences(absences, chaos)),
        chaos=chaos,
        end=chaos + QUIET_SECONDS * SECOND,
        matches=_matches(random),
        sizes=_sizes(random),
        patience=random.choice((0, 0, 8, 15)),
        has_log=log.random() < LOG_SHARE,
    )


def _some(random: Random, highest: dict[str, float]) -> dict[str, float]:
    """Return about half of the faults, each with a probability below its highest."""
    return {name: most * random.random() for name, most in highest.items() if random.random() < 0.5}


def _events(random: Random, chaos: int) -> list[tuple[int, str]]:
    """Return the times of events in order, with their kinds."""
    events: list[tuple[int, str]] = []
    for name, most in EVENTS.items():
        if name == "gone back" and random.random() > GONE_BACK_SHARE:
            continue

        count = random.randint(0, most)
        for _ in range(count):
            time = random.randrange(chaos)
            events.append((time, name))
    return sorted(events)


def _absences(random: Random, chaos: int) -> list[tuple[int, str]]:
    """Return the times of long absences of the scheduler or the journal, with their kinds."""
    drawn = [name for name, share in ABSENCES.items() if random.random() < share]
    return [(random.randrange(chaos), name) for name in drawn]


def _matches(random: Random) -> list[str]:
    """Return the games: mostly the toy, since its matches are short."""
    if random.random() < REAL_GAME_SHARE:
        return [random.choice(("calimala", "firenze"))]

    match_count = random.choice((1, 1, 1, 2, 3))
    return ["toy"] * match_count


def _sizes(random: Random) -> Sizes:
    """Return sizes: one in four times those of the product, else smaller ones."""
    if random.random() < PRODUCT_SIZES_SHARE:
        return Sizes()

    checkpoint = random.choice((1, 2, 3))
    checkpoints_a_piece = random.choice((1, 2))
    piece = checkpoint * checkpoints_a_piece
    return Sizes(
        piece=piece,
        follower_piece=piece,
        checkpoint=checkpoint,
        snapshot=random.choice((2, 2, 4, 100)),
        moves=random.choice((1, 2, 5)),
        shelf=random.choice((1, 1, 2, 512)),
    )
