"""Requests and answers of clients: in memory, or in a file of JSON lines.

A request may be sent several times with one idempotency key. Each time is a try. A try of a
change is noted twice: before it is sent, and when it has ended. So a file also shows the tries
under way when its writer died.
"""

import itertools
import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

HISTORY_FILE = "history.jsonl"

# Tries that make no commit: reads, each report of one stream or of a webhook's call, and requests
# for a webhook.
NEWS = "news"
CALL = "call"
WEBHOOK = "webhook"
READS = ("match", "moves", "commits", "stream", NEWS, CALL, WEBHOOK)
# Makes commits in another match: the rematch of the match in the request.
REMATCH = "rematch"

SENT = "sent"
ANSWERED = "answered"
UNKNOWN = "unknown"  # nobody knows whether it was done: no answer came, or none that says

CREATED = 201
# Answers that promise that this try changed nothing: refused by the rules, stale, or malformed.
REFUSALS = (409, 412, 422)
# A problem of status 409: another try of the same request is under way.
UNDER_WAY = "request-in-progress"

# A version, and the hash that was told with it.
Told = tuple[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One time that a request was sent.

    number: counts all tries.   request: counts the requests; the tries of one have it in common.
    what: a name for what is asked: one of READS, "open", or another write.
    key: the idempotency key, "" for none.   expected: the version in If-Match, 0 for none.
    command: what a write without a key asks for, as `tests.promises.checker.command_text` has it.
    sent, ended: by the clock of the history.
    status: of the answer, 0 for none.   problem: the kind of problem answered, "" for none.
    version: the version in the answer, 0 for none.
    told: every pair of version and hash in the answer.
    repeated: by the answer, an earlier try has made the commit.
    event: what a stream or a call has reported, such as "turn".
    seats: the awaited seats at the version in the answer, None if the answer does not say.
    rematch: the next match, as it was answered, "" for none.
    For a call, `sent` is its arrival, `key` its id, and `status` the answer of its receiver.
    """

    number: int
    request: int
    client: str
    what: str
    match: str = ""
    actor: str = ""
    key: str = ""
    expected: int = 0
    command: str = ""
    sent: float = 0.0
    ended: float = 0.0
    outcome: str = SENT
    status: int = 0
    problem: str = ""
    version: int = 0
    told: tuple[Told, ...] = ()
    repeated: bool = False
    event: str = ""
    seats: tuple[int, ...] | None = None
    rematch: str = ""

    @property
    def writes(self) -> bool:
        """Whether the request may make a commit."""
        return self.what not in READS

    @property
    def acknowledged(self) -> bool:
        """Whether the service said that the commit is made."""
        return self.writes and self.status == CREATED

    @property
    def refused(self) -> bool:
        """Whether the service said that this try made no commit."""
        return self.writes and self.status in REFUSALS and self.problem != UNDER_WAY


class History:
    """Notes the tries. Safe to share between threads.

    directory: the place of the file. None: the tries are kept in memory.

    It also keeps frequent facts: the number of acknowledged commits, and the time at which the
    latest of the acknowledged tries was sent.
    """

    def __init__(
        self, directory: Path | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._file = (directory / HISTORY_FILE).open("a", encoding="ascii") if directory else None
        self._kept: dict[int, Try] = {}
        self._lock = threading.Lock()
        self._tries = itertools.count(1)
        self._requests = itertools.count(1)
        self._clock = clock
        self.acknowledged = 0
        self.latest_sent = 0.0

    def next_request(self) -> int:
        """Return the number of a new request."""
        return next(self._requests)

    def begin(self, request: int, client: str, what: str, **facts: Any) -> Try:
        """Note that a request is about to be sent; facts: match, actor, key, expected, command."""
        one = Try(
            number=next(self._tries),
            request=request,
            client=client,
            what=what,
            sent=self._clock(),
            **facts,
        )
        if one.writes:
            self._write(one)
        return one

    def end(self, attempt: Try, outcome: str, **facts: Any) -> Try:
        """Note the end of a try. facts: any field, such as status, version and told."""
        ended = replace(attempt, outcome=outcome, ended=self._clock(), **facts)
        self._write(ended)

        if ended.acknowledged and not ended.repeated:
            self._count(ended)
        return ended

    def _count(self, acknowledged: Try) -> None:
        with self._lock:
            self.acknowledged += 1
            self.latest_sent = max(self.latest_sent, acknowledged.sent)

    def kept(self) -> list[Try]:
        """Return all tries of a history in memory, in the order of their beginnings."""
        with self._lock:
            return _in_order(self._kept)

    def close(self) -> None:
        """Write the rest to the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()

    def _write(self, one: Try) -> None:
        if self._file is None:
            with self._lock:
                self._kept[one.number] = one
            return

        line = json.dumps(asdict(one), separators=(",", ":")) + "\n"
        with self._lock:
            self._file.write(line)


def read(directory: Path) -> list[Try]:
    """Return all tries of a history in the order of their beginnings.

    A last line that was cut off is passed over. A try without an end is unknown.
    """
    by_number: dict[int, Try] = {}
    history_file = directory / HISTORY_FILE
    with history_file.open(encoding="ascii") as lines:
        for line in lines:
            if not line.endswith("\n"):
                continue

            # A try that is written twice counts as it was in the end.
            one = _try_of(json.loads(line))
            by_number[one.number] = one

    return _in_order(by_number)


def _in_order(by_number: dict[int, Try]) -> list[Try]:
    """Return tries in the order of their beginnings. One without an end is unknown."""
    tries = [by_number[number] for number in sorted(by_number)]
    return [replace(one, outcome=UNKNOWN) if one.outcome == SENT else one for one in tries]


def _try_of(values: dict[str, Any]) -> Try:
    """Return the try of a line of the file."""
    facts = {field.name: values[field.name] for field in fields(Try)}
    facts["told"] = tuple((version, digest) for version, digest in values["told"])
    if facts["seats"] is not None:
        facts["seats"] = tuple(facts["seats"])
    return Try(**facts)
