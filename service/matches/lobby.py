"""Lobby: commands about seats, and the start and the abortion of a match."""

from collections.abc import Mapping
from functools import partial

from domain.errors import MatchRuleBroken
from domain.match.messages import (
    Abort,
    Disclose,
    Join,
    Leave,
    Pledge,
    Replace,
    Resign,
    Restore,
    Return,
    Start,
)
from domain.match.state import Match
from domain.seats import INVITATION, OWNER, seat_actor
from service.base.errors import (
    Forbidden,
    Illegal,
    Invalid,
    KeyConflict,
    Mistake,
    Overloaded,
    refused,
)
from service.base.metadata_fields import REMATCH_OF
from service.matches import bots, forks
from service.matches.automation import count_waiting
from service.matches.command_handler import Act, Committed, Submission, submit
from service.matches.context import Context
from service.matches.moves import seat_of, submit_of_seat
from service.record.commit import milliseconds, timestamp
from service.record.replay import Loaded
from service.record.terms.clock import stand_in_level
from service.record.terms.fork import base_match
from service.store.journal.values import fingerprint
from service.store.keys import tokens
from service.store.keys.tokens import Caller
from service.store.seat_holders import fields_of_seat, name_field, name_record

RETRY_SECONDS = 10


def bots_only_refusal(ctx: Context) -> Overloaded | None:
    """Return the refusal of another bots-only match, None if one may begin now.

    No such match begins while `ctx.exhibitions` or more matches wait for the house or bots, because
    no human waits for a bots-only match.
    """
    if not ctx.exhibitions:
        return None
    waiting_matches = count_waiting(ctx)
    if waiting_matches < ctx.exhibitions:
        return None

    detail = (
        f"{waiting_matches} matches already wait. A match of bots alone begins only "
        f"while fewer than {ctx.exhibitions} wait. Come back later, or let a human hold a seat"
    )
    return Overloaded(detail, RETRY_SECONDS)


def would_begin(match: Match, command: object) -> bool:
    """Return True if a command starts a bots-only match, or makes a match a bots-only one."""
    if isinstance(command, Start):
        return match.only_bots
    if isinstance(command, Replace | Resign):
        others = [seat for number, seat in enumerate(match.seats) if number != command.seat]
        return not match.only_bots and all(seat.kind == "bot" for seat in others)
    return False


def join(
    ctx: Context, submission: Submission, seat: int, holder: Mapping[str, str]
) -> tuple[Committed, str]:
    """Take an open seat (M2). Return the commit and the seat's token.

    holder: `name` and `entropy`, "" for none, and optionally `key`, `proof` and `pledge`.
    Anybody may take a seat of a public match. A seat of a private match or of a rematch needs the
    invitation or the owner's token. The new token follows from the idempotency key, so a repeat
    gives the same token. Without an idempotency key the token is drawn. Raises KeyConflict for a
    repeat if the seat's token no longer counts, and the errors of `submit`.
    """
    actor = seat_actor(seat)
    nonce = f"join|{submission.key}" if submission.key else tokens.nonce()
    token = tokens.make(ctx.secret, submission.match, actor, nonce)
    command, metadata = joining(seat, holder, token)
    # Left out of the fingerprint: a repeat may prove the key at another head.
    lasting = {name: value for name, value in holder.items() if name != "proof"}
    request = fingerprint(["join", seat, lasting], ctx.secret)

    def propose(loaded: Loaded, caller: Caller) -> Act:
        if caller.role not in (INVITATION, OWNER):
            _require_free_seats(ctx, loaded)
        return Act(caller.name, command, metadata=metadata, fingerprint=request)

    committed = submit(ctx, submission, propose)
    if committed.repeated:
        _require_live(ctx, submission.match, token)
    return committed, token


def _require_live(ctx: Context, match_id: str, token: str) -> None:
    """Raise KeyConflict if the token of an earlier join no longer counts."""
    if ctx.journal.metadata.field(match_id, tokens.field(token)) is None:
        raise KeyConflict("this idempotency key made a token that no longer works. Send a new key")


def joining(seat: int, holder: Mapping[str, str], token: str) -> tuple[Join, dict[str, str | None]]:
    """Return the command to take a seat, and the metadata of its commit.

    holder: as for `join`.   token: the seat's.
    """
    record: str | None = None
    digest = ""
    if holder["name"]:
        record, digest = name_record(holder["name"])
    command = Join(
        seat=seat,
        name=digest,
        entropy=holder["entropy"],
        key=holder.get("key"),
        pledge=holder.get("pledge"),
        proof=holder.get("proof"),
    )
    return command, {**tokens.held(seat_actor(seat), token), name_field(seat): record}


def _require_free_seats(ctx: Context, loaded: Loaded) -> None:
    """Refuse a stranger the seats of a private match, and the seats of a rematch (M20)."""
    if loaded.match.visibility == "private":
        raise Forbidden("joining a private match needs its invitation token or its owner's token")
    if ctx.journal.metadata.field(loaded.id, REMATCH_OF) is not None:
        raise Forbidden("the seats of a rematch are reserved for the earlier players")


