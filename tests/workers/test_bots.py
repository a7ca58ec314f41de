"""Bots: they bring any match to its end, see no secret, and think within the time of their job.

Two worlds hold the same match, and differ only in state hidden from one seat. In both a worker does
the bot's job.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Chance, FastChance, draw_seed
from domain.game import Game
from domain.games import GAMES
from service.matches import automation, bots as match_bots
from service.matches.bots import offered, thinking_seed
from service.matches.context import Context, MatchCache
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.record.codec import salt
from service.record.commit import Json, parse_commit
from service.store.jobs.queues import Queues
from service.store.jobs.table import BOTS, QUEUES
from service.store.journal.errors import Conflict
from service.store.journal.memory import memory_journal
from service.store.journal.ports.events import EventsPort
from service.store.journal.values import Appended, Entry
from tests.service.store.journal.ports import Over
from tests.toy import TOY
from tests.whole import whole_unless
from workers import bots, jobs, process
from workers.app import open_lane
from workers.bots import players
from workers.bots.players import (
    JOB_SECONDS,
    UNHURRIED,
    Budget,
    MoveChoice,
    Player,
    TimeBudget,
    time_budget,
)
from workers.worker import make_worker

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
    """A context over the journal in memory, set for the jobs. The queues are down."""
    context = Context(memory_journal(), b"s" * 32, lambda: NOW, lambda *_: None, allow_seed=True)
    queues = Queues(NOTHING_LISTENS, b"s" * 32)
    monkeypatch.setattr(process, "ctx", lambda: context)
    monkeypatch.setattr(process, "queues", lambda: queues)
    return context


def opened(ctx: Context, game: Game[Any], level: str, seats: int) -> str:
    """Open a match of bots of one level. Return its id."""
    seated = [{"kind": "bot", "level": level}] * seats
    return open_new(ctx, OpenRequest(game.key, seated, seed="bots")).loaded.id


def test_every_level_that_is_offered_has_a_player_and_a_sentence() -> None:
    """The sentence describes the level, and the thinking time of a level that searches.

    A bot without a named level is greedy. Without search hooks a game has no level that searches.
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


UNTHINKING = ("random", "greedy")


