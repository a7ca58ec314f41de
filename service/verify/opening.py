"""The opening of a record: a match that could have been opened, its committed secret, its seats."""

import hashlib
import re

from domain.chance import bound_key
from domain.errors import BadOption
from domain.games import RULES
from domain.match.messages import MatchOpened
from service.ledger.canonical import Json, canonical
from service.ledger.commit import Content
from service.verify.report import Wrong

_DIGEST = re.compile("[0-9a-f]{64}")
_NAME = "(?:[0-9a-f]{64})?"
_SEATS = {  # the patterns of level, digest of the name and entropy
    "human": ("", _NAME, "(?:[0-9a-f]{2}){0,32}"),
    "bot": ("[a-z]{1,16}", _NAME, ""),
    "open": ("", "", ""),
}


def check_opening(event: MatchOpened) -> None:
    """Check the game, its seats and options (M1); raises Wrong."""
    game = RULES[event.rules]
    if event.game != game.key or len(event.seats) not in game.seats:
        raise _not_opened("the rules are not the game's, or take another number of seats")

    try:
        options = game.read_options(event.options)
    except BadOption as error:
        raise _not_opened(f"the game does not take its options: {error}") from None
    if canonical(options) != canonical(event.options):
        raise _not_opened("its options are not written as they would be")
    if event.visibility not in ("public", "private"):
        raise _not_opened("a match is either public or private")
    if event.advice not in (None, True):
        raise _not_opened("a match without advice does not say so (M14)")

    for seat in event.seats:
        check_seat(1, seat.kind, level=seat.level, name=seat.name, entropy=seat.entropy)


def _not_opened(detail: str) -> Wrong:
    return Wrong(1, "not_opened", detail)


def check_seat(number: int, kind: str, level: str = "", name: str = "", entropy: str = "") -> None:
    """Check that a seat can be held so.

    A name that is no digest is refused, because names have no place in the chain.
    """
    patterns = _SEATS.get(kind)
    held_right = patterns is not None and all(
        re.fullmatch(pattern, value)
        for pattern, value in zip(patterns, (level, name, entropy), strict=True)
    )
    if not held_right:
        detail = "a seat cannot be held so (M1): its kind, level, name or entropy is not right"
        raise Wrong(number, "bad_seat", detail)


def check_sealing(first: Content) -> None:
    """Check that a first commit seals a secret for the house and is bound to no other match (M10).

    Raises Wrong.
    Nothing secret is needed: what is checked is the public part.
    """
    opening = opening_of(first)
    if "house" not in first["secrets"]:
        raise _not_sealed("the first commit does not seal the match's secret for the house (M10)")
    if not _is_digest(opening.get("commitment")):
        raise _not_sealed(
            "the first commit is not committed to a secret: its commitment is no digest (M10)"
        )

    bound_to = opening.get("match")
    if bound_to is not None and bound_to != first["match"]:
        detail = "its commits are of another match than the one that its secret is bound to (M10)"
        raise Wrong(1, "relabelled", detail)


def check_sealed(first: Content, house_part: Json) -> None:
    """Check that the house's part of a first commit holds the committed secret twice (M10).

    Raises Wrong.
    """
    opening = opening_of(first)
    for place in ("command", "0"):
        secret = house_part.get(place, {}).get("secret")
        if secret is None:
            raise _not_sealed(
                "the house's part of the first commit does not hold the match's secret (M10)"
            )
        check_commitment(1, secret, opening)


def _not_sealed(detail: str) -> Wrong:
    return Wrong(1, "not_sealed", detail)


def opening_of(first: Content) -> Json:
    """Return the event of a first commit that opens the match, {} if it has no event at all."""
    events = first["events"]
    return events[0] if events else {}


def check_commitment(number: int, secret: object, opening: Json) -> None:
    """Check that a commit tells the secret that the match's opening is committed to (M10).

    Raises Wrong.
    Its length is checked, too: the key of another match is longer than any secret.
    """
    if not isinstance(secret, str) or not _is_digest(secret):
        raise Wrong(number, "commitment_broken", "the match's secret is not 32 bytes in hex")

    key = bytes.fromhex(secret)
    bound_to = opening.get("match")
    if bound_to is not None:
        key = bound_key(key, str(bound_to))
    if hashlib.sha256(key).hexdigest() != opening.get("commitment"):
        detail = "the match's secret is not the one that was committed to (M10)"
        raise Wrong(number, "commitment_broken", detail)


def _is_digest(value: object) -> bool:
    """Return whether a value is 32 bytes in lower-case hex."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None
