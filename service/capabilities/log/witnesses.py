"""Requests to witnesses to sign the log's checkpoints (C2SP tlog-witness), in threads of their own.

Nothing waits for witnesses: commits get positions, and checkpoints are published, without them. The
newest checkpoint with enough signatures of witnesses is stored beside the order of the log.
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

ROUND_SECONDS = 1.0  # between two rounds
CALL_SECONDS = 5.0  # limit to connect, and another limit for the call after that
LEAST_PAUSE_SECONDS = 2.0  # after the first failure of a witness. Doubled with each further one.
MOST_PAUSE_SECONDS = 300.0

_LONGEST_ANSWER = 16 * 1024
_TRIES = 2  # requests in a round to a witness that reports another size
_SIZE = re.compile(b"(0|[1-9][0-9]{0,18})\n")

COSIGNED, REFUSED, FAILED = "cosigned", "refused", "failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a witness: status and body."""

    status: int
    body: bytes


# Sends a body to an address. Raises OSError or HTTPException.
Post = Callable[[str, bytes], Answer]


class _Failed(Exception):
    """A witness gave no signature. The message gives the reason."""


class _Refused(_Failed):
    """A witness has seen another history of the log."""


@dataclass(slots=True)
class _WitnessState:
    """A witness and its state.

    size: last known size of the log at this witness.
    failures: number of failures in a row.   next_try: earliest time of the next request, by the
        clock.
    """

    name: str
    key: Verifier
    url: str
    size: int = 0
    failures: int = 0
    next_try: float = 0.0

    def delay(self, now: float) -> None:
        """Count a failure, and delay the next try."""
        pause = LEAST_PAUSE_SECONDS * 2.0 ** min(self.failures, 10)
        self.failures += 1
        self.next_try = now + min(pause, MOST_PAUSE_SECONDS)


@dataclass(slots=True)
class _PendingCheckpoint:
    """A checkpoint for the witnesses to sign, and their signatures by name.

    stored_count: number of signatures in the stored copy of the checkpoint.
    """

    written: bytes = b""
    signatures: dict[str, Signature] = field(default_factory=dict)
    stored_count: int = 0

    @property
    def note(self) -> Note:
        """The checkpoint as a note."""
        return read_note(self.written)

    @property
    def size(self) -> int:
        """The size of the log in the checkpoint."""
        return read_checkpoint(self.note).size

    def cosigned(self) -> bytes:
        """Return the checkpoint with all signatures."""
        return self.written + "".join(one.line() for one in self.signatures.values()).encode()


class Cosigning:
    """Asks the witnesses of a policy, round after round.

    count: called with each outcome.   post: sends a request.   clock: returns seconds.
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
        """Ask for the missing signatures of the newest checkpoint.

        The checkpoint is stored once it has enough signatures. Raises JournalUnavailable. A later
        round then stores the checkpoint.
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
        if len(signed_by) > newest.stored_count and self._policy.is_met_by(signed_by):
            self._log.keep_cosigned(newest.size, newest.cosigned())
            newest.stored_count = len(signed_by)

    def _is_due(self, one: _WitnessState) -> bool:
        return one.name not in self._newest.signatures and self._clock() >= one.next_try

    def _ask_all(
        self, due: list[_WitnessState], newest: _PendingCheckpoint
    ) -> Mapping[str, Signature]:
        """Ask all the given witnesses at once. Return the signatures by name."""
        signatures: dict[str, Signature] = {}
        troubles: list[Exception] = []

        def ask(one: _WitnessState) -> None:
            try:
                signature = self._outcome(one, newest)
            except Exception as error:  # noqa: BLE001 - raised again below
                troubles.append(error)
            else:
                if signature is not None:
                    signatures[one.name] = signature

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
        return signatures

    def _outcome(self, one: _WitnessState, newest: _PendingCheckpoint) -> Signature | None:
        """Return the signature of a witness. Log and count the outcome."""
        try:
            signature = self._ask(one, newest)
        except (_Failed, OSError, http.client.HTTPException) as error:
            is_refused = isinstance(error, _Refused)
            self._note_failure(one, error, is_refused=is_refused)
            self._count(REFUSED if is_refused else FAILED)
            return None

        if signature is not None:
            if one.failures:
                _log.info("witness signed again", extra={"witness": one.name})
            one.failures = 0
            self._count(COSIGNED)
        return signature

    def _note_failure(self, one: _WitnessState, error: Exception, *, is_refused: bool) -> None:
        details = {"witness": one.name, "reason": str(error) or type(error).__name__}
        if is_refused:
            _log.error("witness refused the log: it has seen another history", extra=details)
            one.size = 0  # 0 makes the next request learn the size
        elif not one.failures:
            _log.warning("witness did not sign", extra=details)
        one.delay(self._clock())

    # ---- one witness ----------------------------------------------------------------------------

    def _ask(self, one: _WitnessState, newest: _PendingCheckpoint) -> Signature | None:
        """Return the signature of a witness.

        None: the witness has seen a newer checkpoint, or has reported another size each time.
        """
        size = newest.size
        for _ in range(_TRIES):
            old = one.size
            if old > size:
                self._require_size(old)
                return None

            proof = self._log.consistency(old, size) if old else []
            answer = self._post(one.url.rstrip("/") + PATH, _request(old, proof, newest.written))
            if answer.status == http.client.OK:
                one.size = size
                return _signature(one.key, newest, answer.body)
            one.size = _witness_size(answer, old)
        return None

    def _require_size(self, witness_size: int) -> None:
        """Raise _Refused if a witness has seen more entries than the log has."""
        size = self._log.size()
        if witness_size > size:
            raise _Refused(f"it has seen {witness_size} entries, but the log has {size}")


