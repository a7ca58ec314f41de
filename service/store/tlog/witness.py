"""A witness (C2SP tlog-witness): signs checkpoints that go on from the last one it has signed.

What it remembers of a log is written, durably, before anybody gets its signature. So a log that
shows two histories gets no signature for one of them, whatever happens to the witness meanwhile.
"""

import logging
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

import orjson

from service.base.private_files import locked, write_private
from service.record.tlog import tree
from service.record.tlog.checkpoint import (
    COSIGNATURE,
    NAME,
    BadNote,
    Checkpoint,
    Note,
    Signature,
    Verifier,
    read_checkpoint,
    read_note,
)
from service.record.tlog.proof import MOST_HASHES, BadProof, cosigned, read_hash
from service.store.keys.signer import Signer

_log = logging.getLogger(__name__)

MOST_BYTES = 32 * 1024  # of a request
PATH = "/add-checkpoint"
SIZE_TYPE = "text/x.tlog.size"
TEXT_TYPE = "text/plain; charset=utf-8"

KEY_FILE = "witness-key.json"
STATE_FILE = "witness.json"

_MOST_SIZE = 2**63 - 1
_OLD = re.compile("old (0|[1-9][0-9]{0,18})", re.ASCII)
_SECOND_MS = 1000


class WitnessUnusable(Exception):
    """The data directory of a witness is not right; the message says why. Nothing is signed."""


