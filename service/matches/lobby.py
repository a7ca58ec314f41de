"""Before and around the game: joining and leaving seats, starting, aborting, bots that stand in."""

from collections.abc import Mapping

from domain.match.messages import Abort, Join, Leave, Replace, Restore, Start
from domain.match.state import Match
from domain.seats import INVITATION, OWNER, seat_actor
from service.errors import Forbidden, Invalid, Overloaded, refused
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches import bots
from service.matches.automation import count_waiting
from service.matches.command_handler import Made, Proposal, Submission, fingerprint, submit
from service.matches.context import Context
from service.matches.seats import name_record
from service.matches.tokens import field_of

# §§§ service.matches.lobby
# Matches in which only bots sit: nobody waits for them, so only so many begin at a time.


RETRY_SECONDS = 10


def bots_only_refusal(ctx: Context) -> Overloaded | None:
    """Return why no match of bots alone may begin now, None if one may."""
    if not ctx.exhibitions:
        return None
    waiting_matches = count_waiting(ctx)
    if waiting_matches < ctx.exhibitions:
        return None

    detail = (
        f"{waiting_matches} matches wait for bots already, and a match of bots alone begins only "
        f"while fewer than {ctx.exhibitions} do; come back later, or let a human hold a seat"
    )
    return Overloaded(detail, RETRY_SECONDS)


def would_begin(match: Match, command: object) -> bool:
    """Return whether a command makes a match one of bots alone, or starts one that is."""
    if isinstance(command, Start):
        return match.only_bots
    if isinstance(command, Replace):
        others = [seat for number, seat in enumerate(match.seats) if number != command.seat]
        return not match.only_bots and all(seat.kind == "bot" for seat in others)
    return False


# §§§ service.matches.lobby


def join(
    ctx: Context, submission: Submission, seat: int, wish: Mapping[str, str]
) -> tuple[Made, str]:
    """Take an open seat (M2); return the commit and the seat's token.

    wish: name and entropy, "" for none. A public match's seat is for anybody, a private one's for
    the bearer of its invitation or its owner's token. The token follows from the key, so that a
    repeat gives it again; without a key it is drawn.
    """
    holder = seat_actor(seat)
    nonce = f"join|{submission.key}" if submission.key else tokens.nonce()
    token = tokens.make(ctx.secret, submission.match, holder, nonce)

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

    mark = fingerprint(["join", seat, dict(wish)], ctx.secret)
    return submit(ctx, submission, propose, mark), token


def leave(ctx: Context, submission: Submission, seat: int) -> Made:
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

    return submit(ctx, submission, propose)


def start(ctx: Context, submission: Submission) -> Made:
    """Begin to play (M4)."""
    return _submit_as_owner(ctx, submission, Start())


def abort(ctx: Context, submission: Submission) -> Made:
    """End the match without a result (M7)."""
    return _submit_as_owner(ctx, submission, Abort())


def replace(ctx: Context, submission: Submission, seat: int, level: str) -> Made:
    """Let a bot hold a seat, open or held (M8)."""
    return _submit_as_owner(ctx, submission, Replace(seat, level))


def restore(ctx: Context, submission: Submission, seat: int) -> Made:
    """Give a seat back to the human whom a bot replaced (M8)."""
    return _submit_as_owner(ctx, submission, Restore(seat))


def _submit_as_owner(
    ctx: Context, submission: Submission, command: Start | Abort | Replace | Restore
) -> Made:
    """Submit a command that the owner alone may give."""

    def propose(loaded: Loaded, caller: Caller) -> Proposal:
        if caller.role != OWNER:
            raise refused(caller.role, "this is the owner's to do")
        if isinstance(command, Replace):
            places = bots.missing(loaded.match.game, {"/level": command.level})
            if places:
                raise Invalid(*places)

        begins_exhibition = would_begin(loaded.match, command)
        refusal = bots_only_refusal(ctx) if begins_exhibition else None
        return Proposal(command, refusal=refusal)

    return submit(ctx, submission, propose, fingerprint([repr(command)]))
