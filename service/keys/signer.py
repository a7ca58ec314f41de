"""Receipts: the server's word that a commit was accepted, signed with Ed25519 (RFC 8032).

A receipt is `{"match","version","hash","time","key","signature"}`: the signature, in hex, is over the canonical JSON of
the other five; `time` is the commit's own; `key` names the key. Whoever holds the receipt and the list of public keys
needs no server to check it. Rotated keys stay on the list with the moment until which their word counts.
"""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.keys.secret import alone, lay
from service.ledger.canonical import Json
from service.ledger.receipts import Accepted, sign_receipt
from service.ledger.times import timestamp

GRACE_MS = 60_000  # a rotated key counts a minute longer, for whoever is just about to sign with it


class NoKeys(Exception):
    """There are no keys yet, and asking for them makes none."""


class Signer:
    """The server's keys, in one file that all its processes share: made when first needed, read again when changed."""

    def __init__(self, path: Path, clock: Callable[[], int]) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._keys: list[Json] = []
        self._private: Ed25519PrivateKey

    def sign(self, accepted: Accepted) -> Json:
        """Return the receipt of an accepted commit, signed with the newest key."""
        with self._lock:
            self._read()
            key_id, private = self._keys[-1]["id"], self._private
        return sign_receipt(accepted, key_id, private)

    def key_id(self) -> str:
        """Return the id of the key that signs now."""
        with self._lock:
            self._read()
            return str(self._keys[-1]["id"])

    def keys(self) -> list[Json]:
        """Return the public keys, oldest first: id, algorithm, public (hex), from, until (None: in use)."""
        with self._lock:
            self._read()
            return [_public(key) for key in self._keys]

    def kept(self) -> list[Json]:
        """Return the public keys as `keys` does, but make none; raises NoKeys."""
        try:
            self._path.stat()
        except FileNotFoundError:
            where = self._path.parent
            raise NoKeys(
                f"there is no key in {where} yet; the web process makes one when it starts"
            ) from None
        return self.keys()

    def rotate(self) -> Json:
        """Sign with a new key from now on; return its public part. The old private key is forgotten.

        Raises NoKeys where there is none to put out of use.
        """
        self.kept()
        with self._lock, alone(self._path):
            self._read()
            new = _new_key(self._clock())
            last = {**_public(self._keys[-1]), "until": timestamp(self._clock() + GRACE_MS)}
            lay(self._path, _written([*self._keys[:-1], last, new]), replace=True)
            return _public(new)

    def _read(self) -> None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            lay(self._path, _written([_new_key(self._clock())]))
            found = self._path.stat()
        if self._seen != (found.st_ino, found.st_mtime_ns):
            self._keys = orjson.loads(self._path.read_bytes())["keys"]
            self._private = Ed25519PrivateKey.from_private_bytes(
                bytes.fromhex(self._keys[-1]["private"])
            )
            self._seen = (found.st_ino, found.st_mtime_ns)


def _new_key(now: int) -> Json:
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    return {
        "id": hashlib.sha256(public).hexdigest()[:16], "algorithm": "Ed25519", "public": public.hex(),
        "from": timestamp(now), "until": None, "private": private.private_bytes_raw().hex(),
    }  # fmt: skip


def _public(key: Json) -> Json:
    return {name: value for name, value in key.items() if name != "private"}


def _written(keys: list[Json]) -> bytes:
    return orjson.dumps({"keys": keys}, option=orjson.OPT_INDENT_2)
