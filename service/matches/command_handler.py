"""From what a caller submits to a commit, exactly once: moves, and everything in the lobby.

A caller's submission becomes a proposal (a command that the caller may give), the proposal an act,
and the act a commit.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

from domain.errors import MatchRuleBroken, RuleBroken
from domain.games import RULES
from domain.match import play
from domain.match.messages import Abort, Join, Leave, Replace, Restore
from domain.seats import PUBLIC
from service import metrics, tracing
from service.errors import (
    Busy,
    Illegal,
    KeyConflict,
    MatchDeleted,
    NotFound,
    Overloaded,
    ServiceError,
    Stale,
    Unauthorized,
)
from service.journal.errors import ChainBroken, Conflict, KeyReused
from service.journal.values import Appended, Entry, Head
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger import codec
from service.ledger.commit import Json, StoredCommit, canonical, milliseconds, timestamp
from service.ledger.record import Accepted
from service.ledger.replay import Loaded
from service.matches import seats, views
from service.matches.context import Context
from service.matches.repository import entry_of, load_with_field

# §§§ service.matches.command_handler
# How an act becomes a commit: decided, written, appended; then whoever must act next is woken.


@dataclass(frozen=True, slots=True)
class Act:
    """A command of an actor, and what its commit changes and depends on.

    sidecar: fields of the sidecar to set together with the commit (None: to delete).
    command_id: under which the commit is remembered, "" for none.
    mark: tells a repeat of the request from another one with the same command id.
    holds: a field of the sidecar and what it must still hold; ("", ""): none.
    thought: what a bot has thought of it, as `service.matches.advice` keeps it; b"": nothing.
    meanwhile: given the commit as it will be stored, while the journal's answer is awaited; see
        `Entry`.
    """

    actor: str
    command: Any
    sidecar: Mapping[str, str | None] = field(default_factory=dict)
    command_id: str = ""
    mark: str = ""
    holds: tuple[str, str] = ("", "")
    thought: bytes = b""
    meanwhile: Callable[[StoredCommit], object] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """An act that the rules allow, the events that it causes, and the match after them.

    after: its `hash` is that of the commit before, "" before the first: the new one is not written.
    """

    act: Act
    events: Sequence[Any]
    after: Loaded


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit as it was stored, and the match after it.

    earlier_version: what an earlier act of the same command id has made. Then nothing was written
    now, and the other fields mean nothing.
    """

    after: Loaded
    entry: StoredCommit
    earlier_version: int | None = None


def commit(ctx: Context, loaded: Loaded, act: Act) -> Committed:
    """Decide an act, append its commit and wake whom the match then waits for.

    Raises RuleBroken, and Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    return append(ctx, decide(ctx, loaded, act))


def decide(ctx: Context, loaded: Loaded, act: Act) -> Decision:
    """Return what the rules make of an act; raises RuleBroken."""
    version = loaded.version + 1
    with tracing.span("decide", loaded.id, version):
        chance = loaded.match.draws(version)
        match, events = play.decide(loaded.match, act.command, chance)

    # A clock that was set back does not let time run backwards.
    now = max(ctx.clock(), milliseconds(loaded.time))
    after = Loaded(
        id=loaded.id,
        version=version,
        created=loaded.created,
        time=timestamp(now),
        hash=loaded.hash,
        match=match,
    )

    if match.seats != loaded.match.seats:
        act = replace(act, sidecar={**act.sidecar, **seats.kept(match)})
    return Decision(act, events, after)


def append(ctx: Context, decision: Decision) -> Committed:
    """Append what was decided, and wake whom the match then waits for.

    Raises Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    act = decision.act
    before_hash = decision.after.hash
    written = _written(decision)
    entry = written.stored
    after = replace(decision.after, hash=entry["hash"])
    head = head_of(after)

    appended = _append_entry(
        ctx,
        Entry(
            match=after.id,
            expected=after.version - 1,
            prev=before_hash,
            commit_bytes=written.commit_bytes,
            head=head,
            command_id=act.command_id,
            fingerprint=act.mark,
            metadata=act.sidecar,
            precondition=act.holds,
            thought=act.thought,
        ),
    )
    if appended.repeated:
        return Committed(after, entry, earlier_version=appended.version)

    ctx.shelf.put(after)
    if head.work:
        ctx.wake(after.id, after.version, head.work)
    return Committed(after, entry)


