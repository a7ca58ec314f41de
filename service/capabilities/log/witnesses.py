"""Witnesses are asked to sign the log's checkpoints (C2SP tlog-witness), in threads of their own.

Nothing waits for them: commits get positions and checkpoints are published as ever. The newest
checkpoint that enough of them have signed is kept beside the order of the log.
"""

import http.client
import logging
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from redis.exceptions import RedisError

from service.base.fetch import Connection, Limits
from service.base.rounds import Outage, Rounds
from service.matches.context import Context
from service.record.tlog.checkpoint import (
    BadNote,
    Note,
    Signature,
    Verifier,
    read_checkpoint,
    read_note,
    to_base64,
)
from service.record.tlog.proof import Policy, has_cosigned, read_policy_to_ask
from service.store.journal.errors import JournalUnavailable
from service.store.tlog.log import Log
from service.store.tlog.witness import PATH

_log = logging.getLogger(__name__)

ROUND_SECONDS = 1.0  # from one round to the next
CALL_SECONDS = 5.0  # to connect, and then for the call in all
LEAST_PAUSE_SECONDS = 2.0  # until a witness is asked again that has failed; it doubles each time
MOST_PAUSE_SECONDS = 300.0

_LONGEST_ANSWER = 16 * 1024
_TRIES = 2  # at a witness that says another size, within a round
_SIZE = re.compile(b"(0|[1-9][0-9]{0,18})\n")

COSIGNED, REFUSED, FAILED = "cosigned", "refused", "failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status and the body."""

    status: int
    body: bytes


# Takes an address and a body; raises OSError or HTTPException.
Post = Callable[[str, bytes], Answer]


class _Failed(Exception):
    """A witness has given no signature; the message says why."""


class _Refused(_Failed):
    """A witness has been shown another history of the log."""


@dataclass(slots=True)
class _WitnessState:
    """A witness, and what is remembered of it.

    size: how far it has seen the log, as far as is known.
    failures: in a row.   next_try: when it may be asked again, by the clock.
    """

    name: str
    key: Verifier
    url: str
    size: int = 0
    failures: int = 0
    next_try: float = 0.0

    def has_failed(self, now: float) -> None:
        """Put the next try off."""
        pause = LEAST_PAUSE_SECONDS * 2.0 ** min(self.failures, 10)
        self.failures += 1
        self.next_try = now + min(pause, MOST_PAUSE_SECONDS)


@dataclass(slots=True)
class _PendingCheckpoint:
    """A checkpoint that witnesses are asked to sign, and who has, by name.

    kept: with how many signatures it is kept beside the order.
    """

    written: bytes = b""
    signatures: dict[str, Signature] = field(default_factory=dict)
    kept: int = 0

    @property
    def note(self) -> Note:
        """The checkpoint as a note."""
        return read_note(self.written)

    @property
    def size(self) -> int:
        """The size of the log that it says."""
        return read_checkpoint(self.note).size

    def cosigned(self) -> bytes:
        """Return the checkpoint with all signatures."""
        return self.written + "".join(one.line() for one in self.signatures.values()).encode()


