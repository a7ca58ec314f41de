"""The clients: they ask a web process, interpret answers, read and follow matches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import orjson

from domain.errors import RuleBroken
from service.base import answers
from service.base.errors import Busy, Illegal, KeyConflict, NotFound, ServiceError, Stale
from service.matches import following, listing, records, views
from service.matches.access import Access, enter
from service.matches.command_handler import Committed, Submission
from service.matches.context import Context
from service.matches.following import Follower, follow
from service.matches.repository import load_head
from service.record.commit import Json
from service.record.replay import Loaded
from service.store.journal.errors import JournalUnavailable
from service.store.keys.tokens import Caller
from tests.promises.checker import command_text
from tests.promises.history import ANSWERED, CREATED, UNKNOWN, History, Try
from tests.simulation.kernel import MILLISECOND, Died
from tests.simulation.processes import Process

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")

TRIES = 30  # of a request that may be repeated
STALE = 412
NOT_FOUND = 404

# Refusals after which a request has made no commit, and will make none.
NOT_MADE = (Stale, Illegal, KeyConflict, Busy)
NOBODY_ANSWERS = 100 * MILLISECOND


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The result of a request.

    value: the answer, None if there is none. refusal: its reason, None for an answer. began: the
    time of the request. Without value and refusal nobody knows the result.
    """

    began: int
    value: T | None = None
    refusal: Exception | None = None

    @property
    def is_known(self) -> bool:
        """True if the request was answered or refused."""
        return self.value is not None or self.refusal is not None


class Client:
    """Somebody with a separate source of chance."""

    def __init__(self, world: "World", name: str) -> None:
        self.world = world
        self.name = name
        self.random = Random(f"{world.seed}|{name}")
        self._keys = 0

    def begin(self, after: int = 0) -> None:
        """Start this client's strand."""
        self.world.kernel.spawn(self.name, self.live, after)

    def live(self) -> None:
        """Do this client's work, to its end."""
        raise NotImplementedError

    def think(self, most_ms: int) -> None:
        """Let some time pass."""
        self.world.kernel.pause(self.random.randrange(most_ms * MILLISECOND))

    def new_key(self) -> str:
        """Return an idempotency key of this client."""
        self._keys += 1
        return f"{self.name}-{self._keys}"

    def ask(
        self, what: str, request: Callable[[Context], T], intent: "Wanted | None" = None
    ) -> Answer[T]:
        """Ask some web process once, and return its answer. intent: the command, if any."""
        world = self.world
        process = self.random.choice(world.webs)
        began = world.kernel.now
        attempt = intent.begin(world.checker.history, self.name) if intent else None
        if not process.is_alive:
            world.kernel.pause(NOBODY_ANSWERS)

        answer = self._answer(process, request, began)
        if attempt is not None:
            world.checker.history.end(attempt, **_outcome(answer))
        world.say(f"{process.name}: {what} -> {_told(answer)}")
        return answer

    def _answer(self, process: Process, request: Callable[[Context], T], began: int) -> Answer[T]:
        try:
            with process.entered() as ctx:
                return Answer(began, value=request(ctx))
        except (ServiceError, RuleBroken) as refusal:
            return Answer(began, refusal=refusal)
        except Died:
            return Answer(began)
        except JournalUnavailable:
            is_excused = began <= self.world.faults_end
            complaint = "a request failed although all had been well for a while"
            self.world.checker.demand(is_excused, complaint)
            return Answer(began)
        except Exception as error:  # noqa: BLE001 - a client would see the status 500
            self.world.checker.demand(False, f"a request failed inside the service: {error!r}")
            return Answer(began)

    def insist(
        self, what: str, request: Callable[[Context], T], intent: "Wanted | None" = None
    ) -> Answer[T]:
        """Ask until there is an answer, with TRIES repeats at most. Only for safe repeats."""
        answer = self.ask(what, request, intent)
        for _ in range(TRIES):
            if answer.is_known:
                return answer
            self.think(600)
            answer = self.ask(f"{what} (again)", request, intent)
        return answer


@dataclass(frozen=True, slots=True)
class Wanted:
    """One intended command. The history notes each of its tries."""

    number: int
    match: str
    actor: str
    command: Mapping[str, Any]
    key: str
    expected: int

    def begin(self, history: History, client: str) -> Try:
        """Note the start of the request."""
        return history.begin(
            self.number,
            client,
            self.command["type"],
            match=self.match,
            actor=self.actor,
            key=self.key,
            expected=self.expected,
            command=command_text(self.command),
        )


