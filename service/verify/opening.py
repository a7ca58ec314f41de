"""The opening of a record: a match that could have been opened, and its committed secret."""

import hashlib
import re

from domain.chance import bound_key
from domain.errors import BadOption
from domain.games import RULES
from domain.match.clock import is_possible
from domain.match.messages import MatchOpened, Open
from domain.match.take_back import OPTIONS
from service.ledger.commit import Content, Json, canonical
from service.verify.report import Wrong

_DIGEST = re.compile("[0-9a-f]{64}")


def check_opening(event: MatchOpened) -> None:
    """Check the game, the number of its seats and its options (M1); raises Wrong."""
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
    if event.clock is not None and not is_possible(event.clock, event.seats):
        raise _not_opened("no match of such seats has such a clock (M15)")
    if event.take_back not in (None, *OPTIONS):
        raise _not_opened("it does not say which moves are taken back (M17)")


def _not_opened(detail: str) -> Wrong:
    return Wrong(1, "not_opened", detail)


def check_sealing(first: Content) -> None:
    """Check that a first commit opens a match, seals a secret and is bound to no other match (M10).

    Raises Wrong.
    Nothing secret is needed: what is checked is the public part.
    """
    command, opening = first["command"], opening_of(first)
    is_opening = (command.get("type"), opening.get("type")) == (Open.tag, MatchOpened.tag)
    rules = opening.get("rules")
    if not is_opening or not isinstance(rules, str) or rules != command.get("rules"):
        raise _not_opened("the first commit must open a match by the rules that its command names")
    if "house" not in first["secrets"]:
        raise _not_sealed("the first commit does not seal the match's secret for the house (M10)")
    if not _is_digest(opening.get("commitment")):
        raise _not_sealed(
            "the first commit is not committed to a secret: its commitment is no digest (M10)"
        )

    bound_to = [message["match"] for message in (command, opening) if "match" in message]
    if bound_to not in ([], [first["match"]] * 2):
        detail = "its commits are of another match than the one that its secret is bound to (M10)"
        raise Wrong(1, "relabelled", detail)


def sealed_key(first: Content, house_part: Json) -> bytes:
    """Return the match's key, if the house's part of the first commit holds its secret twice (M10).

    house_part: has the form of a secret part.   Raises Wrong.
    """
    in_command, in_event = (house_part.get(place, {}).get("secret") for place in ("command", "0"))
    if in_command is None or in_event is None:
        detail = "the house's part of the first commit does not hold the match's secret (M10)"
        raise _not_sealed(detail)

    opening = opening_of(first)
    checked_key(1, in_command, opening)
    return checked_key(1, in_event, opening)


def _not_sealed(detail: str) -> Wrong:
    return Wrong(1, "not_sealed", detail)


def opening_of(first: Content) -> Json:
    """Return the event of a first commit that opens the match, {} if it has no event at all."""
    events = first["events"]
    return events[0] if events else {}


def checked_key(number: int, secret: object, opening: Json) -> bytes:
    """Return the key that a secret makes, if the match's opening is committed to it (M10).

    number: of the commit that tells the secret.   Raises Wrong. The secret's length is checked,
    too: the key of another match is longer than any secret.
    """
    if not isinstance(secret, str) or not _is_digest(secret):
        raise Wrong(number, "commitment_broken", "the match's secret is not 32 bytes in hex")

    key = bytes.fromhex(secret)
    if "match" in opening:
        key = bound_key(key, opening["match"])
    if hashlib.sha256(key).hexdigest() != opening.get("commitment"):
        detail = "the match's secret is not the one that was committed to (M10)"
        raise Wrong(number, "commitment_broken", detail)
    return key


def _is_digest(value: object) -> bool:
    """Return whether a value is 32 bytes in lower-case hex."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None
