"""Forks: matches that go on from a version of another match, their base (M21)."""

from dataclasses import dataclass
from itertools import chain

from domain import wire
from domain.errors import MatchRuleBroken
from domain.match.messages import Base
from domain.match.state import Match
from domain.match.terms import base_of
from domain.match.terms.fork import require_base
from domain.seats import HOUSE_ACTOR, OWNER
from service.base.errors import Illegal, Invalid, MatchDeleted, Mistake, NotFound, refused
from service.matches import views
from service.matches.access import Access, enter
from service.matches.context import Context
from service.matches.repository import load_version, pieces
from service.record.commit import StoredCommit, parse_commit
from service.record.replay import Loaded
from service.record.terms.fork import ForkRequest, base_match
from service.record.verify.audit import FindBase, RecordAudit, verify_stored
from service.record.verify.redecide import MOST_FORKS

_FARTHEST_BASE = 100  # most matches checked in a row of forks
_OWN_SECRET = {"salt", "command", "0"}  # members of a part with only the match's own secret


@dataclass(frozen=True, slots=True)
class ForkSource:
    """The source of a fork.

    base: as in the fork's first commit.
    match: a match with the game, the rules, the options and the number of seats of the fork.
    is_unadvised: True if the base, or a base before it, goes on without advice.
    """

    base: Base
    match: Match
    is_unadvised: bool


NO_ADVICE = "The forked match goes on without advice. Choose random or greedy."


def is_unadvised(ctx: Context, match: str) -> bool:
    """Return True if a match, or a base before it, goes on without advice.

    A searching bot in a fork of such a match would give the forbidden advice (M14, M21). Also
    return True for a row of _FARTHEST_BASE forks. A deleted match ends the search.
    """
    for _ in range(_FARTHEST_BASE):
        head = ctx.journal.events.head(match)
        if head is None:
            return False  # deleted: nobody plays it any more
        try:
            opened = load_version(ctx, match, 1).match
        except MatchDeleted:
            return False
        if not head.final and not opened.advice:
            return True
        match = base_match(opened)
        if not match:
            return False
    return True


def earlier_source(ctx: Context, request: ForkRequest, fork: str) -> ForkSource | None:
    """Return the source of a fork that an earlier request opened, None without one.

    With this source a repeat is answered even if the base was deleted, or the token replaced,
    meanwhile.
    """
    if ctx.journal.events.head(fork) is None:
        return None
    match = load_version(ctx, fork, 1).match
    base = base_of(match)
    if base is None or (base.match, base.version) != (request.match, request.version):
        return None
    return ForkSource(base, match, is_unadvised=False)


def find(ctx: Context, request: ForkRequest) -> ForkSource:
    """Return the source of a requested fork, if the caller may fork it (M21).

    Raises the errors of `enter`, Invalid for a version missing in the base, and Unauthorized or
    Forbidden for a stranger before the revelation. Raises Illegal if at that version the base had
    not started, was over, or kept secrets that are not revealed yet.
    """
    access = enter(ctx, request.match, request.token)
    last = access.version
    if not 1 <= request.version <= last:
        detail = f"match {request.match} has the versions 1 to {last}"
        raise Invalid(Mistake("/fork/version", detail))
    if not access.head.final:
        _require_own(access)

    loaded = views.load_at(ctx, access, request.version)
    base = _base(loaded)
    if not access.head.final:
        _require_no_secrets(ctx, loaded)
    return ForkSource(base, loaded.match, is_unadvised(ctx, request.match))


def _require_own(access: Access) -> None:
    """Refuse a stranger a match before its revelation."""
    caller = access.caller
    if caller.seat is None and caller.role != OWNER:
        detail = (
            "before the revelation only the match's players and owner may fork it. Send the "
            "token of one of its seats or of its owner"
        )
        raise refused(caller.role, detail)


def _base(loaded: Loaded) -> Base:
    """Return a version as a base. Raises Illegal before the start, and if nobody had to act."""
    match = loaded.match
    if match.state is None:
        raise Illegal(loaded.status.why_no_moves(), loaded.version, match.game.key)

    base = Base(loaded.id, loaded.version, loaded.hash, wire.dump(match.state))
    try:
        require_base(match, base)
    except MatchRuleBroken as broken:
        raise Illegal(broken, loaded.version, match.game.key) from None
    return base


def _require_no_secrets(ctx: Context, loaded: Loaded) -> None:
    """Refuse a version with any secret up to it, except the match's own.

    Without such a secret, the state follows from public events alone. Raises Illegal.
    """
    commits = chain.from_iterable(pieces(ctx, loaded.id, 0, loaded.version))
    for version, commit_bytes in enumerate(commits, 1):
        if keeps_secrets(parse_commit(commit_bytes)):
            detail = (
                f"A fork shows everything, and version {version} has dealt secrets. Fork an "
                "earlier version now, or this one after the end."
            )
            broken = MatchRuleBroken("secrets_kept", "M21", detail)
            raise Illegal(broken, loaded.version, loaded.match.game.key)


def keeps_secrets(stored: StoredCommit) -> bool:
    """Return True if a commit keeps any secret except the match's own.

    The match's own secret stands in the house's part of the first commit, for its command and its
    first event.
    """
    parts = dict(stored["secrets"])
    if stored["commit"]["version"] == 1:
        house = parts.pop(HOUSE_ACTOR, {})
        return bool(parts or house.keys() - _OWN_SECRET)
    return bool(parts)


def bases_in(ctx: Context, most: int = MOST_FORKS) -> FindBase:
    """Return a function that audits the base of a fork in the journal, for a check of the fork.

    most: largest number of bases to check: the base, the base of the base, and so on.
    """

    def find_base(match: str, version: int) -> RecordAudit | None:
        head = ctx.journal.events.head(match)
        if head is None or head.version < version or not most:
            return None
        commits = chain.from_iterable(pieces(ctx, match, 0, version))
        try:
            return verify_stored(commits, find_base=bases_in(ctx, most - 1))
        except (NotFound, MatchDeleted):
            return None

    return find_base