def _outcome(answer: Answer[Any]) -> dict[str, Any]:
    """Return the history's facts of an answer."""
    if answer.refusal is not None:
        status = STALE if isinstance(answer.refusal, NOT_MADE) else NOT_FOUND
        return {"outcome": ANSWERED, "status": status, "problem": type(answer.refusal).__name__}
    if answer.value is None:
        return {"outcome": UNKNOWN}

    result = answer.value
    acknowledged = {"outcome": ANSWERED, "status": CREATED}
    if isinstance(result, Committed):
        pairs = ((result.version, result.entry["hash"]),)
        return {
            **acknowledged,
            "version": result.version,
            "told": pairs,
            "repeated": result.repeated,
        }

    opened = result.loaded
    pairs = ((opened.version, opened.hash),)
    return {**acknowledged, "version": 1, "told": pairs, "match": opened.id}


def _told(answer: Answer[Any]) -> str:
    if answer.refusal is not None:
        return f"refused: {type(answer.refusal).__name__}: {answer.refusal}"
    if answer.value is None:
        return "nobody knows"
    version = getattr(answer.value, "version", None)
    return "answered" if version is None else f"v{version}"


class Entered(NamedTuple):
    """A match as a client has read it, and the client's role in it."""

    loaded: Loaded
    caller: Caller


@dataclass(frozen=True, slots=True)
class Place:
    """A match and a token of it. actor: the holder of the token, "public" for none."""

    match: str
    token: str | None
    actor: str

    @property
    def seat(self) -> int | None:
        """The number of the seat, None for other holders."""
        _, _, number = self.actor.partition(":")
        return int(number) if number else None


class Member(Client):
    """A client of one match."""

    def __init__(self, world: "World", name: str, place: Place) -> None:
        super().__init__(world, name)
        self.place = place

    def look(self) -> Answer[Entered]:
        """Read the match as it is, and check the answer."""
        place = self.place
        name = self.world.trace.name(place.match)

        def read_match(ctx: Context) -> Entered:
            access = enter(ctx, place.match, place.token)
            return Entered(load_head(ctx, access), access.caller)

        answer = self.ask(f"look at {name}", read_match)
        if answer.value is not None:
            self.check_state(answer.value, answer.began)
        return answer

    def check_state(self, entered: Entered, began: int) -> None:
        """Check a match as it was told to this client."""
        loaded, caller = entered
        checker = self.world.checker
        checker.told_commit(loaded.id, loaded.version, loaded.hash, began)
        view = views.view(loaded, caller)
        checker.told_view(loaded.hash, caller.seat, view["state"])

    def wants(self, command: Mapping[str, Any], submission: Submission) -> Wanted:
        """Return a new request of this client."""
        number = self.world.checker.history.next_request()
        place = self.place
        expected = submission.expected or 0
        return Wanted(number, place.match, place.actor, command, submission.key, expected)

    def submit(
        self,
        intent: Wanted,
        submission: Submission,
        request: Callable[[Context, Submission], Committed],
    ) -> Answer[Committed]:
        """Submit a command, repeatedly if that is safe, and check the result."""

        def send(ctx: Context) -> Committed:
            return request(ctx, submission)

        what = f"{intent.command['type']} in {self.world.trace.name(intent.match)}"
        may_repeat = bool(submission.key) or submission.expected is not None
        ask = self.insist if may_repeat else self.ask
        answer: Answer[Committed] = ask(what, send, intent)
        self.check_made(answer)
        return answer

    def check_made(self, answer: Answer[Committed]) -> None:
        """Check a commit that was acknowledged to this client, if one was."""
        result = answer.value
        if result is not None:
            commit_hash = result.entry["hash"]
            checker = self.world.checker
            checker.acknowledges(self.place.match, result.version, commit_hash, answer.began)


BEAT = 1.5  # seconds
LONGEST = 12  # beats and news of one follower
PAGE = 20  # commits or matches per request of a reader


