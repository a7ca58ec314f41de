"""Names: personal data, which must be erasable.

They are kept beside the chain and bound to it by a salted digest.
"""

from collections.abc import Mapping

from domain.match.messages import EraseName
from domain.match.state import Match
from domain.seats import OWNER
from service.errors import Busy, NotFound, refused
from service.keys import tokens
from service.ledger.canonical import digest, parse_object
from service.matches import traces
from service.matches.access import enter
from service.matches.desk import Desk
from service.matches.submitting import TRIES
from service.verify.report import Wrong


def erase(desk: Desk, match_id: str, token: str | None, seat: int) -> None:
    """Forget the name of a seat's holder, for its holder or the owner.

    Its digest stays, but nobody knows the salt. History tells that it was done (M13). Erasing again
    is no error and leaves no trace. Raises NotFound, Unauthorized, Forbidden, Busy.
    """
    field = f"name:{seat}"
    for _ in range(TRIES):
        loaded, caller = enter(desk, match_id, token)
        if caller.role != OWNER and caller.seat != seat:
            raise refused(caller.role, "a name is erased by its bearer or the owner")
        if seat not in range(len(loaded.match.seats)):
            raise NotFound(f"match {match_id} has no seat {seat}")

        sidecar = desk.journal.sidecar(match_id)
        if field not in sidecar:
            return

        change = traces.Change(
            command=EraseName(seat),
            sidecar={field: None},
            holds=(tokens.field(token or ""), caller.name),
        )
        if traces.make(desk, loaded, caller, change, sidecar):
            return
    raise Busy("the match moved on too often meanwhile; send the request again")


def fault(match: Match, sidecar: Mapping[str, str]) -> Wrong | None:
    """Return what is wrong with the names kept.

    Each must be the one that the chain holds the digest of.
    """
    for number, seat in enumerate(match.seats):
        kept = sidecar.get(f"name:{number}")
        if kept is None or not seat.name:
            continue

        if digest(parse_object(kept.encode())) != seat.name:
            detail = f"the name kept for seat {number} is not the one that the chain holds"
            return Wrong(0, "name_differs", detail)
    return None