@dataclass(frozen=True, slots=True)
class SignedHead:
    """How far a log went when it was last signed."""

    size: int = 0
    root: bytes = tree.EMPTY_ROOT

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Return what a file says; raises ValueError, KeyError or TypeError for a damaged one."""
        seen = cls(int(fields["size"]), bytes.fromhex(fields["root"]))
        if seen.size < 0 or len(seen.root) != tree.HASH_BYTES:
            raise ValueError("no size, or no hash")
        return seen


@dataclass(frozen=True, slots=True)
class WitnessReply:
    """An answer of HTTP."""

    status: int
    body: bytes
    media_type: str = TEXT_TYPE


class _RequestRefused(Exception):
    """A request that gets no signature; it holds the answer."""

    def __init__(self, status: int, text: str, media_type: str = TEXT_TYPE) -> None:
        super().__init__(text)
        self.reply = WitnessReply(status, f"{text}\n".encode(), media_type)


@dataclass(frozen=True, slots=True)
class _CosignRequest:
    """What a log asks: to sign a note, which goes on from an old size, as a proof shows."""

    old: int
    proof: tuple[bytes, ...]
    note: Note
    checkpoint: Checkpoint


class Witness:
    """The witness of a data directory. Several processes may share one.

    name: that of its key; "" for the one that it has, or one that is drawn.
    logs: whose checkpoints it signs.
    clock: returns milliseconds since the epoch.
    """

    def __init__(
        self, data: Path, name: str, logs: Sequence[Verifier], clock: Callable[[], int]
    ) -> None:
        """Make the key and the state, if neither is there; raises WitnessUnusable."""
        self._state = data / STATE_FILE
        self._signer = Signer(data / KEY_FILE, clock)
        self._logs = tuple(logs)
        self._clock = clock
        self.verifier = self._prepared(data / KEY_FILE, name)

    # ---- the key and the state -------------------------------------------------------------------

    def _prepared(self, key_file: Path, name: str) -> Verifier:
        """Return the public key, after key and state were made or checked."""
        if name and not re.fullmatch(NAME, name):
            raise WitnessUnusable("the name of a witness has no space and no +")
        self._state.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(self._state):
            if not key_file.exists() and not self._state.exists():
                self._save(name or f"giornale-witness-{secrets.token_hex(8)}", {})
            known, _ = self._read()
            key = self._signer.keys()[-1]

        if name not in ("", known):
            # A signature does not say its name, so one key may not stand for two.
            raise WitnessUnusable(f"the key of this witness has the name {known}, for ever")
        return Verifier(known, COSIGNATURE, bytes.fromhex(key["public"]))

    def _read(self) -> tuple[str, dict[str, SignedHead]]:
        """Return the name of the key, and what was seen of each log; raises WitnessUnusable."""
        try:
            fields = orjson.loads(self._state.read_bytes())
            seen = {origin: SignedHead.read(one) for origin, one in fields["logs"].items()}
            return str(fields["name"]), seen
        except FileNotFoundError:
            self._refuse_to_work("is missing")
        except OSError as error:
            self._refuse_to_work(f"cannot be read: {error.strerror}")
        except (ValueError, KeyError, TypeError, AttributeError):
            self._refuse_to_work("is damaged")

    def _refuse_to_work(self, what: str) -> NoReturn:
        raise WitnessUnusable(
            f"{self._state} {what}. It says how far each log was signed, and without it this key "
            "could sign another history: put the file back, or begin anew with another key in "
            "an empty directory"
        )

    def _save(self, name: str, seen: Mapping[str, SignedHead]) -> None:
        """Write the state, durably."""
        logs = {origin: {"size": one.size, "root": one.root.hex()} for origin, one in seen.items()}
        content = orjson.dumps({"name": name, "logs": logs}, option=orjson.OPT_INDENT_2)
        write_private(self._state, content, replace=True)

    # ---- requests --------------------------------------------------------------------------------

    def add_checkpoint(self, body: bytes) -> WitnessReply:
        """Return the answer to a request: a signature, or why there is none."""
        try:
            request = _read_request(body)
            self._demand_known(request)
            self._go_on(request)
        except _RequestRefused as refused:
            return refused.reply
        except (WitnessUnusable, OSError) as error:
            _log.error("nothing is signed", extra={"reason": str(error)})
            return WitnessReply(
                500, b"this witness cannot sign now: its operator finds why in its log\n"
            )
        return WitnessReply(200, self._signed(request.note).encode())

    def _demand_known(self, request: _CosignRequest) -> None:
        """Raise _RequestRefused unless a known log has signed the checkpoint."""
        keys = [key for key in self._logs if key.name == request.checkpoint.origin]
        if not keys:
            raise _RequestRefused(404, "the log is not known here")
        if not any(key.is_on(request.note) for key in keys):
            raise _RequestRefused(403, "no known key of the log has signed the checkpoint")

    def _go_on(self, request: _CosignRequest) -> None:
        """Remember the checkpoint of a request.

        Raises _RequestRefused if it does not go on from the last.

        One request at a time: none may come between the look and what is written.
        """
        new = request.checkpoint
        if request.old > new.size:
            raise _RequestRefused(400, "the old size is greater than that of the checkpoint")

        with locked(self._state):
            name, all_seen = self._read()
            seen = all_seen.get(new.origin, SignedHead())
            if request.old != seen.size:
                raise _RequestRefused(409, str(seen.size), SIZE_TYPE)
            self._demand_same_history(request, seen)
            if new.size > seen.size:
                self._save(name, {**all_seen, new.origin: SignedHead(new.size, new.root)})

    def _demand_same_history(self, request: _CosignRequest, seen: SignedHead) -> None:
        """Raise _RequestRefused if a checkpoint does not begin with what was seen."""
        new, proof = request.checkpoint, request.proof
        if new.size == seen.size and new.root != seen.root:
            self._report(request, seen)
            raise _RequestRefused(409, str(seen.size), SIZE_TYPE)

        if seen.size:
            is_right = tree.is_consistent(seen.size, seen.root, new.size, new.root, proof)
        else:
            is_right = not proof
        if not is_right:
            # Anybody can send a wrong proof, so it is no evidence against the log.
            _log.warning(
                "proof of a request did not verify",
                extra={"origin": new.origin, "seen_size": seen.size, "size": new.size},
            )
            raise _RequestRefused(
                422, "the proof does not show that the log goes on from the old size"
            )

    def _report(self, request: _CosignRequest, seen: SignedHead) -> None:
        """Log the evidence of a fork: two roots of one size, signed by the log. It is no secret."""
        _log.error(
            "a log does not go on from what was signed",
            extra={
                "origin": request.checkpoint.origin,
                "seen_size": seen.size,
                "seen_root": seen.root.hex(),
                "checkpoint": request.note.written().decode(),
            },
        )

    def _signed(self, note: Note) -> str:
        """Return the line of this witness's signature of a checkpoint, as of now."""
        seconds = self._clock() // _SECOND_MS
        _, signature = self._signer.sign_bytes(cosigned(note.text, seconds))
        timestamped = seconds.to_bytes(8, "big") + signature
        return Signature(self.verifier.name, self.verifier.key_id, timestamped).line()


def _read_request(body: bytes) -> _CosignRequest:
    """Return what a body asks; raises _RequestRefused."""
    if len(body) > MOST_BYTES:
        raise _RequestRefused(413, f"the body has more than {MOST_BYTES} bytes")
    head, separator, written = body.partition(b"\n\n")
    first, *rest = head.decode(errors="replace").split("\n")
    old = _OLD.fullmatch(first)
    if not separator or old is None:
        raise _RequestRefused(
            400, "the body is no request: a line with the old size, a proof, a note"
        )
    if len(rest) > MOST_HASHES:
        raise _RequestRefused(400, f"the proof has more than {MOST_HASHES} hashes")

    try:
        proof = tuple(map(read_hash, rest))
        note = read_note(written)
        checkpoint = read_checkpoint(note)
    except (BadProof, BadNote) as error:
        raise _RequestRefused(400, str(error)) from None
    if max(int(old[1]), checkpoint.size) > _MOST_SIZE:
        raise _RequestRefused(400, "no log is so large")
    return _CosignRequest(int(old[1]), proof, note, checkpoint)
