"""A world for one script: the application over a journal in memory, its time and its chance."""

import hashlib
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from unittest import mock

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from werkzeug.test import TestResponse

from service.api.app import open_services
from service.app import create_app
from service.base.config import Config
from service.matches import automation
from service.store.journal.memory import journal_over
from service.store.journal.memory.store import MemoryStore
from tests.scripted.rounds import make_round
from workers.bots import choose

START = 1_772_388_000_000  # 2026-03-01T18:00:00Z
STEP_MS = 1_000  # from one request to the next
BEAT_MS = 2_000  # from one round of the scheduler to the next
PARTITIONS = 4
MOST_WORK = 1_000  # jobs, until all that wait are done
OPERATOR = "the operator's token, forty bytes of it."

# Headers of an answer that are compared.
HEADERS = {
    *("Accept-Encoding", "Accept-Post", "Allow", "Cache-Control", "Content-Type", "ETag"),
    *("Giornale-Missing", "Idempotent-Replayed", "Link", "Location", "Retry-After"),
    *("Vary", "WWW-Authenticate"),
}

Json = Any
Step = dict[str, Any]


@dataclass(frozen=True)
class Player:
    """Somebody with a key that follows from a name."""

    name: str

    @property
    def private(self) -> Ed25519PrivateKey:
        """The private key."""
        return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(self.name.encode()).digest())

    @property
    def key(self) -> str:
        """The public key, in hex."""
        return self.private.public_key().public_bytes_raw().hex()

    def sign(self, text: str) -> str:
        """Return the signature of a text that the service asks to sign."""
        return self.private.sign(text.encode()).hex()


class Unsealed:
    """The seal of queues that store nothing."""

    def close(self, _key: str, _value: Json) -> bytes:
        """Return nothing to store."""
        return b""