def _written(decision: Decision) -> codec.Written:
    after = decision.after
    new_commit = codec.NewCommit(
        match=after.id,
        version=after.version,
        time=after.time,
        actor=decision.act.actor,
        command=decision.act.command,
        events=decision.events,
        prev=after.hash,
        view=codec.view_digest(after.match),
    )
    return codec.write(new_commit, after.match.key)


def _append_entry(ctx: Context, entry: Entry) -> Appended:
    """Append an entry; forget a remembered match that turns out to be no part of its stream."""
    version = entry.head.version
    try:
        with tracing.span("append", entry.match, version):
            start = perf_counter()
            appended = ctx.journal.events.append(entry)
            metrics.APPENDS.observe(perf_counter() - start)
            return appended
    except Conflict as error:
        metrics.CONFLICTS.inc()
        is_ahead = error.version < entry.expected
        if is_ahead:
            ctx.shelf.drop(entry.match)
        raise
    except ChainBroken:
        ctx.shelf.drop(entry.match)
        raise Conflict(entry.expected) from None


def head_of(loaded: Loaded) -> Head:
    """Return what is kept of a match beside its stream."""
    match = loaded.match
    standing = loaded.standing
    return Head(
        version=loaded.version,
        hash=loaded.hash,
        status=standing.status,
        work=standing.errand,
        waiting=standing.seats,
        game=RULES[match.rules].key,
        visibility=match.visibility,
        created=milliseconds(loaded.created),
        updated=milliseconds(loaded.time),
    )


def fingerprint(request: Any, key: bytes = b"") -> str:
    """Return what tells a repeated request from another with the same idempotency key.

    It is kept for ever. key: the server's secret where the request holds a name, which could else
    be guessed from it.
    """
    return hmac.digest(key, canonical(request), "sha256").hex()[:32]


# §§§ service.matches.command_handler
# Who asks: a match and its caller, from the token that was shown.


TOKENS_REMEMBERED = 10_000


class Entered(NamedTuple):
    """A match as a caller found it, and who the caller is in it."""

    loaded: Loaded
    caller: Caller


def enter(ctx: Context, match_id: str, token: str | None) -> Entered:
    """Return a match at its head and who the token's bearer is in it.

    Nothing of a private match is read for somebody without a token of it: to them it answers as a
    match that never was, after the same questions to the journal and so in the same time.
    Raises NotFound, MatchDeleted, Unauthorized.
    """
    holder_field = tokens.field(token) if token else ""
    is_let_in = _was_let_in(ctx, match_id, holder_field) or _lets_in(ctx, match_id, holder_field)
    if not is_let_in:
        raise _refusal(ctx, match_id, token)

    try:
        loaded, holder = load_with_field(ctx, match_id, holder_field)
    except (NotFound, MatchDeleted):  # it was deleted since it was last seen
        raise _refusal(ctx, match_id, token) from None
    if token:
        if holder is None:
            raise not_a_token()
        _remember(ctx, holder_field, holder)

    caller = tokens.caller(holder) if holder else Caller()
    if caller.role == PUBLIC and loaded.match.visibility == "private":
        raise _refusal(ctx, match_id, token)
    return Entered(loaded, caller)


def remembered(ctx: Context, match_id: str, holder_field: str) -> Entered | None:
    """Return a match and its caller as they were when last seen, None where they were not.

    holder_field: the field of the sidecar that names the token's holder, "" for no token.
    Most often nothing has changed since; the append makes sure of both.
    """
    loaded = ctx.shelf.get(match_id)
    holder = ctx.holders.get(holder_field)
    if loaded is None or holder is None:
        return None
    return Entered(loaded, tokens.caller(holder))


def not_a_token() -> Unauthorized:
    """Return the refusal for a token that does not count."""
    return Unauthorized("this token is not, or no longer, a token of this match")


def _was_let_in(ctx: Context, match_id: str, holder_field: str) -> bool:
    """Return whether this process has seen the token count, or without one the match be public."""
    if holder_field:
        return holder_field in ctx.holders
    remembered_match = ctx.shelf.get(match_id)
    return remembered_match is not None and remembered_match.match.visibility == "public"


