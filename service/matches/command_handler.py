"""Command handler: what a caller submits becomes a commit, exactly once.

Read it downwards: a submission gets access, is proposed as an act, decided, appended and answered.
The house and the bots commit acts without submitting them.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

from domain import wire
from domain.errors import MatchRuleBroken, RuleBroken
from domain.games import RULES
from domain.match import play
from domain.match.messages import Abort, Join, Leave, Replace, Restore
from domain.match.state import Match, Stamp
from domain.seats import seat_of
from domain.wire import Message
from service.base import answers, metrics, tracing
from service.base.errors import (
    Busy,
    Illegal,
    KeyConflict,
    Overloaded,
    ServiceError,
    SignatureWrong,
    Stale,
    VersionNeeded,
)
from service.base.tracing import VersionStep
from service.matches import views
from service.matches.access import enter
from service.matches.context import Context
from service.matches.derived import derived_metadata
from service.matches.repository import load_head, read_commit
from service.record import codec, signatures
from service.record.commit import StoredCommit, canonical, milliseconds, timestamp
from service.record.replay import Loaded
from service.record.terms import sides
from service.store.journal.errors import ChainBroken, Conflict, KeyReused
from service.store.journal.values import Appended, Entry, Head
from service.store.keys import tokens
from service.store.keys.tokens import Caller

TRIES = 8
SINCE = 20  # commits that are answered with a stale version

# How long a match may grow, here (M12) and in a record from elsewhere. These are limits of the
# service, not of the games.
MOST_COMMITS = 5_000
LAST_SEAT_CHANGE = 1_000  # the last version that joins, leaves and changes of bots may make
MOST_RECORD_COMMITS = MOST_COMMITS + 100  # what the house adds to a match at its limit
MOST_LINE = 1024 * 1024  # bytes of one commit in a record

# Commands that a match takes up to LAST_SEAT_CHANGE alone: what they do, and what is left to do.
_LIMITED_DEEDS = {
    **dict.fromkeys(
        (Join, Leave, Replace, Restore), ("seats change hands", "played on, started or aborted")
    ),
    **{command: (deed, "played on") for command, deed in sides.LIMITED_DEEDS.items()},
}


@dataclass(frozen=True)
class Submission:
    """In which match something is asked for, by whom, and what makes it safe to repeat.

    token: the caller's, None without one.
    expected: the version that it was thought up for, None if any will do.
    key: the same key never commits twice, "" for none.
    expected_hash: how the hash of that version's commit begins, "" if any will do.
    signature: of the commit that is to be made, in hex, "" for none (M18).
    """

    match: str
    token: str | None = field(repr=False)
    expected: int | None = None
    key: str = ""
    expected_hash: str = ""
    signature: str = ""

    def fits(self, now: Loaded | Head) -> bool:
        """Return whether it was thought up for a match as it is now."""
        if self.expected is None:
            return True
        return self.expected == now.version and now.hash.startswith(self.expected_hash)

    def command_id(self, actor: str) -> str:
        """Return under which id a commit is remembered: keys of different callers do not meet."""
        return f"{actor}:{self.key}" if self.key else ""

    @cached_property
    def holder_field(self) -> str:
        """The field of the metadata that names the token's holder, "" for no token."""
        return tokens.field(self.token) if self.token else ""


@dataclass(frozen=True, slots=True)
class Act:
    """A command of an actor, and what its commit changes and depends on.

    refusal: why it is refused although the actor may give the command; None: nothing is known.
    metadata: fields that the request brings, to set together with the commit (None: to delete).
    What follows from the match is `service.matches.derived`'s.
    command_id: under which the commit is remembered, "" for none.
    fingerprint: distinguishes a repeat of the request from another one with the same command id.
    precondition: a field of the metadata and what it must hold; ("", ""): none.
    signature: of its seat's key, "" for none (M18).
    evaluation: a bot's, as `service.matches.evaluations` stores it; b"": none.
    """

    actor: str
    command: Message
    refusal: RuleBroken | Overloaded | None = None
    metadata: Mapping[str, str | None] = field(default_factory=dict)
    command_id: str = ""
    fingerprint: str = ""
    precondition: tuple[str, str] = ("", "")
    signature: str = ""
    evaluation: bytes = b""


