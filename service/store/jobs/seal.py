"""The seal of values and jobs in the queues' Redis. Other programs may read and write there.

A value is encrypted and bound to its key. A job has a code over its queue, its id and its
arguments. The cipher and the code have two keys, derived from the service's own secret.
"""

import hmac
import secrets
from collections.abc import Sequence

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.record.commit import Json, canonical

CODE = "mac"  # member of a job's meta

# Of AES-GCM. NIST SP 800-38D allows random nonces (8.2.2) for at most 2**32 encryptions with a key
# (8.3).
_NONCE_BYTES = 12


class Seal:
    """The seal of one service. Safe to share among threads.

    secret: the service's own secret.
    """

    def __init__(self, secret: bytes) -> None:
        self._cipher = AESGCM(_derive_key(secret, "kept"))
        self._code_key = _derive_key(secret, "jobs")

    def close(self, key: str, value: Json) -> bytes:
        """Encrypt a value for storage under a key."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, orjson.dumps(value), key.encode())

    def open(self, key: str, content: bytes) -> Json | None:
        """Decrypt the content of a key. Return None if this service did not store it there."""
        nonce, encrypted = content[:_NONCE_BYTES], content[_NONCE_BYTES:]
        try:
            plain = self._cipher.decrypt(nonce, encrypted, key.encode())
        except (InvalidTag, ValueError):  # ValueError: the nonce is too short
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
        """Return True if something is the code of a job."""
        if not isinstance(code, str):
            return False
        right = self.code(queue, job_id, arguments)
        return hmac.compare_digest(code.encode(errors="replace"), right.encode())


def code_in(meta: object) -> object:
    """Return the unchecked code in a job's meta, None without one."""
    return meta.get(CODE) if isinstance(meta, dict) else None


def _derive_key(secret: bytes, purpose: str) -> bytes:
    """Return a key of 32 bytes for one purpose alone."""
    return hmac.digest(secret, f"queues|{purpose}".encode(), "sha256")