class Jobs:
    """The queues of a world. They note the jobs, and no worker takes any."""

    seal = Unsealed()

    def __init__(self) -> None:
        self.put_now: list[Json] = []

    def enqueue(self, match: str, version: int, awaiting: str) -> None:
        """Note a job for a match's awaited actor."""
        self.put_now.append([awaiting, match, version])

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Note a job of another kind."""
        self.put_now.append([name, job_id, *arguments])

    def is_at_hand(self, _name: str, _job_id: str) -> bool:
        """Return False: no job is queued."""
        return False

    @contextmanager
    def pipeline(self, **_options: object) -> "Iterator[Jobs]":
        """Yield a pipeline that finds nothing."""
        yield self

    def get(self, _key: str) -> None:
        """Ask for a value."""

    def set(self, _key: str, _value: bytes, **_options: object) -> None:
        """Store nothing."""

    def execute(self) -> list[None]:
        """Return that there is no value."""
        return [None]

    def depth(self, _name: str) -> int:
        """Return 0: nothing waits."""
        return 0

    def scheduler_beat(self, _name: str) -> None:
        """Do nothing."""

    def forget_here(self, _match: str, _seat: int) -> None:
        """Do nothing."""

    def count(self, _counter: object) -> None:
        """Do nothing."""

    def note_time_run_out(self) -> None:
        """Do nothing. Older trees call this."""

    def to_blame(self) -> list[str]:
        """Return []: no worker died."""
        return []


class Service:
    """The service in this process: one application for the worlds of all scripts.

    The routes of an application take longer than a script, so the worlds share it.
    world: the present one.
    """

    def __init__(self, data: Path) -> None:
        _write_key(data / "keys.json")
        self.config = Config.load(_environment(data))
        self.jobs = Jobs()
        self.world: World | None = None
        self.store = MemoryStore(PARTITIONS, self.time)
        services = open_services(self.config)
        self.ctx = replace(
            services.ctx,
            journal=journal_over(self.store),
            clock=self.time,
            enqueue=self.jobs.enqueue,
            log=None,
            ratings=None,
        )
        queues: Any = self.jobs
        app = create_app(self.config, replace(services, ctx=self.ctx, queues=queues))
        self.client = app.test_client(use_cookies=False)

    def time(self) -> int:
        """Return the time of the world."""
        return START if self.world is None else self.world.now

    @contextmanager
    def begin(self, name: str) -> "Iterator[World]":
        """Yield a world with an empty journal, in which script and step decide all random bytes."""
        fresh = MemoryStore(PARTITIONS, self.time)
        fresh.lock = self.store.lock  # the ports hold it
        vars(self.store).update(vars(fresh))
        self.ctx.cache.forget()
        self.jobs.put_now.clear()
        self.world = world = World(name, self)
        with (
            mock.patch.object(secrets, "token_bytes", world.random_bytes),
            mock.patch.object(secrets, "token_hex", world.random_hex),
            mock.patch.object(secrets, "randbelow", world.random_below),
        ):
            yield world


@contextmanager
def service() -> Iterator[Service]:
    """Yield the service."""
    with tempfile.TemporaryDirectory() as data:
        yield Service(Path(data))


class World:
    """Time, chance and journal of one script, and the steps so far."""

    def __init__(self, name: str, service: Service) -> None:
        self.name = name
        self.service = service
        self.store = service.store
        self.now = START
        self.steps: list[Step] = []
        self._begun = 0
        self._draws = 0
        self._keys = 0
        self._before: dict[str, Json] = {}
        self._commits: dict[str, int] = {}

    # ---- steps -----------------------------------------------------------------------------------

    def send(
        self,
        method: str,
        path: str,
        token: str = "",
        body: Json = None,
        headers: Mapping[str, str] | None = None,
        *,
        data: bytes | None = None,
        who: str = "",
    ) -> "Answer":
        """Send a request as a step of its own.

        data: a body that is no JSON. who: the holder of the token, by name.
        """
        self.begin()
        own_headers = dict(headers or {})
        if token:
            own_headers["Authorization"] = f"Bearer {token}"
        more: dict[str, Any] = {} if body is None else {"json": body}
        if data is not None:
            more = {"data": data}
        answer = Answer(self.service.client.open(path, method=method, headers=own_headers, **more))
        sender = f" by {who}" if who else ""
        self.end(f"{method} {path}{sender}", answer.told())
        return answer

    def begin(self) -> None:
        """Begin a step: a second later, with random bytes of its own."""
        self.now += STEP_MS
        self._begun += 1
        self._draws = 0

    @contextmanager
    def as_one_step(self, what: str) -> Iterator[None]:
        """Report all that is done within as one step."""
        steps = self.steps
        self.steps = []
        yield
        stored = {
            name: value for one in self.steps for name, value in one.get("stored", {}).items()
        }
        self.steps = [*steps, {"step": what, "at": self.now - START, "stored": stored}]

    def end(self, what: str, facts: Step) -> None:
        """End a step with its answer, and report its changes of the store."""
        stored = self._changes()
        jobs, self.service.jobs.put_now = self.service.jobs.put_now, []
        step: Step = {"step": what, "at": self.now - START, **facts}
        if stored:
            step["stored"] = stored
        if jobs:
            step["jobs"] = jobs
        self.steps.append(step)

    def key(self) -> str:
        """Return the next idempotency key of the script."""
        self._keys += 1
        return f"key-of-{self.name}-{self._keys:04}"

    # ---- time, scheduler and workers -------------------------------------------------------------

    def advance(self, seconds: int) -> None:
        """Let some seconds pass with the rounds of the scheduler."""
        self.begin()
        end = self.now + seconds * 1000
        while self.now < end:
            self.now = min(self.now + BEAT_MS, end)
            self._make_round(look=False)
        self.end(f"advance {seconds} s", {})

    def sleep(self, hours: int) -> None:
        """Let some hours pass without any work, then a round of the scheduler."""
        self.begin()
        self.now += hours * 3_600_000
        self._make_round(look=True)
        self.end(f"sleep {hours} h", {})

    def _make_round(self, *, look: bool) -> None:
        make_round(self.service.ctx, self.service.config, self.service.jobs, look=look)

    def work(self) -> None:
        """Let workers act in every match that waits, until none waits."""
        for _ in range(MOST_WORK):
            if not self.store.waits:
                return
            match = next(iter(self.store.waits))
            self.begin()
            awaiting = self.store.matches[match].head.awaiting
            if awaiting == "house":
                automation.act(self.service.ctx, match)
            else:
                automation.play_bots(self.service.ctx, match, choose)
            self.end(f"work {awaiting}", {})
        raise AssertionError(f"match {match} waits for ever")

    # ---- random bytes ----------------------------------------------------------------------------

    def random_bytes(self, length: int | None = None) -> bytes:
        """Return the next random bytes of the step."""
        self._draws += 1
        seed = f"{self.name}|{self._begun}|{length}|{self._draws}"
        return hashlib.shake_256(seed.encode()).digest(32 if length is None else length)

    def random_hex(self, length: int | None = None) -> str:
        """Return the next random bytes of the step, in hex."""
        return self.random_bytes(length).hex()

    def random_below(self, limit: int) -> int:
        """Return the next random number of the step."""
        return int.from_bytes(self.random_bytes(16)) % limit

    # ---- what is stored --------------------------------------------------------------------------

    def _changes(self) -> Step:
        """Return the changes in the journal since the last step. None marks a removed value."""
        commits: dict[str, Json] = {}
        for match, stored in self.store.matches.items():
            count = self._commits.get(match, 0)
            for version, commit in enumerate(stored.commits[count:], count + 1):
                digest = hashlib.sha256(commit).hexdigest()
                commits[f"{match}.commits.{version}"] = {"bytes": digest, **orjson.loads(commit)}
            self._commits[match] = len(stored.commits)

        after = self._flat()
        before, self._before = self._before, after
        names = sorted({*before, *after})
        changed = {name: after.get(name) for name in names if before.get(name) != after.get(name)}
        return {**commits, **changed}

    def _flat(self) -> dict[str, Json]:
        """Return all that the journal holds but commits, by name."""
        store = self.store
        flat: dict[str, Json] = {}
        for match, stored in store.matches.items():
            flat |= {f"{match}.head.{name}": one for name, one in _members(stored.head).items()}
            flat |= {f"{match}.ids.{name}": list(one) for name, one in stored.ids.items()}
            flat |= {f"{match}.fields.{name}": one for name, one in stored.fields.items()}
            thoughts = [thought.decode() for thought in stored.thoughts]
            flat |= {f"{match}.thoughts.{number}": one for number, one in enumerate(thoughts)}
            if stored.snapshot is not None:
                flat[f"{match}.snapshot"] = hashlib.sha256(stored.snapshot).hexdigest()
        flat |= {f"{match}.idle": due for match, due in store.idle.items()}
        flat |= {f"{match}.waits": _members(wait) for match, wait in store.waits.items()}
        flat |= {f"{match}.timers.{kind}": due for (kind, match), due in store.timers.items()}
        flat |= {f"{match}.deleted": _members(one) for match, one in store.deleted.items()}
        return flat


def _members(value: Any) -> Json:
    """Return the fields of a value of the journal."""
    return {one.name: getattr(value, one.name) for one in fields(value)}


class Answer:
    """The answer to a request."""

    def __init__(self, response: TestResponse) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self._data = response.data
        response.close()

    @property
    def json(self) -> Json:
        """The body as JSON."""
        return orjson.loads(self._data)

    @property
    def is_done(self) -> bool:
        """True for a status of success."""
        return self.status < 300

    def told(self) -> Step:
        """Return the compared parts of the answer."""
        headers = {name: value for name, value in self.headers if name in HEADERS}
        step: Step = {"status": self.status, "headers": headers}
        kind = self.headers.get("Content-Type", "")
        if "ndjson" in kind:
            step["lines"] = [orjson.loads(line) for line in self._data.splitlines()]
        elif "json" in kind:
            step["body"] = self.json
        elif self._data:
            step["text"] = self._data.decode()
        return step


def _environment(data: Path) -> dict[str, str]:
    """Return the settings of the service."""
    own = {
        "JOURNAL_URL": "redis://127.0.0.1:1",
        "DATA": str(data),
        "SECRET": "x" * 32,
        "OPERATOR_TOKEN": OPERATOR,
        "ALLOW_SEED": "true",
        "HOOKS": "true",
        "RATE_LIMIT": "0",
        "ADDRESS_LIMIT": "0",
        "OPENINGS": "0",
    }
    return {f"GIORNALE_{name}": value for name, value in own.items()}


def _write_key(path: Path) -> None:
    """Write the key that signs receipts."""
    server = Player("the server")
    key = {
        "id": hashlib.sha256(bytes.fromhex(server.key)).hexdigest()[:16],
        "algorithm": "Ed25519",
        "public": server.key,
        "from": "2026-03-01T18:00:00.000Z",
        "until": None,
        "private": server.private.private_bytes_raw().hex(),
    }
    path.write_bytes(orjson.dumps({"keys": [key]}))


# ---- one match of a world ------------------------------------------------------------------------


@dataclass
class Table:
    """One match, and its players.

    tokens: by holder. players: those of seats with keys. is_private: True if nobody sees the match
    without a token.
    """

    world: World
    match: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    is_private: bool = False

    @property
    def eyes(self) -> str:
        """A holder with a view of the match, "" for the public."""
        return next(iter(self.tokens), "") if self.is_private else ""

    def send(
        self, method: str, path: str, who: str = "", body: Json = None, **headers: str
    ) -> Answer:
        """Send a request. After a change of the match, get the match as well."""
        by_header = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self._send(method, path, who, body, by_header)
        if answer.status == 428 and who in self.players and "If-Match" not in by_header:
            by_header["If-Match"] = self._send("GET", "", who).headers["ETag"]
            answer = self._send(method, path, who, body, by_header)
        if answer.status == 422 and who in self.players and "Giornale-Signature" not in by_header:
            text = answer.json.get("to_sign")
            if text:
                by_header["Giornale-Signature"] = self.players[who].sign(text)
                answer = self._send(method, path, who, body, by_header)
        if method != "GET" and answer.is_done:
            self._send("GET", "", self.eyes)
        return answer

    def _send(
        self,
        method: str,
        path: str,
        who: str = "",
        body: Json = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        whole = path
        if not path.startswith("/"):
            whole = f"/v1/matches/{self.match}" + (f"/{path}" if path else "")
        return self.world.send(
            method,
            whole,
            self.tokens.get(who, who),
            body,
            headers,
            who=who if len(who) < 16 else "",
        )

    def get(self, path: str = "", who: str = "", **headers: str) -> Answer:
        """GET."""
        return self.send("GET", path, who, **headers)

    def post(self, path: str, body: Json = None, who: str = "", **headers: str) -> Answer:
        """POST."""
        return self.send("POST", path, who, body, **headers)

    def put(self, path: str, body: Json, who: str = "", **headers: str) -> Answer:
        """PUT."""
        return self.send("PUT", path, who, body, **headers)

    def delete(self, path: str = "", who: str = "", **headers: str) -> Answer:
        """DELETE."""
        return self.send("DELETE", path, who, **headers)

    def open(self, who: str = "", **body: Json) -> None:
        """Open a match and take its tokens."""
        answer = self.try_open(who, **body)
        assert answer.status == 201, answer.json

    def try_open(self, who: str = "", key: str | None = None, **body: Json) -> Answer:
        """Ask for a match. key: "" for none, None for the script's next one."""
        key = self.world.key() if key is None else key
        headers = {"Idempotency-Key": key} if key else {}
        wish = {"seed": "scripted", **body}
        wish = {name: value for name, value in wish.items() if value is not None}
        answer = self._send("POST", "/v1/matches", who, wish, headers)
        while answer.status == 422 and "to_sign" in answer.json:
            wish = self._with_proof(wish, answer.json["to_sign"])
            answer = self._send("POST", "/v1/matches", who, wish, headers)
        if answer.status == 201:
            self.match, self.tokens = answer.json["match"], answer.json["tokens"]
            self.is_private = answer.json["visibility"] == "private"
            self._send("GET", "state", self.eyes)
        return answer

    def _with_proof(self, wish: Json, text: str) -> Json:
        """Return an opening with one more key proven."""
        request = orjson.loads(text)
        seats = [dict(plan) for plan in wish["seats"]]
        player = self.players[f"seat:{request['seat']}"]
        seats[request["seat"]]["proof"] = player.sign(text)
        return {**wish, "seats": seats}

    def join(self, seat: int, who: str = "", **body: Json) -> Answer:
        """Take a seat and keep its token."""
        answer = self.post(f"seats/{seat}", body, who)
        if answer.is_done:
            self.tokens = {**self.tokens, f"seat:{seat}": answer.json["token"]}
        return answer

    def moves(self, who: str) -> list[Json]:
        """Return the legal moves of a seat."""
        listed: list[Json] = self.get("moves", who).json["moves"]
        return listed

    def move(self, seat: int, number: int = 0, **headers: str) -> Answer:
        """Make the n-th legal move of a seat, the last one if there are fewer."""
        moves = self.moves(f"seat:{seat}")
        return self.post("moves", moves[min(number, len(moves) - 1)], f"seat:{seat}", **headers)

    def play(self, count: int) -> None:
        """Make a number of moves of humans for any awaited seat, and let workers work between."""
        for turn in range(count):
            self.world.work()
            waiting = self.get(who=self.eyes).json["waiting_for"]
            seats = [seat for seat in waiting["seats"] if seat not in waiting.get("bots", [])]
            if not seats:
                return
            self.move(seats[0], turn % 3)
        self.world.work()

    def version(self) -> int:
        """Return the present version."""
        version: int = self.get(who="owner").json["version"]
        return version

    def look(self) -> None:
        """Read the match and its pages, with each token and without any."""
        seats = [name for name in self.tokens if name.startswith("seat:")]
        for who in ("", "owner", "spectator", *seats):
            if not who or who in self.tokens:
                self.get("", who)
                self.get("state", who)
                self.get("commits", who)
        for who in ("", *seats[:1]):
            self.get("record", who)
        for who in seats:
            self.get("moves", who)
        for path in ("story", "story.ndjson", "states", "diff?from=1", "thoughts"):
            self.get(path, "owner")
        self.get("/v1/matches")
        self.get("/v1/matches?waiting_for=me", seats[0] if seats else "owner")

    def finish(self) -> None:
        """Abort the match, let the house reveal it, and look at it."""
        self.post("abort", None, "owner")
        self.world.work()
        self.look()