@dataclass(frozen=True, slots=True)
class Decision:
    """An act that the rules allow, the events that it causes, and the match after them.

    before: the match before them, None for the first commit.
    prev: the hash of the commit before, "" before the first.
    after: its `hash` is "", because its commit is not written yet.
    """

    act: Act
    events: Sequence[Message]
    before: Match | None
    prev: str
    after: Loaded


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that the journal has accepted.

    entry: the commit with its secret parts.   rules: those of the match.
    version: which it made.   maker: who made it.
    repeated: an earlier request with the same key has made it.
    after: the match after it, None for a repeated one.
    receipt: the server's signed word for it; None where nobody signs, or none was asked for.
    """

    entry: StoredCommit
    rules: str
    version: int
    maker: Caller
    repeated: bool = False
    after: Loaded | None = None
    receipt: answers.Receipt | None = None


# Returns what a caller of a match asks for as an act; raises what the caller may not do.
Propose = Callable[[Loaded, Caller], Act]


def submit(ctx: Context, submission: Submission, propose: Propose) -> Committed:
    """Make the commit that a caller submits, and sign its receipt.

    propose: asked anew whenever another commit came between.
    Raises what `enter` and `propose` raise, Stale, KeyConflict, Busy, Illegal, Overloaded.
    """
    committed = _commit_once(ctx, submission, propose)
    return replace(committed, receipt=views.receipt(ctx, committed.entry))


def _commit_once(ctx: Context, submission: Submission, propose: Propose) -> Committed:
    """Make the commit of a submission, or find the one that an earlier request has made."""
    loaded = ctx.cache.heads.get(submission.match)
    holder = ctx.cache.holders.get(submission.holder_field)
    if loaded is not None and holder is not None:
        # Most often both are as they were when last seen, and the append makes sure of it. If
        # anything is wrong, the journal is asked below, and the answer says exactly what.
        with suppress(ServiceError, RuleBroken, Conflict, KeyReused):
            act = propose(loaded, tokens.caller(holder))
            return _commit_submitted(ctx, submission, loaded, act)

    for _ in range(TRIES):
        access = enter(ctx, submission.match, submission.token)
        loaded = load_head(ctx, access)
        act = propose(loaded, access.caller)
        try:
            return _commit_submitted(ctx, submission, loaded, act)
        except (Conflict, RuleBroken, KeyReused, Overloaded, SignatureWrong) as error:
            earlier = _made_before(ctx, submission, loaded, act)
            if earlier is not None:
                return earlier
            _raise_unless_passing(ctx, submission, loaded, error)

    raise Busy(
        "the match moved on too often meanwhile; "
        "send the request again, with the version you expect"
    )


def _commit_submitted(ctx: Context, submission: Submission, loaded: Loaded, act: Act) -> Committed:
    """Commit an act at the version at which its caller had access.

    The token must still be the caller's when the commit is appended.
    """
    if not submission.fits(loaded):
        raise Conflict(loaded.version)
    if act.refusal is not None:
        raise act.refusal
    require_room(loaded.version, act.command)
    holder_field = submission.holder_field
    bound = replace(
        act,
        command_id=submission.command_id(act.actor),
        precondition=(holder_field, act.actor) if holder_field else ("", ""),
        signature=submission.signature,
    )
    decision = decide(ctx, loaded, bound)
    # The rules come first: who asks unsigned learns of a refusal before anything is signed.
    if isinstance(act.command, Join):
        require_proof(loaded, act.command)
    require_signature(submission, loaded, act)
    return append(ctx, decision)


def commit(ctx: Context, loaded: Loaded, act: Act) -> Committed:
    """Decide an act, append its commit, and enqueue what the match then awaits.

    Raises RuleBroken, and Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    return append(ctx, decide(ctx, loaded, act))


