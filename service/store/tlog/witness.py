"""A witness (C2SP tlog-witness): signs a checkpoint only if it extends the last signed one.

The new size and root of a log are stored durably before the caller gets the signature. So a log
with two histories gets signatures for only one of them, even if the witness crashes meanwhile.
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
    """The data directory or the name of a witness is unusable, for the reason in the message."""


@dataclass(frozen=True, slots=True)
class SignedHead:
    """Size and root of a log at its last signature."""

    size: int = 0
    root: bytes = tree.EMPTY_ROOT

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Return the head in a file. Raises ValueError, KeyError or TypeError for a damaged one."""
        head = cls(int(fields["size"]), bytes.fromhex(fields["root"]))
        if head.size < 0 or len(head.root) != tree.HASH_BYTES:
            raise ValueError("no size, or no hash")
        return head


@dataclass(frozen=True, slots=True)
class WitnessReply:
    """An HTTP response."""

    status: int
    body: bytes
    media_type: str = TEXT_TYPE


class _RequestRefused(Exception):
    """The refusal of a request. `reply` is the response."""

    def __init__(self, status: int, text: str, media_type: str = TEXT_TYPE) -> None:
        super().__init__(text)
        self.reply = WitnessReply(status, f"{text}\n".encode(), media_type)


@dataclass(frozen=True, slots=True)
class _CosignRequest:
    """A request for a signature of a note, with the proof that its log extends the old size."""

    old: int
    proof: tuple[bytes, ...]
    note: Note
    checkpoint: Checkpoint


