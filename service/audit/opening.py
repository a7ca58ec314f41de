"""The opening of a record: a match that could have been opened, by a secret that was committed to, and its seats."""

import hashlib
import re

from domain.errors import BadOption
from domain.games import RULES
from domain.match.messages import MatchOpened
from service.audit.report import Wrong
from service.journal import codec

_NAME = "(?:[0-9a-f]{64})?"
_SEATS = {  # the patterns of level, digest of the name and entropy
    "human": ("", _NAME, "(?:[0-9a-f]{2}){0,32}"),
    "bot": ("[a-z]{1,16}", _NAME, ""),
    "open": ("", "", ""),
}


def check_opening(event: MatchOpened) -> None:
    """Check the game, its seats and options (M1) and that the secret, if known, is the one committed to (M10)."""
    game = RULES[event.rules]
    if event.game != game.key or len(event.seats) not in game.seats:
        raise Wrong(1, "not_opened", "the rules are not the game's, or take another number of seats")
    try:
        options = game.read_options(event.options)
    except BadOption as error:
        raise Wrong(1, "not_opened", f"the game does not take its options: {error}") from None
    if codec.canonical(options) != codec.canonical(event.options):
        raise Wrong(1, "not_opened", "its options are not written as they would be")
    if event.visibility not in ("public", "private"):
        raise Wrong(1, "not_opened", "a match is either public or private")
    for seat in event.seats:
        check_seat(1, seat.kind, seat.level, seat.name, seat.entropy)
    if event.secret is not None:
        check_commitment(1, event.secret, event.commitment)


def check_seat(number: int, kind: str, level: str = "", name: str = "", entropy: str = "") -> None:
    """Check that a seat can be held so: what is no digest may be a name, which has no place in the chain."""
    patterns = _SEATS.get(kind)
    if patterns is None or not all(map(re.fullmatch, patterns, (level, name, entropy))):
        raise Wrong(number, "bad_seat", "a seat cannot be held so (M1): its kind, level, name or entropy is not right")


def check_commitment(number: int, secret: object, commitment: object) -> None:
    """Check that a commit tells the secret that the match is committed to (M10)."""
    if not isinstance(secret, str) or not re.fullmatch("[0-9a-f]{64}", secret):
        raise Wrong(number, "commitment_broken", "the match's secret is not 32 bytes in hex")
    if hashlib.sha256(bytes.fromhex(secret)).hexdigest() != commitment:
        raise Wrong(number, "commitment_broken", "the match's secret is not the one that was committed to (M10)")
