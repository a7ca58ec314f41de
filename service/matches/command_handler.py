"""Command handler: a caller's submission becomes a commit, once for each idempotency key.

    Submission  match, token, idempotency key, expected version
    Access      head of the match, and the caller (`enter`)
    Act         the caller's command, with the changes and conditions of its commit (`propose`)
    Decision    events by the rules, and the match after them (`decide`)
    Committed   appended to the journal now, or by an earlier request with the same key (`append`)

The house and the bots commit acts without submitting them (`commit`).

Any number of threads and processes may submit to one match at once. They meet in the journal's
`append`: one step compares the version, the hash of the commit before, the command id and the
precondition (the caller's token). One of them appends. The others get Conflict and try again from
the top, at most TRIES times. With an expected version they get Stale instead. `_commit_once` first
makes one more try, with the match and the token's holder from this process's cache. That is safe,
since `append` checks both.

A crash: the process dies after the append, before its answer. The caller repeats the request with
the same key. If the act can be decided again, `append` finds the command id and changes nothing.
Otherwise the repeated act fails: the match has passed the expected version, or the rules now refuse
the act. Then `_find_earlier` looks for the command id. Either way `_read_earlier` answers with the
commit of the first request (`repeated`). But if that commit ended the caller's token, as `leave`
does, the repeat gets Unauthorized. If the job for the next work was lost with the process,
`automation.sweep` enqueues another one, since the match is pending in the journal. If the process
dies before the append, nothing has happened.
"""

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
from service.record.commit import StoredCommit, milliseconds, timestamp
from service.record.replay import Loaded
from service.record.terms import sides
from service.store.journal.errors import ChainBroken, Conflict, KeyReused
from service.store.journal.values import Appended, Entry, Head
from service.store.keys import tokens
from service.store.keys.tokens import Caller

TRIES = 8
SINCE = 20  # most commits in the answer to a stale version

# Limits of a match's length, here (M12) and in a record from elsewhere. The service sets them, not
# the games.
MOST_COMMITS = 5_000
LAST_SEAT_CHANGE = 1_000  # the last version for _LIMITED_DEEDS, tokens and names
MOST_RECORD_COMMITS = MOST_COMMITS + 100  # room for the house in a match at its limit
MOST_LINE = 1024 * 1024  # bytes of one commit in a record

# Commands refused from LAST_SEAT_CHANGE on, with two phrases for the refusal: the deed, and the
# remaining choices.
_LIMITED_DEEDS = {
    **dict.fromkeys(
        (Join, Leave, Replace, Restore), ("seats change hands", "played on, started or aborted")
    ),
    **{command: (deed, "played on") for command, deed in sides.LIMITED_DEEDS.items()},
}


@dataclass(frozen=True)
class Submission:
    """A caller's request for a commit.

    token: the caller's, None without one.
    expected: the required version of the match, None for any.
    key: idempotency key, "" for none. An actor makes at most one commit with a key.
    expected_hash: beginning of the hash of that version's commit, "" for any.
    signature: of the new commit, in hex, "" for none (M18).
    """

    match: str
    token: str | None = field(repr=False)
    expected: int | None = None
    key: str = ""
    expected_hash: str = ""
    signature: str = ""

    def fits(self, now: Loaded | Head) -> bool:
        """Return True if no version is expected, or the match is at this version and hash."""
        if self.expected is None:
            return True
        return self.expected == now.version and now.hash.startswith(self.expected_hash)

    def command_id(self, actor: str) -> str:
        """Return the id by which a repeat finds the commit, "" without a key.

        The id has the actor in it, so the same key of two actors gives two ids.
        """
        return f"{actor}:{self.key}" if self.key else ""

    @cached_property
    def holder_field(self) -> str:
        """The metadata field with the token's holder, "" for no token."""
        return tokens.field(self.token) if self.token else ""


@dataclass(frozen=True, slots=True)
class Act:
    """A command of an actor, with the changes and conditions of its commit.

    refusal: a reason to refuse the command although the actor may give it, None for none.
    metadata: fields of the request to set together with the commit (None: to delete). Fields that
        follow from the match are in `service.matches.derived`.
    command_id: id by which a repeat finds the commit, "" for none.
    fingerprint: distinguishes a repeat from another request with the same command id.
    precondition: a metadata field and its required value. ("", ""): none.
    signature: signature by the seat's key, "" for none (M18).
    evaluation: a bot's evaluation of its move (`bots.stored_evaluation`). b"": none.
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
    """An act that the rules allow, its events, and the match after them.

    before: the match before the events, None for the first commit.
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
    """A commit accepted by the journal.

    entry: the commit with its secret parts.   rules: of the match.
    version: of the match after the commit.   maker: the actor of the commit.
    repeated: True if an earlier request with the same key made the commit.
    after: the match after the commit. None if `repeated`.
    receipt: the server's receipt. None without a signer, and for a commit without a submission.
    """

    entry: StoredCommit
    rules: str
    version: int
    maker: Caller
    repeated: bool = False
    after: Loaded | None = None
    receipt: answers.Receipt | None = None


# Takes the match and the caller. Returns the request as an act. Raises the refusal of a caller who
# may not act so.
Propose = Callable[[Loaded, Caller], Act]


def submit(ctx: Context, submission: Submission, propose: Propose) -> Committed:
    """Make the commit of a submission, and sign its receipt.

    propose: makes the act, again for each try.
    Raises the errors of `enter` and `propose`, Stale, KeyConflict, Busy, Illegal, Overloaded,
    SignatureWrong and VersionNeeded.
    """
    committed = _commit_once(ctx, submission, propose)
    return replace(committed, receipt=views.receipt(ctx, committed.entry))


