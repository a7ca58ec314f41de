"""Names: personal data, kept beside the chain and bound to it by a salted digest, so that they can be erased."""

from collections.abc import Mapping

from domain.match.messages import EraseName
from domain.match.state import Match
from service.errors import Busy, NotFound, refused
from service.keys import tokens
from service.ledger.canonical import digest, parse_object
from service.matches import traces
from service.matches.access import enter
from service.matches.deciding import TRIES
from service.matches.desk import Desk
from service.verify.report import Wrong


def erase(desk: Desk, match: str, token: str | None, seat: int) -> None:
    """Forget the name of a seat's holder, for its holder or the owner; its digest stays, but nobody knows the salt.

    History tells that it was done (M13). Erasing again is no error and leaves no trace. Raises NotFound, Unauthorized,
    Forbidden, Busy.
    """
    for _ in range(TRIES):
        loaded, caller = enter(desk, match, token)
        if caller.role != "owner" and (caller.seat is None or caller.seat != seat):
            raise refused(caller.role, "a name is erased by its bearer or the owner")
        if seat not in range(len(loaded.match.seats)):
            raise NotFound(f"match {match} has no seat {seat}")

        asides = desk.journal.asides(match)
        if f"name:{seat}" not in asides:
            return
        bearer = (tokens.field(token or ""), caller.name)
        change = traces.Change(EraseName(seat), {f"name:{seat}": None}, bearer)
        if traces.make(desk, loaded, caller, change, asides):
            return
    raise Busy("the match moved on too often meanwhile; send the request again")


def fault(match: Match, asides: Mapping[str, str]) -> Wrong | None:
    """Return what is wrong with the names kept: each must be the one that the chain holds the digest of."""
    for number, seat in enumerate(match.seats):
        kept = asides.get(f"name:{number}")
        if kept is not None and seat.name and digest(parse_object(kept.encode())) != seat.name:
            return Wrong(
                0,
                "name_differs",
                f"the name kept for seat {number} is not the one that the chain holds",
            )
    return None
