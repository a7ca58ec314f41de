"""Receipts: the server's word that a commit was accepted, signed with Ed25519 (RFC 8032).

A receipt is `{"match","version","hash","time","key","signature"}`. The signature, in hex, is over
the canonical JSON of the other five members. `time` is the time of the commit, `key` the id of the
key. Log and witnesses sign checkpoints with a `Signer`, too.

Anyone with a receipt and the list of public keys can check the receipt without a server
(`service.record.record`). Rotated keys stay on the list, with the end of their validity.
"""

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.base import answers
from service.base.private_files import locked, write_private
from service.record.commit import Json, StoredCommit, canonical, timestamp

_log = logging.getLogger(__name__)

# A rotated key is valid for a minute more, because a process may be about to sign with it.
GRACE_MS = 60_000
_KEY_ID_LENGTH = 16


class NoKeys(Exception):
    """There are no keys yet, and the caller does not want keys created."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The members of a receipt that describe the commit."""

    match: str
    version: int
    hash: str
    time: str

    @classmethod
    def of(cls, stored: StoredCommit) -> "Accepted":
        """Return the members of a receipt for a stored commit."""
        content = stored["commit"]
        return cls(
            match=content["match"],
            version=content["version"],
            hash=stored["hash"],
            time=content["time"],
        )


def sign_receipt(accepted: Accepted, key_id: str, private: Ed25519PrivateKey) -> answers.Receipt:
    """Return the receipt of an accepted commit."""
    receipt = {
        "match": accepted.match,
        "version": accepted.version,
        "hash": accepted.hash,
        "time": accepted.time,
        "key": key_id,
    }
    signature = private.sign(canonical(receipt))
    return {
        "match": accepted.match,
        "version": accepted.version,
        "hash": accepted.hash,
        "time": accepted.time,
        "key": key_id,
        "signature": signature.hex(),
    }


class Signer:
    """The keys in one file, shared by all processes of a server.

    The file is created when a key is first needed, and read again after each change.
    """

    def __init__(self, path: Path, clock: Callable[[], int]) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()

        self._keys: list[Json] = []
        self._signing_key: Ed25519PrivateKey
        # Inode and time of change (ns) of the file at its last reading.
        self._file_state: tuple[int, int] | None = None

    def sign(self, accepted: Accepted) -> answers.Receipt:
        """Return the receipt of an accepted commit, signed with the newest key."""
        with self._lock:
            self._read()
            key_id = self._keys[-1]["id"]
            signing_key = self._signing_key

        return sign_receipt(accepted, key_id, signing_key)

    def sign_bytes(self, signed: bytes) -> tuple[str, bytes]:
        """Return the id of the newest key, and its signature of `signed`."""
        with self._lock:
            self._read()
            return str(self._keys[-1]["id"]), self._signing_key.sign(signed)

    def key_id(self) -> str:
        """Return the id of the newest key."""
        with self._lock:
            self._read()
            return str(self._keys[-1]["id"])

    def keys(self) -> list[answers.Key]:
        """Return the public keys, oldest first.

        Each has id, algorithm, public (in hex), from, and until (None while the key is in use).
        """
        with self._lock:
            self._read()
            return [_public_part(key) for key in self._keys]

    def existing_keys(self) -> list[answers.Key]:
        """Return the public keys as `keys` does, but create none. Raises NoKeys."""
        try:
            self._path.stat()
        except FileNotFoundError:
            reason = f"there is no key in {self._path.parent} yet"
            raise NoKeys(f"{reason}. The web process makes one when it starts") from None

        return self.keys()

    def rotate(self) -> answers.Key:
        """Sign with a new key from now on, and return its public part.

        The old private key is deleted. Raises NoKeys if there is no key to replace.
        """
        self.existing_keys()

        with self._lock, locked(self._path):
            self._read()
            *older_keys, last_key = self._keys
            now = self._clock()
            retired_key = _public_part(last_key) | {"until": timestamp(now + GRACE_MS)}
            new_key = _new_key(now)

            content = _key_file([*older_keys, retired_key, new_key])
            write_private(self._path, content, replace=True)
            return _public_part(new_key)

    def _read(self) -> None:
        """Read the file again if it has changed. Create or restore a missing one."""
        try:
            status = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            if self._keys and not self._put_back():
                return
            if not self._keys:
                write_private(self._path, _key_file([_new_key(self._clock())]))
            status = self._path.stat()

        file_state = (status.st_ino, status.st_mtime_ns)
        if file_state == self._file_state:
            return

        self._keys = orjson.loads(self._path.read_bytes())["keys"]
        private_bytes = bytes.fromhex(self._keys[-1]["private"])
        self._signing_key = Ed25519PrivateKey.from_private_bytes(private_bytes)
        self._file_state = file_state

    def _put_back(self) -> bool:
        """Write a lost file again. Return False if that fails now.

        With a new key all earlier receipts would have an unknown key. So this process goes on to
        sign with the keys in its memory.
        """
        was_there = self._file_state is not None
        self._file_state = None
        try:
            write_private(self._path, _key_file(self._keys))
        except OSError as error:
            if was_there:
                details = {"file": str(self._path), "reason": error.strerror}
                _log.error("lost keys could not be written again", extra=details)
            return False
        _log.warning("lost keys written again", extra={"file": str(self._path)})
        return True


def _new_key(now: int) -> Json:
    """Return a new key in the form of the file.

    now: milliseconds since the epoch.
    """
    private_key = Ed25519PrivateKey.generate()
    public_bytes = private_key.public_key().public_bytes_raw()

    return {
        "id": hashlib.sha256(public_bytes).hexdigest()[:_KEY_ID_LENGTH],
        "algorithm": "Ed25519",
        "public": public_bytes.hex(),
        "from": timestamp(now),
        "until": None,
        "private": private_key.private_bytes_raw().hex(),
    }


def _public_part(key: Json) -> answers.Key:
    """Return a key without its private part."""
    return {
        "id": key["id"],
        "algorithm": key["algorithm"],
        "public": key["public"],
        "from": key["from"],
        "until": key["until"],
    }


def _key_file(keys: Sequence[Mapping[str, object]]) -> bytes:
    """Return the content of a key file."""
    return orjson.dumps({"keys": keys}, option=orjson.OPT_INDENT_2)