def _lets_in(ctx: Context, match_id: str, holder_field: str) -> bool:
    """Return whether there is a match that the token counts for, or that is public without one."""
    [(head, sidecar)] = ctx.journal.events.overviews([(match_id, (holder_field,))])
    if head is None:
        ctx.shelf.drop(match_id)
        return False
    return holder_field in sidecar if holder_field else head.visibility == "public"


def _refusal(ctx: Context, match_id: str, token: str | None) -> ServiceError:
    """Return the refusal for somebody who is not let in.

    Only of a public match it tells that it was deleted. An invented token is not told whether there
    is a match at all.
    """
    tombstone = ctx.journal.lifecycle.deleted(match_id)
    if tombstone is not None and tombstone.visibility == "public":
        return MatchDeleted(match_id, timestamp(tombstone.at))
    return not_a_token() if token else NotFound(f"there is no match {match_id}")


def _remember(ctx: Context, holder_field: str, holder: str) -> None:
    """Remember whose a token is, so that a move may be decided without asking the journal first."""
    if len(ctx.holders) >= TOKENS_REMEMBERED:
        ctx.holders.clear()
    ctx.holders[holder_field] = holder


# §§§ service.matches.command_handler
# How long a match may grow, here (M12) and in a record from elsewhere.
#
# These are limits of the service, not of the games.


MOST_COMMITS = 5_000
MOST_COMMITS_AROUND = 1_000  # the last version that joins, leaves and changes of bots may make
MOST_RECORD_COMMITS = MOST_COMMITS + 100  # what the house adds to a match at its limit
MOST_LINE = 1024 * 1024  # bytes of one commit in a record
AROUND = (Join, Leave, Replace, Restore)


def require_room(version: int, command: Any) -> None:
    """Raise RuleBroken if a match at a version takes no further commit of this kind (M12).

    The house does not ask here: what it has to do to end a match is always allowed.
    """
    if isinstance(command, Abort):
        return

    if isinstance(command, AROUND) and version >= MOST_COMMITS_AROUND:
        detail = (
            f"The match has {version} commits; seats change hands only up to version "
            f"{MOST_COMMITS_AROUND}. It can be played on, started or aborted."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)

    if version >= MOST_COMMITS:
        detail = (
            f"The match has {version} commits, of {MOST_COMMITS} at most; "
            "its owner can only abort it."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)


# §§§ service.matches.command_handler


TRIES = 8
SINCE = 20  # commits told with a stale version


