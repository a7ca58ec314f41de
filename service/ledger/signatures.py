"""Signatures of Ed25519 (RFC 8032): keys and signatures that can be trusted, and what seats sign.

A player's key signs the commits of their seat (M18). The signature stands in the commit's CONTENT.
Where the command hides something it lies in the seat's secret part, for it would let anybody try
what is hidden. docs/fairness.md says all of it, in sections 9 and 12.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.match import messages
from domain.match.state import Seat
from domain.seats import seat_actor, seat_of
from service.ledger.commit import Json, StoredCommit, canonical, is_digest

_SIGNATURE = re.compile("[0-9a-f]{128}")

# The field and the order of the curve (RFC 8032, section 5.1).
PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493

# The y of the eight points of small order. As a key each makes signatures that fit many texts.
_EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL_ORDER = (0, 1, PRIME - 1, _EIGHTH, PRIME - _EIGHTH)


# ---- keys and signatures -------------------------------------------------------------------------


def is_key(value: object) -> bool:
    """Return whether a value is a key, in hex, that fits only what its holder has signed."""
    return is_digest(value) and _is_point(bytes.fromhex(value))


def is_signature(value: object) -> bool:
    """Return whether a value is a point and a number below the order, in hex."""
    if not isinstance(value, str) or not _SIGNATURE.fullmatch(value):
        return False
    signature = bytes.fromhex(value)
    return _is_point(signature[:32]) and int.from_bytes(signature[32:], "little") < ORDER


def fits(key: str, signature: object, signed: bytes) -> bool:
    """Return whether a value is the signature of some bytes by a key, which `is_key` takes."""
    if not isinstance(signature, str) or not is_signature(signature):
        return False
    try:
        _parsed(key).verify(bytes.fromhex(signature), signed)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=1024)  # a seat signs many commits with one key
def _parsed(key: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))


def _is_point(encoded: bytes) -> bool:
    """Return whether 32 bytes encode a point in the one way there is, and not of small order.

    The highest bit is the sign of x; the others are y, which is below the field's prime.
    """
    y = int.from_bytes(encoded, "little") & ((1 << 255) - 1)
    return y < PRIME and y not in SMALL_ORDER


# ---- what a seat signs ---------------------------------------------------------------------------


def text_to_sign(match: str, version: int, prev: str, key: str, command: Json) -> bytes:
    """Return the bytes that a seat signs.

    version: which the commit makes.   prev: the hash of the commit before.   key: the seat's.
    command: the whole, with its secret fields.
    """
    signed = {"command": command, "key": key, "match": match, "prev": prev, "version": version}
    return canonical(signed)


def is_signed(stored: StoredCommit) -> bool:
    """Return whether a commit, of which all secret parts are here, carries a signature."""
    content = stored["commit"]
    own = stored["secrets"].get(content["actor"], {})
    return "signature" in content or "signature" in own


# ---- the signatures of a match -------------------------------------------------------------------


class BadSignature(Exception):
    """A commit is not signed as it must be, or a key cannot be that of a seat.

    code: "signature_wrong" or "key_wrong".
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


@dataclass(slots=True)
class SignedSeats:
    """The seats of a match, folded from its commits, and what is known of their signatures (M18).

    No game is needed, and no message is decoded.
    signed: how many signatures are right.
    hidden: how many lie in secret parts that are not there.
    """

    seats: list[Seat] = field(default_factory=list)
    signed: int = 0
    hidden: int = 0

    def check(self, stored: StoredCommit) -> None:
        """Check the signature of the next commit, and the keys that it brings.

        Its messages and its secret parts have the form of such. Raises BadSignature.
        """
        self._check_signature(stored)
        for number, event in enumerate(stored["commit"]["events"]):
            if number == 0 and event.get("type") == messages.MatchOpened.tag:
                self._open(event)
            else:
                self._apply(event)

    def _check_signature(self, stored: StoredCommit) -> None:
        content, parts = stored["commit"], stored["secrets"]
        actor = content["actor"]
        key = self._key_of(actor, content["command"])
        in_parts = [audience for audience, part in parts.items() if "signature" in part]
        if not key:
            if "signature" in content or in_parts:
                raise _wrong("it carries a signature, and must not be signed")
            return

        commands_in = [audience for audience, part in parts.items() if "command" in part]
        if any(audience != actor for audience in [*commands_in, *in_parts]):
            raise _wrong("its command or its signature lies in a part of another audience")

        lacks_part = actor in content["secrets"] and actor not in parts
        if lacks_part and "signature" not in content:
            self.hidden += 1
            return

        is_hidden = bool(commands_in)
        if (bool(in_parts), "signature" in content) != (is_hidden, not is_hidden):
            raise _wrong("it is not signed where it must be")
        if not fits(key, _signature_in(stored), _signed_text(stored, key)):
            raise _wrong(f"it is not signed by the key of {actor}")
        self.signed += 1

    def _key_of(self, actor: str, command: Json) -> str:
        """Return the key that must sign a command of an actor, "" for none."""
        number = seat_of(actor)
        if number is None or number >= len(self.seats):
            return ""
        seat = self.seats[number]
        return seat.key if seat.signs(str(command.get("type"))) else ""

    def _open(self, opened: Json) -> None:
        for plan in opened.get("seats", ()):
            self.seats.append(_seat())
            self._sit(len(self.seats) - 1, str(plan.get("kind")), plan)

    def _apply(self, event: Json) -> None:
        """Apply an event that changes who holds a seat."""
        number = event.get("seat")
        if type(number) is not int or not 0 <= number < len(self.seats):
            return
        tag = event.get("type")
        seat = self.seats[number]
        if tag == messages.SeatJoined.tag:
            self._sit(number, "human", event)
        elif tag == messages.SeatLeft.tag:
            self.seats[number] = _seat()
        elif tag == messages.SeatReplaced.tag:
            self.seats[number] = _seat("bot", seat.key)
        elif tag == messages.SeatRestored.tag:
            self.seats[number] = _seat("human", seat.key)

    def _sit(self, number: int, kind: str, message: Json) -> None:
        """Let somebody sit on a seat, with the key that a message tells; raises BadSignature."""
        key = message.get("key", "")
        if "key" in message and (kind != "human" or not is_key(key)):
            raise BadSignature("key_wrong", f"the key of {seat_actor(number)} cannot be one (M18)")
        self.seats[number] = _seat()
        if key and any(seat.key == key for seat in self.seats):
            detail = f"the key of {seat_actor(number)} is another seat's (M18)"
            raise BadSignature("key_wrong", detail)
        self.seats[number] = _seat(kind, key)


def _seat(kind: str = "open", key: str = "") -> Seat:
    """Return a seat as far as it matters to signatures."""
    return Seat(kind, level="", name="", entropy="", key=key)


def _signature_in(stored: StoredCommit) -> object:
    """Return the signature of a commit, None where it is not written as one."""
    content = stored["commit"]
    if "signature" in content:
        return content["signature"]
    holder = stored["secrets"][content["actor"]]["signature"]
    return holder["hex"] if holder.keys() == {"hex"} else None


def _signed_text(stored: StoredCommit, key: str) -> bytes:
    """Return what the seat of a commit has signed, its command whole."""
    content = stored["commit"]
    hidden = stored["secrets"].get(content["actor"], {}).get("command", {})
    command = {**content["command"], **hidden}
    return text_to_sign(content["match"], content["version"], content["prev"], key, command)


def _wrong(detail: str) -> BadSignature:
    return BadSignature("signature_wrong", f"{detail} (M18)")