@pytest.mark.parametrize(
    ("game", "level"),
    [
        pytest.param(game, level, id=f"{key}-{level}", marks=whole_unless(level in UNTHINKING))
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

    assert load(ctx, match).status.name == "ended"


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_job_done_twice_appends_once(ctx: Context, job: Callable[[str], None]) -> None:
    """A job for work done already changes nothing."""
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
def thoughts(monkeypatch: pytest.MonkeyPatch) -> list[MoveChoice]:
    """The thoughts of bots from now on, each with the same number of iterations."""
    choices: list[MoveChoice] = []

    def noting(player: Player) -> Player:
        def think(
            game: Game[Any], imagined: Any, seat: int, chance: Chance, _budget: Budget
        ) -> MoveChoice:
            thought = player(game, imagined, seat, chance, FEW)
            choices.append(thought)
            return thought

        return think

    noted = {level: (noting(player), FEW) for level, (player, _usual) in bots.LEVELS.items()}
    monkeypatch.setattr(bots, "LEVELS", noted)
    return choices


def in_another_world(ctx: Context, match: str, seat: int) -> tuple[Context, OtherEvents]:
    """Return the context of a world that differs in all that a seat cannot see."""
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


@pytest.mark.whole
@pytest.mark.parametrize("key", GAMES)
def test_hidden_state_changes_no_thought_of_a_bot(
    ctx: Context, key: str, thoughts: list[MoveChoice]
) -> None:
    """In both worlds a bot has the same thought, with the same weighed moves, and the same move."""
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
        commit = ctx.journal.events.read(match)[-1]
        assert command_of(offered_entry.commit_bytes) == command_of(commit)
        compared += 1

    assert compared > 0
    assert differing > MOVES // 2 or key not in GAMES_WITH_HANDS


def test_chance_of_a_bot_tells_nothing_of_the_secret() -> None:
    """The seed of a bot's chance differs from the seeds of draws and other moves, and from salts.

    The seed is the HMAC of a text that no draw and no salt is made of (record format), under the
    same key: to guess one of them tells nothing of another.
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


NOW = 1_800_000_000_000
STRONG = {"kind": "bot", "level": "strong"}
HUMAN = {"kind": "human"}
ONE_SECOND = Budget(seconds=1.0)


# ---- time ----------------------------------------------------------------------------------------


class Watch:
    """A clock that only thoughts move on. It shows seconds."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """The clock of jobs. The strong level takes as long as it may, by this clock."""
    stopwatch = Watch()

    def take_the_time(
        game: Game[Any], imagined: Any, seat: int, chance: Chance, budget: Budget
    ) -> MoveChoice:
        stopwatch.seconds += budget.seconds or 0.0
        return players.think_greedily(game, imagined, seat, chance, budget)

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "strong": (take_the_time, ONE_SECOND)})
    monkeypatch.setattr(bots, "monotonic", stopwatch)
    return stopwatch


@pytest.fixture
def queues(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    """Empty queues, set for the jobs."""
    own_queues = Queues(redis_url, b"s" * 32)
    monkeypatch.setattr(process, "queues", lambda: own_queues)
    yield own_queues
    own_queues.redis.close()


@pytest.fixture
def queued(queues: Queues, handlers_put_back: None, monkeypatch: pytest.MonkeyPatch) -> Context:
    """A context that enqueues into the real queues, and that the jobs find."""
    context = Context(memory_journal(), b"s" * 32, lambda: NOW, queues.enqueue, allow_seed=True)
    monkeypatch.setattr(process, "ctx", lambda: context)
    return context


def opened_strong(queued: Context, seed: str) -> str:
    """Open a match of Firenze with strong bots and a human. Return its id."""
    seats = [STRONG, STRONG, STRONG, HUMAN]
    return open_new(queued, OpenRequest("firenze", seats, seed=seed)).loaded.id


def waiting_in(queues: Queues) -> list[str]:
    """Return the matches with waiting jobs of bots, in their order."""
    return [job.args[0] for job in queues.queues[BOTS].jobs]


def do_one_job(queues: Queues) -> None:
    """Let a worker of the bots do one job."""
    make_worker(open_lane(BOTS, queues)).work(burst=True, max_jobs=1, logging_level=None)


def test_a_job_ends_before_it_must() -> None:
    """The last thought of a job is bounded by its rest. Even a whole one would end in time."""
    longest = max(usual.seconds or 0.0 for _player, usual in bots.LEVELS.values())
    assert JOB_SECONDS + longest < QUEUES[BOTS].timeout - 1

    assert UNHURRIED.of_move(ONE_SECOND, 10.0) == ONE_SECOND
    assert UNHURRIED.of_move(ONE_SECOND, 0.25) == Budget(seconds=0.25)
    assert UNHURRIED.of_move(Budget(iterations=7), 0.25) == Budget(iterations=7)


SHARES = {
    "nobody-waits": (0, 4, 1.0),
    "as-many-as-may": (4, 4, 1.0),
    "twice-as-many": (8, 4, 0.5),
    "a-flood": (400, 4, 0.01),
    "never-in-a-hurry": (400, 0, 1.0),
}


@pytest.mark.parametrize(("waiting", "unhurried", "share"), SHARES.values(), ids=SHARES)
def test_bots_think_less_while_many_wait(waiting: int, unhurried: int, share: float) -> None:
    """If more jobs wait than the bound, a move gets bound / jobs of its time. Bound 0: all."""
    hurried = time_budget(waiting, unhurried, lambda: 0.0)

    assert hurried.share == share
    assert hurried.of_move(ONE_SECOND, 10.0) == Budget(seconds=share)


def test_a_hurry_follows_from_the_waiting_jobs(
    queued: Context, queues: Queues, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker counts the jobs in the bots' queue when it begins a job."""
    hasty = replace(queued, unhurried=1)
    monkeypatch.setattr(process, "ctx", lambda: hasty)
    budgets: list[TimeBudget] = []
    monkeypatch.setattr(bots, "play_with", lambda _ctx, _match, time: budgets.append(time))
    for seed in ("one", "two", "three"):
        opened_strong(queued, seed)
    for _job in range(3):
        do_one_job(queues)

    assert [one.share for one in budgets] == [0.5, 1.0, 1.0]
    assert {one.until - watch() for one in budgets} == {JOB_SECONDS}


def test_a_long_turn_goes_to_the_end_of_the_queue(
    queued: Context, queues: Queues, watch: Watch
) -> None:
    """Two matches of strong bots: each has its seconds in turn, and no move waits for a whole turn.

    This is the fair share: after its deadline a match stands behind all waiting ones.
    """
    first = opened_strong(queued, "first")
    second = opened_strong(queued, "second")
    assert waiting_in(queues) == [first, second]

    began = watch()
    do_one_job(queues)

    assert watch() - began == pytest.approx(JOB_SECONDS)
    assert waiting_in(queues) == [second, first]
    count = load(queued, first).version - 1
    assert count == JOB_SECONDS / 1.0
    assert load(queued, second).version == 1

    do_one_job(queues)
    assert waiting_in(queues) == [first, second]
    assert load(queued, second).version - 1 == count


def test_a_late_job_makes_one_short_move(queued: Context, watch: Watch) -> None:
    """On a machine so busy that the time is over at once, matches go on all the same."""
    match = opened_strong(queued, "late")
    late = TimeBudget(until=watch() - 60.0, share=1.0, clock=watch)

    began = watch()
    bots.play_with(queued, match, late)

    assert load(queued, match).version == 2
    assert 0 < watch() - began < 0.1
