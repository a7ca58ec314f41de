"""The seal on what lies in the queues' Redis, where others may read and write.

What is kept is encrypted and bound to the key that it is kept under. A job carries a code over its
queue, its id and its arguments. Both need keys that are made of the service's own secret.
"""

import hmac
import secrets
from collections.abc import Sequence

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.record.commit import Json, canonical

CODE = "mac"  # where a job's meta holds its code

_NONCE_BYTES = 12  # as AES-GCM has it (NIST SP 800-38D, 8.2.2: random, for 2**32 values at most)


class Seal:
    """The seal of one service; safe to share among threads.

    secret: the service's own, from which both keys are made.
    """

    def __init__(self, secret: bytes) -> None:
        self._cipher = AESGCM(_made_of(secret, "kept"))
        self._code_key = _made_of(secret, "jobs")

    def close(self, key: str, value: Json) -> bytes:
        """Return a value as it is kept under a key."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, orjson.dumps(value), key.encode())

    def open(self, key: str, content: bytes) -> Json | None:
        """Return the value that is kept under a key, None if this service has not put it there."""
        nonce, encrypted = content[:_NONCE_BYTES], content[_NONCE_BYTES:]
        try:
            plain = self._cipher.decrypt(nonce, encrypted, key.encode())
        except (InvalidTag, ValueError):  # ValueError: it is shorter than a nonce
            return None

        value: Json = orjson.loads(plain)
        return value

    def code(self, queue: str, job_id: str, arguments: Sequence[str | int]) -> str:
        """Return the code of a job: HMAC-SHA256 in hex."""
        message = canonical([queue, job_id, list(arguments)])
        return hmac.digest(self._code_key, message, "sha256").hex()

    def is_code(
        self, code: object, queue: str, job_id: str, arguments: Sequence[str | int]
    ) -> bool:
        """Return whether something is the code of a job."""
        if not isinstance(code, str):
            return False
        right = self.code(queue, job_id, arguments)
        return hmac.compare_digest(code.encode(errors="replace"), right.encode())


def code_in(meta: object) -> object:
    """Return what a job's meta holds as its code, None if it holds none."""
    return meta.get(CODE) if isinstance(meta, dict) else None


def _made_of(secret: bytes, purpose: str) -> bytes:
    """Return a key of 32 bytes for one purpose alone."""
    return hmac.digest(secret, f"queues|{purpose}".encode(), "sha256")
