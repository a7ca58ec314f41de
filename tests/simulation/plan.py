"""The plan of a run, drawn from its seed: kinds of faults, times of events, matches and sizes.

Each kind of fault occurs in only some of the runs. This finds rare combinations of two faults
sooner than runs with all kinds (swarm testing: Groce and others, ISSTA 2012).
"""

from dataclasses import dataclass, field
from random import Random

from service.matches import following, repository
from service.matches.automation import MOVES_A_JOB
from service.matches.context import CHECKPOINT_EVERY, MATCHES
from tests.simulation.kernel import SECOND

# Faults of one call, each with the highest probability that a plan draws. `Faults` in world.py
# makes faults of appends more frequent.
JOURNAL_FAULTS = {
    "refused": 0.03,  # the call is not carried out, and gets no answer
    "answer lost": 0.04,  # the call is carried out, and gets no answer
    "late": 0.02,  # the call is carried out later, and gets no answer
    "slow": 0.04,  # the call or the answer takes up to 4 s longer
    "full": 0.03,  # the journal has no memory left for new data
    "crash": 0.01,  # the caller's process dies during the call
}
QUEUE_FAULTS = {
    "lost": 0.3,
    "doubled": 0.2,
    "late": 0.2,
    "hangs": 0.05,
}

# Events at random times, each with the greatest number that a plan draws.
EVENTS = {
    "crash": 4,
    "flush": 2,
    "restart": 1,
    "clock": 3,
    "gone back": 3,
}
# Long absences, each with its share of the seeds. The draws are independent. Seats must not
# lose time by long gaps in the checks of clocks (banks.py).
ABSENCES = {"scheduler away": 0.3, "journal away": 0.15, "backup restored": 0.1}
# Share of the seeds that may draw "gone back". A journal that goes back may lose the commits that
# would show the effects of other faults. "backup restored" may let the journal go back in any seed.
GONE_BACK_SHARE = 0.6

# Share of the seeds with sequencers. A journal that goes back loses its last changes, up to a fixed
# number, and writes of sequencers are among them. So it tends to lose fewer commits in these seeds.
LOG_SHARE = 0.3

REAL_GAME_SHARE = 0.03  # share of the seeds with one match of a real game, and no other match
PRODUCT_SIZES_SHARE = 0.25  # share of the seeds with the product's own sizes

CHAOS_SECONDS = (8, 20)  # shortest and longest time with faults
QUIET_SECONDS = 26  # from the end of the faults to the end of the run
# Share of the jumps of clocks by up to 2 h, ahead or back. The others are by up to 20 s.
FAR_FUTURE_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the product. Most runs have smaller ones, so that short matches exceed them.

    piece: commits read at once.   follower_piece: commits sent at once to a follower.
    checkpoint: distance of checkpoints in versions.
    snapshot: number of replayed commits after which a load writes a snapshot.
    moves: greatest number of tries to move in one job of bots.
    shelf: number of matches that a process caches.
    """

    piece: int = repository.PIECE
    follower_piece: int = following.PIECE
    checkpoint: int = CHECKPOINT_EVERY
    snapshot: int = repository.SNAPSHOT_EVERY
    moves: int = MOVES_A_JOB
    shelf: int = MATCHES


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a run. Times are in microseconds from the beginning of the run.

    journal, queue: probability of each kind of fault in this run, by name.
    events: time and name of each event, in order.
    chaos: end of the faults.   end: end of the run.
    matches: the game of each match.
    patience: seconds without a commit after which the house ends a match. 0: never.
    has_log: True if the run has sequencers, an operator and a reader of the log.
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
    """Return a plan. `absences` draws the absences, `log` draws `has_log`, `random` the rest."""
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
    """Draw each fault with a chance of 1/2. Return the drawn ones, each with a probability."""
    return {name: most * random.random() for name, most in highest.items() if random.random() < 0.5}


def _events(random: Random, chaos: int) -> list[tuple[int, str]]:
    """Return time and name of each drawn event, in order."""
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
    """Return the beginning and the name of each drawn absence."""
    drawn = [name for name, share in ABSENCES.items() if random.random() < share]
    return [(random.randrange(chaos), name) for name in drawn]


def _matches(random: Random) -> list[str]:
    """Return the game of each match: mostly the toy, since its matches are short."""
    if random.random() < REAL_GAME_SHARE:
        return [random.choice(("calimala", "firenze"))]

    match_count = random.choice((1, 1, 1, 2, 3))
    return ["toy"] * match_count


def _sizes(random: Random) -> Sizes:
    """Return the product's own sizes in a quarter of the seeds, else mostly smaller ones."""
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
