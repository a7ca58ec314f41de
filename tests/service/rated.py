"""Matches of the toy in which seats have keys: played, then given keys and signatures.

Ratings take only verified matches, so nothing here checks a signature.
"""

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from domain.chance import bound_key
from domain.seats import seat_actor
from service.matches import automation, moves, opening
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import MatchSecret, NewMatch, OpenRequest, open_new
from service.matches.records import entries_of as journal_entries
from service.matches.repository import load
from service.record.commit import StoredCommit, canonical, milliseconds
from service.record.ratings import BOT
from service.record.replay import replay_commits
from service.store import seat_holders
from service.store.tlog.ratings import Ratings
from tests.attacks.forging import chained, entries_of
from tests.service.toy_matches import START, new_context, play_on, record_of
from workers.bots import choose

ADA, BEN, CLEO, DORA = (number * 32 for number in ("a1", "b2", "c3", "d4"))
CLOCK = {"bank_s": 86_400, "move_s": 60, "level": "random"}
SIGNATURE = "5" * 128

Act = Callable[[Context, NewMatch], None]


def played(
    *players: str,
    seed: str = "toy",
    known_seed: str | None = None,
    act: Act | None = None,
    to_end: bool = True,
    ctx: Context | None = None,
    **more: Any,
) -> list[bytes]:
    """Return the record of a match of the toy of some players.

    players: keys, "" for a human without one, "bot:LEVEL".
    seed: all draws follow from it, although nobody in the match knows it.
    known_seed: the seed that the owner has chosen.
    act: what else happens once it is opened.
    """
    ctx = ctx or new_context()
    seats = [_plan(player) for player in players]
    wish: dict[str, Any] = {"options": {"rounds": 1}, "clock": CLOCK, "seed": known_seed} | more
    match = _opened(ctx, opening.read_request(game="toy", seats=seats, **wish), seed)
    if act is not None:
        act(ctx, match)
    if to_end:
        play_on(ctx, match)
    return with_keys(record_of(ctx, match, match.tokens.get("owner")), players)


def played_by_chance(game: str, *players: str, number: int) -> list[bytes]:
    """Return the record of a match with random legal moves of its humans."""
    ticks = count(START + number * 40_000_000, 1000)
    ctx = replace(new_context(), clock=lambda: next(ticks))
    wish = OpenRequest(game, [_plan(player) for player in players], terms={"clock": CLOCK})
    opened = _opened(ctx, wish, f"match {number} by chance")
    chance = random.Random(number)
    while (status := load(ctx, opened.loaded.id).status).awaiting or status.seats:
        if status.awaiting == "house":
            automation.act(ctx, opened.loaded.id)
        elif status.worker == "bots":
            automation.play_bots(ctx, opened.loaded.id, choose)
        else:
            seat = status.seats[0]
            move = chance.choice(moves.legal_moves(load(ctx, opened.loaded.id), seat))
            moves.move(ctx, Submission(opened.loaded.id, opened.tokens[f"seat:{seat}"]), move)
    return with_keys(record_of(ctx, opened), players)


def _opened(ctx: Context, wish: OpenRequest, key: str) -> NewMatch:
    """Open a match with a bound secret that follows from its key."""

    def secret_of(match: str) -> MatchSecret:
        secret = hashlib.sha256(key.encode()).digest()
        return MatchSecret(secret, key=bound_key(secret, match), bound_to=match)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "new_secret", secret_of)
        return open_new(ctx, wish, key=key)


def _plan(player: str) -> dict[str, str]:
    if player.startswith(BOT):
        return {"kind": "bot", "level": player.removeprefix(BOT)}
    return {"kind": "human", "name": "Ginevra"}


def with_keys(lines: Sequence[bytes], players: Sequence[str], signed: bool = True) -> list[bytes]:
    """Return a record with keys at seats, and with a signature on each of their commits."""
    entries = entries_of(lines)
    keys = {
        seat: player for seat, player in enumerate(players) if player and not player.startswith(BOT)
    }
    opening = entries[0]["commit"]
    for message in (opening["command"], opening["events"][0]):
        for seat, key in keys.items():
            message["seats"][seat]["key"] = key
    for stored in entries:
        actor = stored["commit"]["actor"]
        if signed and actor in map(seat_actor, keys):
            _sign(stored, actor)
    return chained(entries)


def _sign(stored: StoredCommit, actor: str) -> None:
    part = stored["secrets"].get(actor, {})
    if "command" in part:
        part["signature"] = {"hex": SIGNATURE}
    else:
        stored["commit"]["signature"] = SIGNATURE


def commits_of(lines: Sequence[bytes]) -> list[bytes]:
    """Return the commits of a record as a journal stores them."""
    return [canonical(entry) for entry in entries_of(lines)]


def put(ctx: Context, lines: Sequence[bytes], names: Mapping[int, str] | None = None) -> str:
    """Put a record into a journal as it is, with names beside it. Return its match."""
    commits = entries_of(lines)
    loaded = replay_commits(None, commits_of(lines))
    assert loaded is not None
    entries = journal_entries(commits, loaded, milliseconds(loaded.time), "a test")
    ctx.journal.events.restore(entries)
    for seat, name in (names or {}).items():
        stored, _ = seat_holders.name_record(name)
        ctx.journal.metadata.put_if_missing(loaded.id, seat_holders.name_field(seat), stored)
    return loaded.id


def fold_now(ratings: Ratings) -> None:
    """Fold the matches that were taken in, although the last fold was made just now."""
    with ratings._database.opened() as database:
        database.execute("UPDATE progress SET fold_after = 0")
    ratings.fold()
