"""Before and around the game: joining and leaving seats, starting, aborting, bots that stand in."""

from collections.abc import Mapping

from domain.match.messages import Abort, Join, Leave, Replace, Restore, Start
from domain.seats import INVITATION, OWNER, seat_actor
from service.errors import Forbidden, Invalid, refused
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches import exhibitions, levels
from service.matches.committing import fingerprint
from service.matches.desk import Desk
from service.matches.replacements import field_of
from service.matches.seating import name_record
from service.matches.submitting import Made, Proposal, Submission, submit


def join(
    desk: Desk, submission: Submission, seat: int, wish: Mapping[str, str]
) -> tuple[Made, str]:
    """Take an open seat (M2); return the commit and the seat's token.

    wish: name and entropy, "" for none. A public match's seat is for anybody, a private one's for
    the bearer of its invitation or its owner's token. The token follows from the key, so that a
    repeat gives it again; without a key it is drawn.
    """
    holder = seat_actor(seat)
    nonce = f"join|{submission.key}" if submission.key else tokens.nonce()
    token = tokens.make(desk.secret, submission.match, holder, nonce)

    record: str | None = None
    digest = ""
    if wish["name"]:
        record, digest = name_record(wish["name"])
    command = Join(seat, digest, wish["entropy"])
    sidecar = {**tokens.held(holder, token), f"name:{seat}": record}

    def propose(loaded: Loaded, caller: Caller) -> Proposal:
        is_private = loaded.match.visibility == "private"
        if is_private and caller.role not in (INVITATION, OWNER):
            raise Forbidden("a private match is joined with its invitation token")
        return Proposal(command, sidecar)

    mark = fingerprint(["join", seat, dict(wish)], desk.secret)
    return submit(desk, submission, propose, mark), token


def leave(desk: Desk, submission: Submission, seat: int) -> Made:
    """Give one's seat up before the start; its token no longer counts (M3)."""
    holder = seat_actor(seat)
    dropped = [
        tokens.field(submission.token or ""),
        f"holder:{holder}",
        field_of(holder),
        f"name:{seat}",
    ]

    def propose(_loaded: Loaded, caller: Caller) -> Proposal:
        if caller.seat != seat:
            raise refused(caller.role, f"seat {seat} is left with its own token")
        return Proposal(Leave(seat), dict.fromkeys(dropped))

    return submit(desk, submission, propose)


def start(desk: Desk, submission: Submission) -> Made:
    """Begin to play (M4)."""
    return _submit_as_owner(desk, submission, Start())


def abort(desk: Desk, submission: Submission) -> Made:
    """End the match without a result (M7)."""
    return _submit_as_owner(desk, submission, Abort())


def replace(desk: Desk, submission: Submission, seat: int, level: str) -> Made:
    """Let a bot hold a seat, open or held (M8)."""
    return _submit_as_owner(desk, submission, Replace(seat, level))


def restore(desk: Desk, submission: Submission, seat: int) -> Made:
    """Give a seat back to the human whom a bot replaced (M8)."""
    return _submit_as_owner(desk, submission, Restore(seat))


def _submit_as_owner(
    desk: Desk, submission: Submission, command: Start | Abort | Replace | Restore
) -> Made:
    """Submit a command that the owner alone may give."""

    def propose(loaded: Loaded, caller: Caller) -> Proposal:
        if caller.role != OWNER:
            raise refused(caller.role, "this is the owner's to do")
        if isinstance(command, Replace):
            places = levels.missing(loaded.match.game, {"/level": command.level})
            if places:
                raise Invalid(*places)

        begins_exhibition = exhibitions.would_begin(loaded.match, command)
        refusal = exhibitions.refusal(desk) if begins_exhibition else None
        return Proposal(command, refusal=refusal)

    return submit(desk, submission, propose, fingerprint([repr(command)]))
