"""Draws by the number of moves in a match (M10): nothing outside the game changes one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.chance import Draws
from domain.games import GAMES
from domain.match.state import Match
from service.matches import automation, lobby, metadata_changes, moves, records, tokens
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.records import export
from service.matches.repository import load
from service.record.codec import decode_events
from service.record.commit import StoredCommit, canonical
from service.record.replay import apply, stamp_of
from service.record.verify.audit import verify_record
from service.store.archive.packing import pack, unpack
from service.store.journal.memory import memory_journal
from service.store.journal.values import Whole
from tests import taking_back, toy
from tests.attacks.forging import entries_of
from tests.records import make
from tests.service.matches.conftest import by, context_over, humans, make_move, now
from tests.service.record.verify.node import TOY_IS_UNKNOWN, reports_of, with_node
from tests.service.toy_matches import draws_by_versions

WHOLE_NUMBER = 1 << 256  # a draw below it is the whole digest of the seed

Interlude = Callable[[Context, NewMatch], None]


def opened_by_two(ctx: Context, game: str = "toy") -> NewMatch:
    """Open a match of two humans with a fixed secret and take-backs."""
    wish = OpenRequest(game, humans(2), seed="draws", terms={"take_back": "consent"})
    return open_new(ctx, wish, key="draws")


# ---- what does not move a draw -------------------------------------------------------------------


def erase_a_name(ctx: Context, opened: NewMatch) -> None:
    metadata_changes.erase(ctx, by(opened, "owner"), 1)


def let_a_bot_stand_in(ctx: Context, opened: NewMatch) -> None:
    lobby.replace(ctx, by(opened, "owner"), 1, "greedy")
    lobby.restore(ctx, by(opened, "owner"), 1)


def take_a_move_back(ctx: Context, opened: NewMatch) -> None:
    make_move(ctx, opened, 0)
    taking_back.ask(ctx, by(opened, "seat:0"), now(ctx, opened).version - 1)


def take_three_back(ctx: Context, opened: NewMatch) -> None:
    for _ in range(3):
        take_a_move_back(ctx, opened)


def change_a_token(ctx: Context, opened: NewMatch) -> None:
    tokens.rotate(ctx, by(opened, "owner"), None)


INTERLUDES: dict[str, Interlude] = {
    "M13-name": erase_a_name,
    "M8-stand-in": let_a_bot_stand_in,
    "M17-taken-back": take_a_move_back,
    "M17-taken-back-often": take_three_back,
    "M13-token": change_a_token,
}


@pytest.mark.parametrize("interlude", INTERLUDES.values(), ids=INTERLUDES)
def test_nothing_beside_the_game_moves_a_draw(
    interlude: Interlude, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M10: with the same secret and moves, a match has the same draws with and without interlude.

    With draws by versions, as in earlier matches, the interlude changes the draws.
    """
    toy.install(monkeypatch)
    assert game_after(interlude) == game_after(None)
    with draws_by_versions():
        assert game_after(interlude) != game_after(None)


def game_after(interlude: Interlude | None) -> list[Any]:
    """Return the states of a toy that is played to its end, an interlude before the first move."""
    ctx = context_over(memory_journal())
    opened = opened_by_two(ctx)
    if interlude is not None:
        interlude(ctx, opened)

    return game_on(ctx, opened)


def test_no_two_commits_that_stand_draw_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """M10: each commit of the game has a seed of its own."""
    toy.install(monkeypatch)
    ctx = context_over(memory_journal())
    opened = opened_by_two(ctx)
    lines = ended(ctx, opened)

    of_the_game = [
        number
        for number, stored in zip(numbers_drawn(lines), entries_of(lines), strict=True)
        if any(event["type"] in toy.EVENTS for event in stored["commit"]["events"])
    ]
    assert len(of_the_game) > 5
    assert len(set(of_the_game)) == len(of_the_game)


# ---- the seeds as others work them out -----------------------------------------------------------


@with_node
@pytest.mark.parametrize("kind", ["moves", "versions"])
def test_the_page_has_the_seeds_of_the_service(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M10, M17: page and service have the same seeds, even after take-backs or by versions."""
    toy.install(monkeypatch)
    ctx = context_over(memory_journal())
    if kind == "moves":
        opened = opened_by_two(ctx)
    else:
        with draws_by_versions():
            opened = opened_by_two(ctx)
    for interlude in INTERLUDES.values():
        interlude(ctx, opened)
    lines = ended(ctx, opened)

    [report] = reports_of(tmp_path, [b"".join(lines)])

    assert verify_record(lines).report.verdict == "right"
    assert (report["wrong"], report["unchecked"]) == (None, [TOY_IS_UNKNOWN])
    draws = [Draws(bytes.fromhex(seed)).below(WHOLE_NUMBER) for seed in report["seeds"]]
    assert draws == numbers_drawn(lines)


def ended(ctx: Context, opened: NewMatch) -> list[bytes]:
    """Play a toy to its end. Return its record."""
    game_on(ctx, opened)
    automation.act(ctx, opened.loaded.id)
    return list(export(ctx, opened.loaded.id, None))


def game_on(ctx: Context, opened: NewMatch) -> list[Any]:
    """Let every seat swap and the house act to the end of the game. Return its states."""
    states = []
    while (loaded := now(ctx, opened)).status.name == "running":
        states.append(loaded.match.state)
        if loaded.status.awaiting == "house":
            automation.act(ctx, opened.loaded.id)
        else:
            moves.move(ctx, by(opened, f"seat:{loaded.status.seats[0]}"), {"type": "swap"})
    return [*states, loaded.match.state]


def numbers_drawn(lines: list[bytes]) -> list[int]:
    """Return the first draw that each commit of a record would make, from the match before it."""
    entries: list[StoredCommit] = entries_of(lines)
    rules = entries[0]["commit"]["events"][0]["rules"]
    match: Match | None = None
    numbers = []
    for stored in entries:
        events = decode_events([stored], rules)
        stamp = stamp_of(stored["commit"])
        before = match or apply(None, events[:1], stamp)
        numbers.append(before.draws(stamp.version).below(WHOLE_NUMBER))
        match = apply(match, events, stamp)
    return numbers


# ---- archives and imports ------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_a_match_that_was_drawn_together_is_packed_and_imported(game: str) -> None:
    """M10, M19: the match is unpacked unchanged, and an imported one has its number of moves."""
    lines = make.lines_in(make.together_path(GAMES[game]))
    entries = entries_of(lines)
    match = entries[0]["commit"]["match"]
    whole = Whole([canonical(entry) for entry in entries], {})
    assert unpack(pack(match, whole)) == whole

    ctx = context_over(memory_journal())
    records.import_record(ctx, lines)
    events = [entry["commit"]["events"] for entry in entries]
    moves = sum(any(event["type"] in GAMES[game].events for event in one) for one in events)
    assert load(ctx, match).match.moves == moves