def _commit_once(ctx: Context, submission: Submission, propose: Propose) -> Committed:
    """Make the commit of a submission, or return the commit made by an earlier request."""
    loaded = ctx.cache.heads.get(submission.match)
    holder = ctx.cache.holders.get(submission.holder_field)
    if loaded is not None and holder is not None:
        # The cached match and holder are mostly up to date, and the append checks both. After an
        # error the journal is asked below, so the answer gives the exact reason.
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
            earlier = _find_earlier(ctx, submission, loaded, act)
            if earlier is not None:
                return earlier
            _raise_unless_passing(ctx, submission, loaded, error)

    raise Busy("the match changed too often. Send the request again, with the expected version")


def _commit_submitted(ctx: Context, submission: Submission, loaded: Loaded, act: Act) -> Committed:
    """Commit an act at the version of a loaded match.

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
    # The rules come first: an unsigned request learns of a refusal before anything is signed.
    if isinstance(act.command, Join):
        require_proof(loaded, act.command)
    require_signature(submission, loaded, act)
    return append(ctx, decision)


def commit(ctx: Context, loaded: Loaded, act: Act) -> Committed:
    """Decide an act, append its commit, and enqueue the next work on the match.

    Raises RuleBroken, and Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    return append(ctx, decide(ctx, loaded, act))


def decide(ctx: Context, loaded: Loaded, act: Act) -> Decision:
    """Return the rules' decision on an act. Raises RuleBroken."""
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
    """Append the commit of a decision, and enqueue the next work on the match.

    Raises Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    act = decision.act
    written = _write_commit(decision)
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
        return _read_earlier(ctx, after, appended.version)

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


def _write_commit(decision: Decision) -> codec.Written:
    """Return the commit of a decision in its stored form."""
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
    """Append an entry. Evict a cached match that is not part of its stream. Raises Conflict."""
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
    """Return the head of a match."""
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
    """Return the refusal of a stale version, with the first commits since then."""
    access = enter(ctx, submission.match, submission.token)
    since = views.commits(ctx, access, expected, SINCE)
    return Stale(expected, access.version, since)


def require_room(version: int, command: Message) -> None:
    """Raise RuleBroken if a match at a version takes no further commit of this kind (M12).

    Commits of the house skip this check, so the house can always end a match.
    """
    if isinstance(command, Abort):
        return

    limit = _LIMITED_DEEDS.get(type(command))
    if limit and version >= LAST_SEAT_CHANGE:
        deed, rest = limit
        detail = (
            f"The match has {version} commits, but {deed} only up to version "
            f"{LAST_SEAT_CHANGE}. It can be {rest}."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)

    if version >= MOST_COMMITS:
        detail = (
            f"The match has {version} commits, of {MOST_COMMITS} at most. Its owner can only "
            "abort it."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)


def require_signature(submission: Submission, loaded: Loaded, act: Act) -> None:
    """Check that a seat's key has signed the seat's act, and that no other act is signed (M18).

    The key signs only some commands (`Seat.signs`). Raises VersionNeeded and SignatureWrong.
    """
    number = seat_of(act.actor)
    seat = None if number is None else loaded.match.seats[number]
    if seat is None or not seat.signs(act.command.tag):
        if submission.signature:
            detail = "no key signs this commit. Send it again without Giornale-Signature"
            raise SignatureWrong(detail)
        return

    if submission.expected is None:
        raise VersionNeeded(
            f"the key of seat {number} signs the hash of the commit before, too. Send If-Match"
        )

    signed = signatures.text_to_sign(
        loaded.id, loaded.version + 1, loaded.hash, seat.key, wire.encode(act.command)
    )
    if not signatures.fits(seat.key, submission.signature, signed):
        how = "wrong" if submission.signature else "missing"
        raise SignatureWrong(
            f"the signature by the key of seat {number} is {how}. Sign the text `to_sign`",
            to_sign=signed.decode(),
        )


def require_proof(loaded: Loaded, command: Join) -> None:
    """Raise SignatureWrong if a join's proof of its key is wrong, or missing and needed (M18).

    The proof names the head, so a join after a lost race is refused.
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
        detail = f"the proof of the key is {how} ({place}). Sign the text `to_sign`"
        raise SignatureWrong(detail, to_sign=text.decode())


def _find_earlier(
    ctx: Context, submission: Submission, loaded: Loaded, act: Act
) -> Committed | None:
    """Return the commit made by an earlier request with the same key, None without one.

    Raises KeyConflict.
    """
    if not submission.key:
        return None
    try:
        command_id = submission.command_id(act.actor)
        version = ctx.journal.events.version_made(submission.match, command_id, act.fingerprint)
    except KeyReused:
        raise KeyConflict(
            "this idempotency key was used for another request. Send a new key"
        ) from None
    return None if version is None else _read_earlier(ctx, loaded, version)


def _read_earlier(ctx: Context, loaded: Loaded, version: int) -> Committed:
    """Return the commit at a version, made by an earlier request."""
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
    """Raise the refusal behind an error.

    Return if another try may succeed: after KeyReused, and after a conflict without an expected
    version.
    """
    if isinstance(error, Overloaded | SignatureWrong):
        raise error
    if isinstance(error, RuleBroken):
        raise Illegal(error, loaded.version, loaded.match.game.key) from None
    if isinstance(error, Conflict) and submission.expected is not None:
        raise stale(ctx, submission, submission.expected) from None