class Reader(Member):
    """A client for reading."""

    def live(self) -> None:
        """Read in random order."""
        readings: Sequence[Callable[[Entered], None]] = (
            self._state,
            self._state,
            self._commits,
            self._list,
            self._record,
            self._follow,
        )
        for _ in range(self.random.choice((2, 6))):
            self.think(2500)
            answer = self.look()
            if answer.refusal is not None:
                return
            if answer.value is not None:
                self.random.choice(readings)(answer.value)

    def _state(self, entered: Entered) -> None:
        """Read the state at an earlier or the present version."""
        version = self.random.randint(1, entered.loaded.version)

        def read_state(ctx: Context) -> Entered:
            access = self._enter(ctx)
            return Entered(views.load_at(ctx, access, version), access.caller)

        answer = self.ask(f"state at v{version} of {self._name()}", read_state)
        if answer.value is None:
            return

        self.check_state(answer.value, answer.began)

        told_version = answer.value.loaded.version
        complaint = f"another version than {version} was told"
        self.world.checker.demand(told_version == version, complaint)

    def _commits(self, entered: Entered) -> None:
        """Read the commits after an earlier version."""
        after = self.random.randrange(entered.loaded.version)

        def read_commits(ctx: Context) -> list[answers.Commit]:
            return views.commits(ctx, self._enter(ctx), after, limit=PAGE)

        answer = self.ask(f"commits after v{after} of {self._name()}", read_commits)
        shown_commits = answer.value or []
        for commit in shown_commits:
            self.world.checker.told_shown(commit, self.place.seat, answer.began)

    def _list(self, _entered: Entered) -> None:
        """Read a list. Each match in it must be at one of its versions."""

        def read_list(ctx: Context) -> listing.MatchPage:
            return listing.public(ctx, status="", game=None, before=None, limit=PAGE)

        answer = self.ask("list", read_list)
        shown_matches = answer.value.matches if answer.value else []
        for match in shown_matches:
            self.world.checker.told_listed(match, answer.began)

    def _record(self, _entered: Entered) -> None:
        """Read the record. Each of its lines must be a commit with the right secrets."""
        place = self.place
        checker = self.world.checker

        def read_record(ctx: Context) -> list[bytes]:
            lines = records.export(ctx, place.match, place.token)
            return list(lines)

        answer = self.ask(f"record of {self._name()}", read_record)
        lines = answer.value or []
        for line in lines:
            stored = orjson.loads(line)["data"]
            version = stored["commit"]["version"]
            checker.told_commit(place.match, version, stored["hash"], answer.began)
            checker.told_record_line(stored, place.seat, answer.began)

    def _follow(self, entered: Entered) -> None:
        """Follow the match for a while. Each commit must follow the one told before."""
        world = self.world
        process = self.random.choice(world.webs)
        follower = Follower(
            match=self.place.match,
            token=self.place.token,
            beat=BEAT,
            render=as_line,
            rewritten=as_rewritten,
        )
        loaded = entered.loaded
        last_told = following.FollowerCursor(loaded.version, loaded.hash)

        world.say(f"{process.name}: follow {self._name()} after v{last_told.version}")
        with suppress(NotFound, JournalUnavailable, Died), process.entered() as ctx:
            wakes: Any = process.wakes
            news = follow(ctx, wakes, follower, last_told)
            self._check_news(news, last_told)

    def _check_news(self, news: Iterator[bytes], last_told: following.FollowerCursor) -> None:
        """Check a follower's news, up to a number of them."""
        for _ in range(LONGEST):
            began_at = self.world.kernel.now
            lines = next(news, None)
            if lines is None:
                return

            for line in lines.splitlines():
                document = orjson.loads(line)
                if "rewritten" in document:
                    self._check_rewritten(document["rewritten"])
                    return
                last_told = self._check_next(document, last_told, began_at)

    def _check_next(
        self, document: Json, last_told: following.FollowerCursor, began_at: int
    ) -> following.FollowerCursor:
        """Check a commit told to a follower. Return the follower's next place."""
        checker = self.world.checker
        checker.told_shown(document, self.place.seat, began_at)
        checker.goes_on(document, last_told.version, last_told.hash)
        return following.FollowerCursor(document["version"], document["hash"])

    def _check_rewritten(self, version: int) -> None:
        """Check that the journal has gone back if a follower is told of lost commits."""
        world = self.world
        world.say(f"a follower of {self._name()} is told that it is at v{version} again")
        has_gone_back = world.checker.gone_back_at >= 0
        world.checker.demand(has_gone_back, "a follower was told of a going back that was none")

    def _enter(self, ctx: Context) -> Access:
        return enter(ctx, self.place.match, self.place.token)

    def _name(self) -> str:
        return self.world.trace.name(self.place.match)


def as_rewritten(version: int) -> bytes:
    """Return the news: the journal has gone back to a version."""
    return orjson.dumps({"rewritten": version}) + b"\n"


def as_line(document: answers.Commit) -> bytes:
    """Return a commit as a line."""
    return orjson.dumps(document) + b"\n"
