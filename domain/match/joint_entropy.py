"""Joint entropy: what the humans of a match pledge and disclose before it starts (M19).

Each human pledges the digest of random bytes. Once all have pledged, each discloses the bytes. So
nobody knows the draws while anything that they depend on can still be chosen.
"""

import hashlib
import re
from dataclasses import dataclass

PLEDGE = "pledge"
DISCLOSURE = "disclosure"
HOUR_MS = 60 * 60 * 1000

_HEX = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class JointEntropy:
    """How long a match waits for what its humans owe.

    patience_ms: a seat that owes something for so long is open again.
    since: when seats, pledges or disclosures have changed last, in milliseconds since 1970; 0 from
    the start of the match on.
    pledged: all pledges that were made in the match, dropped ones too. Somebody may have read the
    bytes behind them.
    """

    patience_ms: int
    since: int = 0
    pledged: tuple[str, ...] = ()

    @property
    def due(self) -> int:
        """When the seats that owe something lapse."""
        return self.since + self.patience_ms


def is_hex(text: str) -> bool:
    """Return whether a text is 32 bytes in lower-case hex, as pledges and entropy are."""
    return _HEX.fullmatch(text) is not None


def pledge_of(entropy: str, seat: int) -> str:
    """Return the digest that pledges a seat's entropy: SHA-256 of canonical JSON.

    It names the seat, so nobody can repeat another seat's pledge and disclosure.
    """
    text = f'{{"entropy":"{entropy}","seat":{seat}}}'
    return hashlib.sha256(text.encode()).hexdigest()