def _request(old: int, proof: list[bytes], checkpoint: bytes) -> bytes:
    return "\n".join([f"old {old}", *map(to_base64, proof), "", ""]).encode() + checkpoint


def _witness_size(answer: Answer, old: int) -> int:
    """Return the size of the log that a witness reports. Raises _Failed for any other answer."""
    if answer.status == http.client.UNPROCESSABLE_ENTITY:
        raise _Refused(f"the log does not begin with the {old} entries it has seen")
    size_match = _SIZE.fullmatch(answer.body)
    if answer.status != http.client.CONFLICT or size_match is None:
        raise _Failed(f"it answered {answer.status}")
    if int(size_match[1]) == old:
        raise _Refused(f"it has seen {old} other entries")
    return int(size_match[1])


def _signature(key: Verifier, newest: _PendingCheckpoint, lines: bytes) -> Signature:
    """Return the signature of a witness from the lines of its answer. Raises _Failed."""
    text = newest.note.text
    try:
        answered = read_note(f"{text}\n".encode() + lines)
    except BadNote as error:
        raise _Failed(f"its answer is not valid: {error}") from None
    for one in answered.signatures:
        if answered.text == text and has_cosigned(key, Note(text, (one,))):
            return one
    raise _Failed("its answer has no signature of its key")


def post_in_time(url: str, body: bytes) -> Answer:
    """Send a POST, and wait for CALL_SECONDS at most once connected. Follow no redirect."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "User-Agent": "giornale"}
    limits = Limits(CALL_SECONDS, CALL_SECONDS, _LONGEST_ANSWER)
    reply = Connection(url, limits).post(body, headers)
    return Answer(reply.status, reply.body)


# ---- rounds --------------------------------------------------------------------------------------


class Asking:
    """Makes the rounds of requests. No error ends them."""

    def __init__(self, cosigning: Cosigning) -> None:
        self._cosigning = cosigning
        self._outage = Outage(_log, "witness requests")

    def attempt(self) -> float:
        """Make one round. Return the pause before the next one, in seconds. Never raises."""
        try:
            self._cosigning.round()
        except (RedisError, JournalUnavailable) as error:
            self._outage.begin(error)
        except Exception:  # noqa: BLE001 - the log must go on in any case
            _log.exception("witnesses could not be asked")
        else:
            self._outage.end()
        return ROUND_SECONDS


def open_rounds(policy: str, ctx: Context, count: Callable[[str], object]) -> Rounds:
    """Return the rounds for the witnesses of a policy. `policy` is the path of its file.

    count: called with each outcome.   Raises BadProof for an invalid policy.
    """
    assert ctx.log is not None, "a process has a log"
    asking = Asking(Cosigning(read_policy_to_ask(Path(policy)), ctx.log, count))
    # Stop without waiting: a witness may be slow, and a cut-off request loses nothing.
    return Rounds("witnesses", asking.attempt, stop_seconds=0)