@dataclass(frozen=True)
class Submission:
    """In which match something is to happen, who asks for it, and what makes it safe to repeat.

    token: the caller's, None for nobody's.
    expected: the version that it was thought up for, None if any will do.
    key: the same key never commits twice, "" for none.
    expected_hash: how the hash of that version's commit begins, "" if any will do.
    """

    match: str
    token: str | None = field(repr=False)
    expected: int | None = None
    key: str = ""
    expected_hash: str = ""

    def fits(self, loaded: Loaded) -> bool:
        """Return whether it was thought up for a match as it is."""
        if self.expected is None:
            return True
        return self.expected == loaded.version and loaded.hash.startswith(self.expected_hash)

    @cached_property
    def holder_field(self) -> str:
        """The field of the sidecar that names the token's holder, "" for no token."""
        return tokens.field(self.token) if self.token else ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A command that the caller may give, and why it is refused now, if so.

    sidecar: fields of the sidecar to set together with the commit (None: to delete).
    """

    command: Any
    sidecar: Mapping[str, str | None] = field(default_factory=dict)
    refusal: RuleBroken | Overloaded | None = None


Propose = Callable[[Loaded, Caller], Proposal]


@dataclass(frozen=True, slots=True)
class Made:
    """A commit with its secret parts, who made it, and its receipt.

    repeated: an earlier request with the same key has made it.
    """

    entry: StoredCommit
    maker: Caller
    repeated: bool
    receipt: Json | None

    @property
    def version(self) -> int:
        """The version that the commit made."""
        return self.entry["commit"]["version"]


def submit(ctx: Context, submission: Submission, propose: Propose, mark: str = "") -> Made:
    """Make the commit that a caller submits.

    propose: asked anew whenever another commit came between; raises what the caller may not do.
    mark: tells the request from another one with the same key.
    Raises what `enter` and `propose` raise, Stale, KeyConflict, Busy, Illegal, Overloaded.
    """
    known = remembered(ctx, submission.match, submission.holder_field)
    if known is not None:
        # The append makes sure that nothing has changed. If anything is wrong, look first, and
        # tell exactly what.
        with suppress(ServiceError, RuleBroken, Conflict, KeyReused):
            return _commit(ctx, submission, known, propose(*known), mark)

    for _ in range(TRIES):
        entered = enter(ctx, submission.match, submission.token)
        proposal = propose(*entered)
        try:
            return _commit(ctx, submission, entered, proposal, mark)
        except (Conflict, RuleBroken, KeyReused, Overloaded) as error:
            earlier = _made_before(ctx, submission, entered.caller, mark)
            if earlier is not None:
                return earlier
            _raise_unless_passing(ctx, submission, entered.loaded, error)

    raise Busy(
        "the match moved on too often meanwhile; "
        "send the request again, with the version you expect"
    )


def stale(ctx: Context, submission: Submission, expected: int) -> Stale:
    """Return the error that says where a match is, and what has happened since a version."""
    loaded, caller = enter(ctx, submission.match, submission.token)
    since = views.commits(ctx, loaded, caller, expected, SINCE)
    return Stale(expected, loaded.version, since)


def _commit(
    ctx: Context, submission: Submission, entered: Entered, proposal: Proposal, mark: str
) -> Made:
    """Make the commit of a proposal at the version at which the caller entered."""
    loaded, caller = entered
    if not submission.fits(loaded):
        raise Conflict(loaded.version)
    if proposal.refusal is not None:
        raise proposal.refusal

    actor = caller.name
    command_id = _command_id(actor, submission.key)
    require_room(loaded.version, proposal.command)

    # The token must still be the caller's when the commit is appended.
    holder_field = submission.holder_field
    holds = (holder_field, actor) if holder_field else ("", "")
    receipt = _Receipt(ctx)
    act = Act(
        actor=actor,
        command=proposal.command,
        sidecar=proposal.sidecar,
        command_id=command_id,
        mark=mark,
        holds=holds,
        meanwhile=receipt.of,
    )
    committed = commit(ctx, loaded, act)
    if committed.earlier_version is not None:
        return _repeat(ctx, loaded.id, committed.earlier_version)
    return _made(committed.entry, receipt, repeated=False)


def _command_id(actor: str, key: str) -> str:
    """Return under which id a commit is remembered: keys of different callers do not meet."""
    return f"{actor}:{key}" if key else ""


def _made_before(ctx: Context, submission: Submission, caller: Caller, mark: str) -> Made | None:
    """Return the commit that an earlier request of the same key has made; raises KeyConflict."""
    if not submission.key:
        return None
    try:
        command_id = _command_id(caller.name, submission.key)
        version = ctx.journal.events.version_made(submission.match, command_id, mark)
    except KeyReused:
        raise KeyConflict(
            "this idempotency key was used for another request; send a new key"
        ) from None
    return None if version is None else _repeat(ctx, submission.match, version)


def _raise_unless_passing(
    ctx: Context, submission: Submission, loaded: Loaded, error: Exception
) -> None:
    """Raise the refusal that an error means.

    A conflict passes where no version was expected: it is worth another try.
    """
    if isinstance(error, Overloaded):
        raise error
    if isinstance(error, RuleBroken):
        raise Illegal(error, loaded.version, loaded.match.game.key) from None
    if isinstance(error, Conflict) and submission.expected is not None:
        raise stale(ctx, submission, submission.expected) from None


def _repeat(ctx: Context, match_id: str, version: int) -> Made:
    return _made(entry_of(ctx, match_id, version), _Receipt(ctx), repeated=True)


def _made(entry: StoredCommit, receipt: "_Receipt", *, repeated: bool) -> Made:
    return Made(
        entry=entry,
        maker=tokens.caller(entry["commit"]["actor"]),
        repeated=repeated,
        receipt=receipt.of(entry),
    )


class _Receipt:
    """The receipt of one commit, signed once however often it is asked for.

    It is told to nobody before the journal has accepted the commit, but may be signed before: while
    the journal's answer is awaited, that costs no time.
    """

    def __init__(self, ctx: Context) -> None:
        self._signer = ctx.signer
        self._signed: Json | None = None

    def of(self, entry: StoredCommit) -> Json | None:
        """Return the receipt, None where nobody signs; each call names the same commit."""
        if self._signed is None and self._signer is not None:
            self._signed = self._signer.sign(Accepted.of(entry))
        return self._signed
