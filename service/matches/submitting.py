"""From what a caller submits to a commit, exactly once: moves, and everything in the lobby.

A caller's submission becomes a proposal (a command that the caller may give), the proposal an act,
and the act a commit.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from domain.errors import RuleBroken
from service.errors import Busy, Illegal, KeyConflict, Overloaded, ServiceError, Stale
from service.journal.errors import Conflict, KeyReused
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit
from service.ledger.receipts import Accepted
from service.ledger.replay import Loaded
from service.matches import reading
from service.matches.access import Entered, enter, remembered
from service.matches.bounds import require_room
from service.matches.committing import Act, commit
from service.matches.desk import Desk
from service.matches.loading import entry_of

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


def submit(desk: Desk, submission: Submission, propose: Propose, mark: str = "") -> Made:
    """Make the commit that a caller submits.

    propose: asked anew whenever another commit came between; raises what the caller may not do.
    mark: tells the request from another one with the same key.
    Raises what `enter` and `propose` raise, Stale, KeyConflict, Busy, Illegal, Overloaded.
    """
    known = remembered(desk, submission.match, submission.holder_field)
    if known is not None:
        # The append makes sure that nothing has changed. If anything is wrong, look first, and
        # tell exactly what.
        with suppress(ServiceError, RuleBroken, Conflict, KeyReused):
            return _commit(desk, submission, known, propose(*known), mark)

    for _ in range(TRIES):
        entered = enter(desk, submission.match, submission.token)
        proposal = propose(*entered)
        try:
            return _commit(desk, submission, entered, proposal, mark)
        except (Conflict, RuleBroken, KeyReused, Overloaded) as error:
            earlier = _made_before(desk, submission, entered.caller, mark)
            if earlier is not None:
                return earlier
            _raise_unless_passing(desk, submission, entered.loaded, error)

    raise Busy(
        "the match moved on too often meanwhile; "
        "send the request again, with the version you expect"
    )


def stale(desk: Desk, submission: Submission, expected: int) -> Stale:
    """Return the error that says where a match is, and what has happened since a version."""
    loaded, caller = enter(desk, submission.match, submission.token)
    since = reading.commits(desk, loaded, caller, expected, SINCE)
    return Stale(expected, loaded.version, since)


def _commit(
    desk: Desk, submission: Submission, entered: Entered, proposal: Proposal, mark: str
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
    receipt = _Receipt(desk)
    act = Act(
        actor=actor,
        command=proposal.command,
        sidecar=proposal.sidecar,
        command_id=command_id,
        mark=mark,
        holds=holds,
        meanwhile=receipt.of,
    )
    committed = commit(desk, loaded, act)
    if committed.earlier_version is not None:
        return _repeat(desk, loaded.id, committed.earlier_version)
    return _made(committed.entry, receipt, repeated=False)


def _command_id(actor: str, key: str) -> str:
    """Return under which id a commit is remembered: keys of different callers do not meet."""
    return f"{actor}:{key}" if key else ""


def _made_before(desk: Desk, submission: Submission, caller: Caller, mark: str) -> Made | None:
    """Return the commit that an earlier request of the same key has made; raises KeyConflict."""
    if not submission.key:
        return None
    try:
        command_id = _command_id(caller.name, submission.key)
        version = desk.journal.version_made(submission.match, command_id, mark)
    except KeyReused:
        raise KeyConflict(
            "this idempotency key was used for another request; send a new key"
        ) from None
    return None if version is None else _repeat(desk, submission.match, version)


def _raise_unless_passing(
    desk: Desk, submission: Submission, loaded: Loaded, error: Exception
) -> None:
    """Raise the refusal that an error means.

    A conflict passes where no version was expected: it is worth another try.
    """
    if isinstance(error, Overloaded):
        raise error
    if isinstance(error, RuleBroken):
        raise Illegal(error, loaded.version, loaded.match.game.key) from None
    if isinstance(error, Conflict) and submission.expected is not None:
        raise stale(desk, submission, submission.expected) from None


def _repeat(desk: Desk, match_id: str, version: int) -> Made:
    return _made(entry_of(desk, match_id, version), _Receipt(desk), repeated=True)


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

    def __init__(self, desk: Desk) -> None:
        self._signer = desk.signer
        self._signed: Json | None = None

    def of(self, entry: StoredCommit) -> Json | None:
        """Return the receipt, None where nobody signs; each call names the same commit."""
        if self._signed is None and self._signer is not None:
            self._signed = self._signer.sign(Accepted.of(entry))
        return self._signed