class Cosigning:
    """Asks the witnesses of a policy, round after round.

    count: is told each outcome.   post: sends a request.   clock: returns seconds.
    """

    def __init__(
        self,
        policy: Policy,
        log: Log,
        count: Callable[[str], object],
        post: Post | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._policy = policy
        self._log = log
        self._count = count
        self._post = post or post_in_time
        self._clock = clock
        self._witnesses = [
            _WitnessState(name, policy.witnesses[name], url) for name, url in policy.urls.items()
        ]
        self._newest = _PendingCheckpoint()

    def round(self) -> None:
        """Ask those that have not signed the newest checkpoint; keep it if that is enough.

        Raises JournalUnavailable. What could not be kept for that reason is kept by a later round.
        """
        written = self._log.checkpoint()
        if written != self._newest.written:
            self._newest = _PendingCheckpoint(written)
        if not written:
            return

        newest = self._newest
        due = [one for one in self._witnesses if self._is_due(one)]
        newest.signatures |= self._ask_all(due, newest)
        signed_by = tuple(newest.signatures)
        if len(signed_by) > newest.kept and self._policy.is_met_by(signed_by):
            self._log.keep_cosigned(newest.size, newest.cosigned())
            newest.kept = len(signed_by)

    def _is_due(self, one: _WitnessState) -> bool:
        return one.name not in self._newest.signatures and self._clock() >= one.next_try

    def _ask_all(
        self, due: list[_WitnessState], newest: _PendingCheckpoint
    ) -> Mapping[str, Signature]:
        """Return the signatures of those that give one, by name; ask all of them at once."""
        found: dict[str, Signature] = {}
        troubles: list[Exception] = []

        def ask(one: _WitnessState) -> None:
            try:
                signature = self._outcome(one, newest)
            except Exception as error:  # noqa: BLE001 - raised again below
                troubles.append(error)
            else:
                if signature is not None:
                    found[one.name] = signature

        threads = []
        for one in due:
            thread = threading.Thread(target=ask, args=(one,), daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                troubles.append(error)
                break
            threads.append(thread)
        for thread in threads:
            thread.join()
        if troubles:
            raise troubles[0]
        return found

    def _outcome(self, one: _WitnessState, newest: _PendingCheckpoint) -> Signature | None:
        """Return the signature of a witness; log and count what came of it."""
        try:
            signature = self._ask(one, newest)
        except (_Failed, OSError, http.client.HTTPException) as error:
            is_refused = isinstance(error, _Refused)
            self._note_failure(one, error, is_refused=is_refused)
            self._count(REFUSED if is_refused else FAILED)
            return None

        if signature is not None:
            if one.failures:
                _log.info("a witness signs again", extra={"witness": one.name})
            one.failures = 0
            self._count(COSIGNED)
        return signature

    def _note_failure(self, one: _WitnessState, error: Exception, *, is_refused: bool) -> None:
        details = {"witness": one.name, "reason": str(error) or type(error).__name__}
        if is_refused:
            _log.error("a witness refuses the log: it was shown another history", extra=details)
            one.size = 0  # asked for again
        elif not one.failures:
            _log.warning("a witness does not sign", extra=details)
        one.has_failed(self._clock())

    # ---- one witness ----------------------------------------------------------------------------

    def _ask(self, one: _WitnessState, newest: _PendingCheckpoint) -> Signature | None:
        """Return the signature of a witness; None if the log moves on meanwhile."""
        size = newest.size
        for _ in range(_TRIES):
            old = one.size
            if old > size:
                self._demand_so_large(old)
                return None

            proof = self._log.consistency(old, size) if old else []
            answer = self._post(one.url.rstrip("/") + PATH, _request(old, proof, newest.written))
            if answer.status == http.client.OK:
                one.size = size
                return _signature(one.key, newest, answer.body)
            one.size = _size_said(answer, old)
        return None

    def _demand_so_large(self, seen: int) -> None:
        """Raise _Refused if a witness has seen more of the log than there is."""
        size = self._log.size()
        if seen > size:
            raise _Refused(f"it has seen {seen} entries, and the log has {size}")


def _request(old: int, proof: list[bytes], checkpoint: bytes) -> bytes:
    return "\n".join([f"old {old}", *map(to_base64, proof), "", ""]).encode() + checkpoint


def _size_said(answer: Answer, old: int) -> int:
    """Return the size that a witness goes on from; raises _Failed for any other answer."""
    if answer.status == http.client.UNPROCESSABLE_ENTITY:
        raise _Refused(f"what it has seen of {old} entries is not how the log begins")
    said = _SIZE.fullmatch(answer.body)
    if answer.status != http.client.CONFLICT or said is None:
        raise _Failed(f"it answers {answer.status}")
    if int(said[1]) == old:
        raise _Refused(f"it has seen other {old} entries")
    return int(said[1])


def _signature(key: Verifier, newest: _PendingCheckpoint, lines: bytes) -> Signature:
    """Return the signature of a witness among the lines that it answers; raises _Failed."""
    text = newest.note.text
    try:
        answered = read_note(f"{text}\n".encode() + lines)
    except BadNote as error:
        raise _Failed(f"its answer is not right: {error}") from None
    for one in answered.signatures:
        if answered.text == text and has_cosigned(key, Note(text, (one,))):
            return one
    raise _Failed("its answer holds no signature of its key")


def post_in_time(url: str, body: bytes) -> Answer:
    """Send a POST that takes CALL_SECONDS at most once it is connected; follow no redirect."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "User-Agent": "giornale"}
    limits = Limits(CALL_SECONDS, CALL_SECONDS, _LONGEST_ANSWER)
    reply = Connection(url, limits).post(body, headers)
    return Answer(reply.status, reply.body)


# ---- rounds --------------------------------------------------------------------------------------


class Asking:
    """Asks witnesses whatever goes wrong."""

    def __init__(self, cosigning: Cosigning) -> None:
        self._cosigning = cosigning
        self._outage = Outage(_log, "the asking of witnesses")

    def attempt(self) -> float:
        """Make one round; return how long to wait before the next one. It never raises."""
        try:
            self._cosigning.round()
        except (RedisError, JournalUnavailable) as error:
            self._outage.begin(error)
        except Exception:  # noqa: BLE001 - whatever is wrong, the log goes on
            _log.exception("witnesses could not be asked")
        else:
            self._outage.end()
        return ROUND_SECONDS


def open_rounds(policy: str, ctx: Context, count: Callable[[str], object]) -> Rounds:
    """Return the rounds that ask the witnesses of a policy, whose path is given.

    count: is told each outcome.   Raises BadProof for a policy that is not right.
    """
    assert ctx.log is not None, "a process has a log"
    asking = Asking(Cosigning(read_policy_to_ask(Path(policy)), ctx.log, count))
    # A witness may be slow, and nothing is lost with a question under way.
    return Rounds("witnesses", asking.attempt, stop_seconds=0)
