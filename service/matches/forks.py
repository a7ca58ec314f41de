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
from service.base.errors import Illegal, Invalid, Mistake, refused
from service.matches import views
from service.matches.access import Access, enter
from service.matches.context import Context
from service.matches.repository import load_version, pieces
from service.record.commit import StoredCommit, parse_commit
from service.record.replay import Loaded
from service.record.terms.fork import ForkRequest, base_match
from service.record.verify.audit import FindBase, RecordAudit, verify_stored
from service.record.verify.redecide import MOST_FORKS

_FARTHEST_BASE = 100  # forks of forks that are looked at
_OWN_SECRET = {"salt", "command", "0"}  # the places of the match's own secret


@dataclass(frozen=True, slots=True)
class ForkSource:
    """What a fork goes on from.

    base: what its first commit says of that.   match: with the terms that the fork has to have.
    is_unadvised: True if the base, or one before it, goes on without advice.
    """

    base: Base
    match: Match
    is_unadvised: bool


NO_ADVICE = "The match that is forked goes on without advice. Choose random or greedy."


def is_unadvised(ctx: Context, match: str) -> bool:
    """Return True if a match goes on without advice, or one that it was forked from does.

    A searching bot in a fork of it would give the advice that the match forbids (M14, M21).
    """
    for _ in range(_FARTHEST_BASE):
        head = ctx.journal.events.head(match)
        if head is None:
            return False  # deleted: nobody plays it any more
        opened = load_version(ctx, match, 1).match
        if not head.final and not opened.advice:
            return True
        match = base_match(opened)
        if not match:
            return False
    return True


def found_before(ctx: Context, request: ForkRequest, fork: str) -> ForkSource | None:
    """Return what a fork went on from when an earlier request opened it, None if none did.

    So a repeat is answered also when its base was deleted, or the token replaced, meanwhile.
    """
    if ctx.journal.events.head(fork) is None:
        return None
    match = load_version(ctx, fork, 1).match
    base = base_of(match)
    if base is None or (base.match, base.version) != (request.match, request.version):
        return None
    return ForkSource(base, match, is_unadvised=False)


def find(ctx: Context, request: ForkRequest) -> ForkSource:
    """Return the base that a caller asks for, if they may fork it (M21).

    Raises what `enter` raises, Invalid for a version that the base does not have, Unauthorized or
    Forbidden for a stranger before the revelation, and Illegal: the base had not started at that
    version or was over, or it keeps secrets.
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
    """Refuse a stranger a match whose secrets are not revealed."""
    caller = access.caller
    if caller.seat is None and caller.role != OWNER:
        detail = (
            "until its secrets are revealed at the end a match is forked by its players and its "
            "owner alone; send a seat's or the owner's token of it"
        )
        raise refused(caller.role, detail)


def _base(loaded: Loaded) -> Base:
    """Return a version as a base; refuse one before the start, or where nobody had to act."""
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
    """Refuse a version up to which anything was kept from anybody but the match's own secret.

    Where nothing was, the state follows from public events alone.
    """
    commits = chain.from_iterable(pieces(ctx, loaded.id, 0, loaded.version))
    for version, commit_bytes in enumerate(commits, 1):
        if keeps_secrets(parse_commit(commit_bytes)):
            detail = (
                f"Version {version} has dealt what not everybody sees, and a fork shows all. "
                "Fork an earlier version now, or this one when the match has ended."
            )
            broken = MatchRuleBroken("secrets_kept", "M21", detail)
            raise Illegal(broken, loaded.version, loaded.match.game.key)


def keeps_secrets(stored: StoredCommit) -> bool:
    """Return whether a commit keeps anything from anybody but the match's own secret.

    That stands in the house's part of the first commit, for its command and its first event.
    """
    parts = dict(stored["secrets"])
    if stored["commit"]["version"] == 1:
        house = parts.pop(HOUSE_ACTOR, {})
        return bool(parts or house.keys() - _OWN_SECRET)
    return bool(parts)


def bases_in(ctx: Context, most: int = MOST_FORKS) -> FindBase:
    """Return what finds the base of a fork in the journal, for a check of the fork.

    most: how many bases are checked, each that of the fork before.
    """

    def find_base(match: str, version: int) -> RecordAudit | None:
        head = ctx.journal.events.head(match)
        if head is None or head.version < version or not most:
            return None
        commits = chain.from_iterable(pieces(ctx, match, 0, version))
        return verify_stored(commits, find_base=bases_in(ctx, most - 1))

    return find_base