def decide(ctx: Context, loaded: Loaded, act: Act) -> Decision:
    """Return what the rules make of an act; raises RuleBroken."""
    version = loaded.version + 1
    # A clock that was set back does not let time run backwards.
    now = max(ctx.clock(), milliseconds(loaded.time))
    stamp = Stamp(version, act.actor, now)
    with tracing.span(VersionStep("decide", loaded.id, version)):
        chance = loaded.match.draws(version, act.command)
        match, events = play.decide(
            loaded.match, act.command, chance, status=loaded.status, stamp=stamp
        )

    after = Loaded(
        id=loaded.id,
        version=version,
        created=loaded.created,
        time=timestamp(now),
        hash="",
        match=match,
    )

    return Decision(act, events, loaded.match, loaded.hash, after)


def append(ctx: Context, decision: Decision) -> Committed:
    """Append what was decided, and enqueue what the match then awaits.

    Raises Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    act = decision.act
    written = _written(decision)
    after = replace(decision.after, hash=written.stored["hash"])
    head = head_of(after)
    derived = derived_metadata(decision.before, after)

    entry = Entry(
        match=after.id,
        expected=after.version - 1,
        prev=decision.prev,
        commit_bytes=written.commit_bytes,
        head=head,
        command_id=act.command_id,
        fingerprint=act.fingerprint,
        metadata={**act.metadata, **derived.metadata},
        precondition=act.precondition,
        thought=act.evaluation,
        deadline=derived.deadline,
        is_resting=derived.is_resting,
    )

    appended = _append_entry(ctx, entry)
    if appended.repeated:
        return _made_earlier(ctx, after, appended.version)

    ctx.cache.put(after)
    if head.awaiting and not derived.is_resting:
        ctx.enqueue(after.id, after.version, head.awaiting)
    return Committed(
        entry=written.stored,
        rules=after.match.rules,
        version=after.version,
        maker=tokens.caller(act.actor),
        after=after,
    )


def _written(decision: Decision) -> codec.Written:
    """Return the commit of a decision as the journal will hold it."""
    after = decision.after
    new_commit = codec.NewCommit(
        match=after.id,
        version=after.version,
        time=after.time,
        actor=decision.act.actor,
        command=decision.act.command,
        events=decision.events,
        prev=decision.prev,
        view=codec.view_digest(after.match),
        signature=decision.act.signature,
    )
    return codec.write(new_commit, after.match.key)


def _append_entry(ctx: Context, entry: Entry) -> Appended:
    """Append an entry; forget a remembered match that turns out to be no part of its stream."""
    try:
        with tracing.span(VersionStep("append", entry.match, entry.head.version)):
            start = perf_counter()
            appended = ctx.journal.events.append(entry)
            metrics.APPENDS.observe(perf_counter() - start)
            return appended
    except Conflict as error:
        metrics.CONFLICTS.inc()
        is_ahead = error.version < entry.expected
        if is_ahead:
            ctx.cache.heads.drop(entry.match)
        raise
    except ChainBroken:
        ctx.cache.heads.drop(entry.match)
        raise Conflict(entry.expected) from None


def head_of(loaded: Loaded) -> Head:
    """Return what is stored of a match beside its stream."""
    match = loaded.match
    status = loaded.status
    return Head(
        version=loaded.version,
        hash=loaded.hash,
        status=status.name,
        awaiting=status.awaiting,
        waiting=status.seats,
        game=RULES[match.rules].key,
        visibility=match.visibility,
        created=milliseconds(loaded.created),
        updated=milliseconds(loaded.time),
    )


def stale(ctx: Context, submission: Submission, expected: int) -> Stale:
    """Return the error that says where a match is, and what has happened since a version."""
    access = enter(ctx, submission.match, submission.token)
    since = views.commits(ctx, access, expected, SINCE)
    return Stale(expected, access.version, since)


def require_room(version: int, command: Message) -> None:
    """Raise RuleBroken if a match at a version takes no further commit of this kind (M12).

    The house does not ask here: what it has to do to end a match is always allowed.
    """
    if isinstance(command, Abort):
        return

    limit = _LIMITED_DEEDS.get(type(command))
    if limit and version >= LAST_SEAT_CHANGE:
        deed, rest = limit
        detail = (
            f"The match has {version} commits; {deed} only up to version "
            f"{LAST_SEAT_CHANGE}. It can be {rest}."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)

    if version >= MOST_COMMITS:
        detail = (
            f"The match has {version} commits, of {MOST_COMMITS} at most; "
            "its owner can only abort it."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)


def require_signature(submission: Submission, loaded: Loaded, act: Act) -> None:
    """Raise unless an act is signed by the key of its seat if it must be, and only then (M18).

    Raises VersionNeeded and SignatureWrong.
    """
    number = seat_of(act.actor)
    seat = None if number is None else loaded.match.seats[number]
    if seat is None or not seat.signs(act.command.tag):
        if submission.signature:
            detail = "no key signs this commit; send it again without Giornale-Signature"
            raise SignatureWrong(detail)
        return

    if submission.expected is None:
        raise VersionNeeded(
            f"seat {number} has a key, which signs the commit before as well: send If-Match"
        )

    signed = signatures.text_to_sign(
        loaded.id, loaded.version + 1, loaded.hash, seat.key, wire.encode(act.command)
    )
    if not signatures.fits(seat.key, submission.signature, signed):
        how = "wrong" if submission.signature else "missing"
        raise SignatureWrong(
            f"the signature of seat {number}'s key is {how}; sign the text `to_sign`",
            to_sign=signed.decode(),
        )


def require_proof(loaded: Loaded, command: Join) -> None:
    """Raise SignatureWrong unless the key of a join is proven, if it must be (M18).

    The proof names the head, so a join that has lost a race is refused.
    """
    key, proof = command.key, command.proof
    if key is None or (proof is None and not loaded.match.match_rules.takes_proven_keys):
        return
    text = signatures.join_text(loaded.id, loaded.hash, command.seat, key)
    require_proven(key, proof, text, "/proof")


def require_proven(key: str, proof: object, text: bytes, place: str) -> None:
    """Raise SignatureWrong unless a key has signed a text. place: of the proof in the request."""
    if not signatures.fits(key, proof, text):
        how = "wrong" if proof else "missing"
        detail = f"the proof of the key is {how} ({place}); sign the text `to_sign`"
        raise SignatureWrong(detail, to_sign=text.decode())


def fingerprint(request: object, key: bytes = b"") -> str:
    """Return what distinguishes a request from another one with the same idempotency key.

    It is stored for ever. request: JSON values. key: the server's secret where the request holds a
    name, which could else be guessed from it.
    """
    return hmac.digest(key, canonical(request), "sha256").hex()[:32]


def _made_before(
    ctx: Context, submission: Submission, loaded: Loaded, act: Act
) -> Committed | None:
    """Return the commit that an earlier request of the same key has made; raises KeyConflict."""
    if not submission.key:
        return None
    try:
        command_id = submission.command_id(act.actor)
        version = ctx.journal.events.version_made(submission.match, command_id, act.fingerprint)
    except KeyReused:
        raise KeyConflict(
            "this idempotency key was used for another request; send a new key"
        ) from None
    return None if version is None else _made_earlier(ctx, loaded, version)


def _made_earlier(ctx: Context, loaded: Loaded, version: int) -> Committed:
    """Return the commit of a version of a match, which an earlier request has made."""
    entry = read_commit(ctx, loaded.id, version)
    return Committed(
        entry=entry,
        rules=loaded.match.rules,
        version=version,
        maker=tokens.caller(entry["commit"]["actor"]),
        repeated=True,
    )


def _raise_unless_passing(
    ctx: Context, submission: Submission, loaded: Loaded, error: Exception
) -> None:
    """Raise the refusal that an error means.

    A conflict passes where no version was expected: it is worth another try.
    """
    if isinstance(error, Overloaded | SignatureWrong):
        raise error
    if isinstance(error, RuleBroken):
        raise Illegal(error, loaded.version, loaded.match.game.key) from None
    if isinstance(error, Conflict) and submission.expected is not None:
        raise stale(ctx, submission, submission.expected) from None
