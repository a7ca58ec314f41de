"""The secret behind a new match's chance (M10)."""

import hashlib
import secrets
from dataclasses import dataclass

from domain.chance import bound_key


@dataclass(frozen=True, slots=True)
class MatchSecret:
    """Where a match's chance comes from.

    secret: 32 bytes.   key: 32 bytes that key the draws and salts.
    bound_to: the match whose id went into the key, None for none.
    """

    secret: bytes
    key: bytes
    bound_to: str | None

    @property
    def commitment(self) -> str:
        """The digest of the key, by which all draws can be checked after the end."""
        return hashlib.sha256(self.key).hexdigest()


def new_secret(match_id: str) -> MatchSecret:
    """Return a random secret that is bound to a match's id."""
    secret = secrets.token_bytes(32)
    return MatchSecret(secret, key=bound_key(secret, match_id), bound_to=match_id)


def seeded_secret(seed: str) -> MatchSecret:
    """Return the secret of a seed: it fixes the draws whatever the match's id (decision 0020)."""
    secret = hashlib.sha256(f"seed|{seed}".encode()).digest()
    return MatchSecret(secret, key=secret, bound_to=None)
