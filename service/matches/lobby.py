"""Before and around the game: joining and leaving seats, starting, aborting, bots that stand in."""

from collections.abc import Mapping

from domain.match.messages import Abort, Join, Leave, Replace, Restore, Start
from service.errors import Forbidden, refused
from service.keys import tokens
from service.ledger.replay import Loaded
from service.matches import exhibitions
from service.matches.committing import fingerprint
from service.matches.deciding import Made, Wanted, make
from service.matches.desk import Desk
from service.matches.opening import name_record


def join(
    desk: Desk,
    match: str,
    token: str | None,
    seat: int,
    wish: Mapping[str, str],
    *,
    expected: int | None,
    key: str,
) -> tuple[Made, str]:
    """Take an open seat (M2); return the commit and the seat's token. `wish`: name and entropy, "" for none.

    A public match's seat is for anybody, a private one's for the bearer of its invitation or its owner's token. The
    token follows from the key, so that a repeat gives it again; without a key it is drawn.
    """
    record, digest = name_record(wish["name"]) if wish["name"] else (None, "")
    held = tokens.make(desk.secret, match, f"seat:{seat}", f"join|{key}" if key else tokens.nonce())
    aside = {**tokens.held(f"seat:{seat}", held), f"name:{seat}": record}

    def want(loaded: Loaded, caller: tokens.Caller) -> Wanted:
        if loaded.match.visibility == "private" and caller.role not in ("invitation", "owner"):
            raise Forbidden("a private match is joined with its invitation token")
        return Wanted(Join(seat, digest, wish["entropy"]), aside)

    mark = fingerprint(["join", seat, dict(wish)], desk.secret)
    return make(desk, match, token, want, expected=expected, key=key, mark=mark), held


def leave(desk: Desk, match: str, token: str | None, seat: int, *, expected: int | None) -> Made:
    """Give one's seat up before the start; its token no longer counts (M3)."""

    def want(_loaded: Loaded, caller: tokens.Caller) -> Wanted:
        if caller.seat != seat:
            raise refused(caller.role, f"seat {seat} is left with its own token")
        gone = [
            tokens.field(token or ""),
            f"holder:seat:{seat}",
            f"replaced:seat:{seat}",
            f"name:{seat}",
        ]
        dead = dict.fromkeys(gone)
        return Wanted(Leave(seat), dead)

    return make(desk, match, token, want, expected=expected)


def start(desk: Desk, match: str, token: str | None, *, expected: int | None, key: str) -> Made:
    """Begin to play (M4)."""
    return _owned(desk, match, token, Start(), expected, key)


def abort(desk: Desk, match: str, token: str | None, *, expected: int | None, key: str) -> Made:
    """End the match without a result (M7)."""
    return _owned(desk, match, token, Abort(), expected, key)


def replace(
    desk: Desk,
    match: str,
    token: str | None,
    seat: int,
    level: str,
    *,
    expected: int | None,
    key: str,
) -> Made:
    """Let a bot hold a seat, open or held (M8)."""
    return _owned(desk, match, token, Replace(seat, level), expected, key)


def restore(
    desk: Desk, match: str, token: str | None, seat: int, *, expected: int | None, key: str
) -> Made:
    """Give a seat back to the human whom a bot replaced (M8)."""
    return _owned(desk, match, token, Restore(seat), expected, key)


def _owned(
    desk: Desk, match: str, token: str | None, command: Start | Abort | Replace | Restore,
    expected: int | None, key: str,
) -> Made:  # fmt: skip
    def want(loaded: Loaded, caller: tokens.Caller) -> Wanted:
        if caller.role != "owner":
            raise refused(caller.role, "this is the owner's to do")
        begins_exhibition = exhibitions.would_begin(loaded.match, command)
        return Wanted(command, refusal=exhibitions.refusal(desk) if begins_exhibition else None)

    return make(
        desk, match, token, want, expected=expected, key=key, mark=fingerprint([repr(command)])
    )