def leave(ctx: Context, submission: Submission, seat: int) -> Committed:
    """Leave one's seat before the start. The seat's token no longer counts (M3)."""
    dropped = [tokens.field(submission.token or ""), *fields_of_seat(seat)]

    def propose(_loaded: Loaded, caller: Caller) -> Act:
        if caller.seat != seat:
            raise refused(caller.role, f"leaving seat {seat} needs its own token")
        return Act(caller.name, Leave(seat), metadata=dict.fromkeys(dropped))

    return submit(ctx, submission, propose)


def resign(ctx: Context, submission: Submission) -> Committed:
    """Let a bot play one's seat to the end (M16), at the clock's level if there is a clock."""
    request = fingerprint(["resign"])

    def propose(loaded: Loaded, caller: Caller) -> Act:
        level = stand_in_level(loaded.match) or bots.DEFAULT
        command = Resign(seat_of(caller), level)
        begins_bots_only = would_begin(loaded.match, command)
        refusal = bots_only_refusal(ctx) if begins_bots_only else None
        return Act(caller.name, command, refusal, fingerprint=request)

    return submit(ctx, submission, propose)


def return_(ctx: Context, submission: Submission) -> Committed:
    """Play on at one's seat, in place of a stand-in (M8, M15)."""
    request = fingerprint(["return"])

    def propose(_loaded: Loaded, caller: Caller) -> Act:
        return Act(caller.name, Return(seat_of(caller)), fingerprint=request)

    return submit(ctx, submission, propose)


def pledge(ctx: Context, submission: Submission, digest: str) -> Committed:
    """Pledge entropy for one's seat (M19)."""
    return submit_of_seat(ctx, submission, partial(Pledge, digest=digest))


def disclose(ctx: Context, submission: Submission, entropy: str) -> Committed:
    """Disclose the entropy that one's seat has pledged (M19)."""
    return submit_of_seat(ctx, submission, partial(Disclose, entropy=entropy))


def start(ctx: Context, submission: Submission) -> Committed:
    """Begin to play (M4)."""
    return _submit_as_owner(ctx, submission, Start())


def abort(ctx: Context, submission: Submission) -> Committed:
    """End the match without a result (M7)."""
    return _submit_as_owner(ctx, submission, Abort())


def replace(ctx: Context, submission: Submission, seat: int, level: str) -> Committed:
    """Let a bot hold a seat, open or held (M8)."""
    return _submit_as_owner(ctx, submission, Replace(seat, level))


def restore(ctx: Context, submission: Submission, seat: int) -> Committed:
    """Give a seat back to the human that a bot replaced (M8)."""
    return _submit_as_owner(ctx, submission, Restore(seat))


def _submit_as_owner(
    ctx: Context, submission: Submission, command: Start | Abort | Replace | Restore
) -> Committed:
    """Submit a command that only the owner may give."""
    request = fingerprint([_text_of(command)])

    def propose(loaded: Loaded, caller: Caller) -> Act:
        if caller.role != OWNER:
            raise refused(caller.role, "only the owner may do this")
        if isinstance(command, Replace):
            places = bots.missing(loaded.match.game, {"/level": command.level})
            if places:
                raise Invalid(*places)

            _require_level_for_fork(ctx, loaded.match, command)
            _require_silence(ctx, loaded, command)

        begins_bots_only = would_begin(loaded.match, command)
        refusal = bots_only_refusal(ctx) if begins_bots_only else None
        return Act(caller.name, command, refusal, fingerprint=request)

    return submit(ctx, submission, propose)


def _require_level_for_fork(ctx: Context, match: Match, command: Replace) -> None:
    """Refuse a searching bot in a fork if its base goes on without advice (M21)."""
    base = base_match(match)
    if base and command.level in bots.SEARCHING and forks.is_unadvised(ctx, base):
        raise Invalid(Mistake("/level", forks.NO_ADVICE))


def replaceable_from(ctx: Context, loaded: Loaded) -> int | None:
    """Return the time from which the owner may replace a seat, None if a clock decides (M8)."""
    match = loaded.match
    if not match.match_rules.limits_replacement:
        return milliseconds(loaded.time)
    return None if stand_in_level(match) else milliseconds(loaded.time) + ctx.silence_ms


def _require_silence(ctx: Context, loaded: Loaded, command: Replace) -> None:
    """Refuse to replace a seat of a running match without a clock before a long silence.

    This is a limit of the service (M8): no verifier checks it.
    """
    match = loaded.match
    if not 0 <= command.seat < len(match.seats) or loaded.status.name != "running":
        return  # the rules refuse the command, or allow it at any time
    ends = replaceable_from(ctx, loaded)
    if ends is not None and ctx.clock() < ends:
        detail = f"A seat may be replaced after a long silence. Try again after {timestamp(ends)}."
        broken = MatchRuleBroken("not_silent", "M8", detail)
        raise Illegal(broken, loaded.version, match.game.key)


def _text_of(command: Start | Abort | Replace | Restore) -> str:
    """Return a command's text for the fingerprints of its requests.

    Fingerprints are stored for ever. So this text must not change if a command gets a new field.
    """
    if isinstance(command, Replace):
        return f"Replace(seat={command.seat}, level={command.level!r})"
    if isinstance(command, Restore):
        return f"Restore(seat={command.seat})"
    return f"{type(command).__name__}()"