class Witness:
    """The witness of a data directory. Several processes may share the directory.

    name: name of the key. "" for the stored name, or for a random one at the first start.
    logs: the keys of the logs that the witness signs for.
    clock: returns milliseconds since the epoch.
    """

    def __init__(
        self, data: Path, name: str, logs: Sequence[Verifier], clock: Callable[[], int]
    ) -> None:
        """Create key and state if both are missing. Raises WitnessUnusable."""
        self._state = data / STATE_FILE
        self._signer = Signer(data / KEY_FILE, clock)
        self._logs = tuple(logs)
        self._clock = clock
        self.verifier = self._prepare(data / KEY_FILE, name)

    # ---- the key and the state -------------------------------------------------------------------

    def _prepare(self, key_file: Path, name: str) -> Verifier:
        """Create or check key and state, and return the public key."""
        if name and not re.fullmatch(NAME, name):
            raise WitnessUnusable("the name of a witness may not have a space or a +")
        self._state.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(self._state):
            if not key_file.exists():
                if self._state.exists():
                    # A new key would be another witness under the old name.
                    raise WitnessUnusable(
                        f"{key_file} is missing. It stores the key of this witness. Put the file "
                        "back, or start a new witness in an empty directory"
                    )
                self._save(name or f"giornale-witness-{secrets.token_hex(8)}", {})
            stored_name, _ = self._read()
            key = self._signer.keys()[-1]

        if name not in ("", stored_name):
            # The name is not part of the signature, so one key may not have two names.
            raise WitnessUnusable(f"the key of this witness has the name {stored_name} for ever")
        return Verifier(stored_name, COSIGNATURE, bytes.fromhex(key["public"]))

    def _read(self) -> tuple[str, dict[str, SignedHead]]:
        """Return the name of the key, and the last signed head of each log.

        Raises WitnessUnusable.
        """
        try:
            fields = orjson.loads(self._state.read_bytes())
            heads = {origin: SignedHead.read(one) for origin, one in fields["logs"].items()}
            return str(fields["name"]), heads
        except FileNotFoundError:
            self._refuse_to_work("is missing")
        except OSError as error:
            self._refuse_to_work(f"cannot be read: {error.strerror}")
        except (ValueError, KeyError, TypeError, AttributeError):
            self._refuse_to_work("is damaged")

    def _refuse_to_work(self, what: str) -> NoReturn:
        raise WitnessUnusable(
            f"{self._state} {what}. It stores the last signed size of each log. Without it this "
            "key could sign another history. Put the file back, or start with a new key in an "
            "empty directory"
        )

    def _save(self, name: str, heads: Mapping[str, SignedHead]) -> None:
        """Write the state durably."""
        logs = {origin: {"size": one.size, "root": one.root.hex()} for origin, one in heads.items()}
        content = orjson.dumps({"name": name, "logs": logs}, option=orjson.OPT_INDENT_2)
        write_private(self._state, content, replace=True)

    # ---- requests --------------------------------------------------------------------------------

    def add_checkpoint(self, body: bytes) -> WitnessReply:
        """Return the response to a request: a signature, or a refusal."""
        try:
            request = _read_request(body)
            self._demand_known(request)
            self._advance(request)
        except _RequestRefused as refused:
            return refused.reply
        except (WitnessUnusable, OSError) as error:
            _log.error("checkpoint not signed", extra={"reason": str(error)})
            return WitnessReply(
                500, b"this witness cannot sign now: its operator finds why in its log\n"
            )
        return WitnessReply(200, self._sign(request.note).encode())

    def _demand_known(self, request: _CosignRequest) -> None:
        """Raise _RequestRefused unless a known log has signed the checkpoint."""
        keys = [key for key in self._logs if key.name == request.checkpoint.origin]
        if not keys:
            raise _RequestRefused(404, "the log is unknown here")
        if not any(key.is_on(request.note) for key in keys):
            raise _RequestRefused(403, "no known key of the log has signed the checkpoint")

    def _advance(self, request: _CosignRequest) -> None:
        """Store the checkpoint of a request as the last signed head.

        Raises _RequestRefused, for example if the checkpoint does not extend the stored head, and
        WitnessUnusable. The lock covers the comparison and the write, so no other request can
        change the head in between.
        """
        new = request.checkpoint
        if request.old > new.size:
            raise _RequestRefused(400, "the old size is greater than that of the checkpoint")

        with locked(self._state):
            name, heads = self._read()
            head = heads.get(new.origin, SignedHead())
            if request.old != head.size:
                raise _RequestRefused(409, str(head.size), SIZE_TYPE)
            self._demand_same_history(request, head)
            if new.size > head.size:
                self._save(name, {**heads, new.origin: SignedHead(new.size, new.root)})

    def _demand_same_history(self, request: _CosignRequest, head: SignedHead) -> None:
        """Raise _RequestRefused unless a checkpoint extends the last signed head."""
        new, proof = request.checkpoint, request.proof
        if new.size == head.size and new.root != head.root:
            self._report(request, head)
            raise _RequestRefused(409, str(head.size), SIZE_TYPE)

        if head.size:
            is_right = tree.is_consistent(head.size, head.root, new.size, new.root, proof)
        else:
            is_right = not proof
        if not is_right:
            # Anybody can send a wrong proof, so it is no evidence against the log.
            _log.warning(
                "proof in a request was wrong",
                extra={"origin": new.origin, "seen_size": head.size, "size": new.size},
            )
            raise _RequestRefused(422, "the proof does not show that the log extends the old size")

    def _report(self, request: _CosignRequest, head: SignedHead) -> None:
        """Log the evidence of a fork: two roots of one size, signed by the log.

        The evidence is not secret.
        """
        _log.error(
            "log forked: two roots of one size",
            extra={
                "origin": request.checkpoint.origin,
                "seen_size": head.size,
                "seen_root": head.root.hex(),
                "checkpoint": request.note.written().decode(),
            },
        )

    def _sign(self, note: Note) -> str:
        """Return the signature line of this witness for a checkpoint, with the time now."""
        seconds = self._clock() // _SECOND_MS
        _, signature = self._signer.sign_bytes(cosigned(note.text, seconds))
        timestamped = seconds.to_bytes(8, "big") + signature
        return Signature(self.verifier.name, self.verifier.key_id, timestamped).line()


def _read_request(body: bytes) -> _CosignRequest:
    """Parse a body. Raises _RequestRefused."""
    if len(body) > MOST_BYTES:
        raise _RequestRefused(413, f"the body has more than {MOST_BYTES} bytes")
    head, separator, written = body.partition(b"\n\n")
    first, *rest = head.decode(errors="replace").split("\n")
    old = _OLD.fullmatch(first)
    if not separator or old is None:
        raise _RequestRefused(
            400, "the body is not a request: a line with the old size, a proof, a note"
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
        raise _RequestRefused(400, "no log is that large")
    return _CosignRequest(int(old[1]), proof, note, checkpoint)
