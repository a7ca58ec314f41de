"""Matches of the toy game, played over the journal in memory, and what a forger makes of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from domain.chance import draw_seed
from service.base.errors import BadRecord
from service.matches import automation, lobby, moves, opening
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.records import export, import_record
from service.matches.repository import load
from service.record.commit import StoredCommit, digest
from service.record.verify.audit import verify_record
from service.store import seat_holders
from service.store.journal.memory import memory_journal
from tests.attacks.forging import DIGESTS, chained, entries_of
from tests.signing import ADA, BEA, SignedTable
from workers.bots import choose

START = 1_700_000_000_000
TICK_MS = 1000
NO_END = 10**9
SECOND_ROUND = 7  # the version from which on the second round of a signed match is played

Change = Callable[[StoredCommit], None]


def new_context(start: int = START) -> Context:
    """Return a new context whose clock goes on by a second each time that it is read."""
    ticks: Iterator[int] = count(start, TICK_MS)
    return Context(
        journal=memory_journal(),
        secret=b"s" * 32,
        clock=lambda: next(ticks),
        enqueue=lambda *_: None,
        allow_seed=True,
    )


def opened(ctx: Context, rounds: int = 2, seats: int = 2, kind: str = "human") -> NewMatch:
    """Open the toy with a fixed seed. Humans have names."""
    if kind == "bot":
        plan = {"kind": "bot", "level": "greedy"}
    else:
        plan = {"kind": "human", "name": "Ginevra"}

    wish = OpenRequest("toy", [plan] * seats, {"rounds": rounds}, seed="toy")
    return open_new(ctx, wish, key="the toy")


@contextmanager
def draws_by_versions() -> Iterator[None]:
    """Let matches be opened as they were before their draws went by moves (M10)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "DRAWS_BY_MOVES", None)
        patch.setattr(opening, "move_seed", _seed_of_opening)
        yield


@contextmanager
def first_match_rules() -> Iterator[None]:
    """Let matches be opened by match rules 1, as before they had numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "MATCH_RULES", None)
        yield


def _seed_of_opening(key: bytes, entropy: Sequence[str], *, moves: int) -> bytes:
    """Return the seed of the first commit where draws go by versions. No move stands before it."""
    return draw_seed(key, entropy, moves + 1)


def play_on(ctx: Context, match: NewMatch, until: int = NO_END) -> None:
    """Let house and bots act, and humans swap where they may, until the end or a version."""
    match_id = match.loaded.id
    while True:
        loaded = load(ctx, match_id)
        if loaded.version >= until:
            return

        status = loaded.match.status
        if status.awaiting == "house":
            automation.act(ctx, match_id)
        elif status.worker == "bots":
            automation.play_bots(ctx, match_id, choose)
        elif status.name == "running":
            seat = status.actors[0]
            move(ctx, match, seat, "swap", why=f"secret of {seat}")
        else:
            return


def move(ctx: Context, match: NewMatch, seat: int, kind: str, **fields: str) -> None:
    """Make a human's move: "keep" or "swap", which may note why."""
    token = match.tokens[f"seat:{seat}"]
    moves.move(ctx, Submission(match.loaded.id, token), {"type": kind, **fields})


def record_of(ctx: Context, match: NewMatch, token: str | None = None) -> list[bytes]:
    """Return the lines of a match's record, public or as a token's bearer sees it."""
    return list(export(ctx, match.loaded.id, token))


def names_of(ctx: Context, match_id: str) -> dict[int, str]:
    """Return the names of a match's seats, which lie beside its chain."""
    return seat_holders.names_in(ctx.journal.metadata.fields(match_id))


def whole(ctx: Context, rounds: int = 2) -> list[bytes]:
    """Return the record of a match played to its end."""
    match = opened(ctx, rounds)
    play_on(ctx, match)
    return record_of(ctx, match)


def signed(ctx: Context, rounds: int = 2) -> list[bytes]:
    """Return the record of a match in which Ada and Bea sign, beside a bot, played to its end.

    Bea joins with her key. In the first round Ada swaps, with a note that only she may see, and Bea
    keeps. Then a bot stands in for Ada for a round. She comes back after it.
    """
    plans = [
        {"kind": "human", "key": ADA.key},
        {"kind": "open"},
        {"kind": "bot", "level": "random"},
    ]
    match = open_new(ctx, OpenRequest("toy", plans, {"rounds": rounds}, seed="toy"), key="signed")
    match_id, owner = match.loaded.id, Submission(match.loaded.id, match.tokens["owner"])
    table = SignedTable(ctx, match_id, {0: (ADA, match.tokens["seat:0"])})
    table.join(BEA, 1)
    lobby.start(ctx, owner)

    while (loaded := load(ctx, match_id)).match.status.awaiting or loaded.match.state.rounds:
        status = loaded.match.status
        if status.awaiting == "house":
            automation.act(ctx, match_id)
        elif status.worker == "bots":
            automation.play_bots(ctx, match_id, choose)
        elif status.actors == (1,):
            table.move(1, {"type": "keep"})
        elif loaded.version < SECOND_ROUND:
            table.move(0, {"type": "swap", "why": "a secret of Ada"})
        else:
            lobby.replace(ctx, owner, 0, "random")
            automation.play_bots(ctx, match_id, choose)
            table.do(0, {"type": "return"}, lobby.return_)
    return record_of(ctx, match)


def put(path: str, value: Any) -> Change:
    """Return the change that sets a value at a place, such as "commit.events.0.seat"."""
    *steps, last = path.split(".")

    def change(stored: StoredCommit) -> None:
        container: Any = stored
        for step in steps:
            container = container[_index(container, step)]
        container[_index(container, last)] = value

    return change


def _index(container: Any, step: str) -> str | int:
    """Return a step of a path as an index into a list, or as a name in an object."""
    return int(step) if isinstance(container, list) else step


def forged(lines: list[bytes], number: int, change: Change, *, digests: bool = True) -> list[bytes]:
    """Return a record in which a forger has changed one commit and mended every digest and hash.

    digests: False if the change is in the digests of secret parts. They stay as changed.
    """
    entries = entries_of(lines)
    change(entries[number - 1])

    if digests:
        for stored in entries:
            part_digests = {name: digest(part) for name, part in stored["secrets"].items()}
            stored["commit"]["secrets"] |= part_digests
    return chained(entries, leave=[DIGESTS])


def fault(lines: list[bytes]) -> tuple[int, str] | None:
    """Return the first bad commit of a record and the code of its fault, None if it is right."""
    wrong = verify_record(lines).report.wrong
    return None if wrong is None else (wrong.commit, wrong.code)


def import_fault(ctx: Context, lines: list[bytes]) -> tuple[int, str]:
    """Return the first bad commit of a record that must be refused, and the code of its fault."""
    with pytest.raises(BadRecord) as refused:
        import_record(ctx, lines)
    return refused.value.commit, refused.value.code
