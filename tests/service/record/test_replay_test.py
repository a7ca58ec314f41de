"""The replay test finds changed rules at the first version that shows them, and nothing else."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from domain import wire
from domain.errors import RuleBroken
from domain.game import Draft, Message, Outcome
from domain.games import RULES
from domain.match.state import Status
from service.matches.context import Context
from service.matches.opening import NewMatch
from service.matches.repository import load, pieces, write_snapshot
from service.record import codec
from service.record.commit import canonical, parse_commit, parse_object
from service.record.replay_test import (
    ReplayResult,
    ReplayTask,
    StoredBeside,
    replay,
    replay_record,
    replay_stored,
)
from tests import toy
from tests.service.toy_matches import forged, new_context, opened, play_on, put, record_of, whole

RUNNING = 5  # a version of the second round, in which seat 1 is to act
SWAPS = (2, 3)  # the first moves, both by humans
PAID = 4  # the commit of the house that tosses the coin


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy is registered. No reader of its messages outlives a test."""
    toy.install(monkeypatch)
    yield
    forget_readers()


def forget_readers() -> None:
    """Forget the readers of messages, which are cached by the name of the rules."""
    for cached in (codec.commands_of, codec.events_of, codec.readers_of):
        cached.cache_clear()


@pytest.fixture
def ctx() -> Context:
    """A context over a journal in memory."""
    return new_context()


def running(ctx: Context) -> NewMatch:
    """Return a match that is not over."""
    match = opened(ctx)
    play_on(ctx, match, until=RUNNING)
    return match


def commits_of(ctx: Context, match: str) -> list[bytes]:
    """Return the stored commits of a match, with all their secrets."""
    return list(chain.from_iterable(pieces(ctx, match, 0, load(ctx, match).version)))


def beside(ctx: Context, match: str) -> StoredBeside:
    """Return the values stored beside the commits."""
    head = ctx.journal.events.head(match)
    assert head is not None
    fields = ctx.journal.metadata.fields(match)
    status = Status(head.status, head.waiting, awaiting=head.awaiting)
    return StoredBeside(
        head.hash, status, fields.get("outcome"), ctx.journal.metadata.snapshot(match)
    )


def replayed(ctx: Context, match: str) -> ReplayResult:
    """Return the result for a match of a journal."""
    return replay_stored(commits_of(ctx, match), beside(ctx, match))


def changed(monkeypatch: pytest.MonkeyPatch, **functions: Any) -> None:
    """Replace functions of the toy's rules, as another release would."""
    toy.install(monkeypatch, replace(toy.TOY, **functions))
    forget_readers()


def refuse_swaps(draft: Draft[toy.Table], command: Message) -> None:
    """Refuse each swap."""
    if isinstance(command, toy.Swap):
        raise RuleBroken("no_swaps", "T2", "Cards are never swapped.")
    toy.play(draft, command)


class PaysMore(Draft[toy.Table]):
    """A draft whose first seat is paid a point more."""

    def emit(self, event: Message) -> None:
        """Apply and append the event."""
        if isinstance(event, toy.RoundPaid):
            event = replace(event, points=(event.points[0] + 1, *event.points[1:]))
        super().emit(event)


def pay_more(draft: Draft[toy.Table], command: Message) -> None:
    """Pay the first seat a point more."""
    toy.play(PaysMore(draft.state, draft.evolve, draft.chance, draft.events), command)


def stumble(draft: Draft[toy.Table], command: Message) -> None:
    """Raise an error for a swap."""
    if isinstance(command, toy.Swap):
        raise KeyError(command.seat)
    toy.play(draft, command)


def view_more(state: toy.Table, seat: int | None) -> Any:
    """Show the first round as if it were the last."""
    return {**toy.view(state, seat), "rounds": min(state.rounds, 1)}


CHANGES = {
    "a command is refused": ({"play": refuse_swaps}, SWAPS[0], "not_allowed"),
    "an event has other points": ({"play": pay_more}, PAID, "events_differ"),
    "the rules stumble": ({"play": stumble}, SWAPS[0], "not_played"),
    "the view differs": ({"view": view_more}, 1, "view_differs"),
    "an event is unknown": (
        {"events": wire.table(toy.CardDealt, toy.CardKept, toy.CoinTossed)},
        PAID,
        "unreadable",
    ),
    "an option is gone": ({"options": (toy.ROUNDS,)}, 1, "not_opened"),
}


@pytest.mark.parametrize("is_over", [False, True], ids=["running", "over"])
def test_unchanged_rules_show_no_difference(ctx: Context, is_over: bool) -> None:
    """A match is the same under the rules that it was played by, running or over."""
    match = opened(ctx)
    play_on(ctx, match, **({} if is_over else {"until": RUNNING}))
    version = load(ctx, match.loaded.id).version

    assert replayed(ctx, match.loaded.id) == ReplayResult(match.loaded.id, "toy/1", version)


@pytest.mark.parametrize(("functions", "version", "code"), CHANGES.values(), ids=CHANGES)
def test_a_changed_rule_is_found_at_its_first_version(
    ctx: Context,
    monkeypatch: pytest.MonkeyPatch,
    functions: dict[str, Any],
    version: int,
    code: str,
) -> None:
    """In a running match, and in the record of the same match after its end."""
    match = running(ctx)
    play_on(ctx, match)
    lines = record_of(ctx, match)
    changed(monkeypatch, **functions)

    results = [replay_ended(commits_of_lines(ctx, match)), replay_record(lines)]

    for result in results:
        assert result.result == "different"
        assert result.difference is not None
        assert (result.difference.version, result.difference.code) == (version, code)


def commits_of_lines(ctx: Context, match: NewMatch) -> list[bytes]:
    """Return the stored commits without a fold of the match."""
    head = ctx.journal.events.head(match.loaded.id)
    assert head is not None
    return ctx.journal.events.read(match.loaded.id, 0, head.version)


def _hash_of(commit_bytes: bytes) -> str:
    """Return the hash of a stored commit."""
    return parse_commit(commit_bytes)["hash"]


def replay_ended(commits: Sequence[bytes]) -> ReplayResult:
    """Return the result for commits, with a fitting status beside them."""
    return replay_stored(commits, StoredBeside(_hash_of(commits[-1]), Status("ended")))


def test_a_difference_has_the_changes_of_the_state(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They lead from the recorded state to the state of today, as a JSON Patch."""
    match = running(ctx)
    points = load(ctx, match.loaded.id).match.state.points[0]
    commits, stored = commits_of(ctx, match.loaded.id), beside(ctx, match.loaded.id)
    changed(monkeypatch, play=pay_more)

    difference = replay_stored(commits, stored).difference

    assert difference is not None
    assert list(difference.changes) == [
        {"op": "replace", "path": "/state/points/0", "value": points + 1, "was": points}
    ]


def test_a_refusal_has_no_changes(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """Today's rules have no state after a refused command."""
    match = running(ctx)
    commits, stored = commits_of(ctx, match.loaded.id), beside(ctx, match.loaded.id)
    changed(monkeypatch, play=refuse_swaps)

    difference = replay_stored(commits, stored).difference

    assert difference is not None
    assert not difference.changes
    assert "T2 no_swaps" in difference.detail


def test_a_snapshot_is_compared_with_the_state(ctx: Context) -> None:
    """A hidden card that no event and no view shows differs in the snapshot alone."""
    match = running(ctx)
    write_snapshot(ctx, load(ctx, match.loaded.id))
    stored = beside(ctx, match.loaded.id)
    assert replayed(ctx, match.loaded.id).result == "same"

    snapshot = parse_object(stored.snapshot or b"")
    card = snapshot["state"]["cards"][0]
    snapshot["state"]["cards"][0] = card + 1
    result = replay_stored(
        commits_of(ctx, match.loaded.id), replace(stored, snapshot=canonical(snapshot))
    )

    assert result.difference is not None
    assert (result.difference.version, result.difference.code) == (RUNNING, "snapshot_differs")
    assert list(result.difference.changes) == [
        {"op": "replace", "path": "/state/cards/0", "value": card, "was": card + 1}
    ]


@pytest.mark.parametrize("snapshot", [b"{}", b"not JSON", b'{"shape":"other","rules":"toy/1"}'])
def test_an_unusable_snapshot_is_passed_over(ctx: Context, snapshot: bytes) -> None:
    """The service does not read it either."""
    match = running(ctx).loaded.id
    stored = replace(beside(ctx, match), snapshot=snapshot)

    assert replay_stored(commits_of(ctx, match), stored).result == "same"


def test_a_result_is_compared_with_the_stored_one(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points that no event of the toy shows are part of the outcome beside the commits."""
    match = opened(ctx)
    play_on(ctx, match)
    commits, stored = commits_of(ctx, match.loaded.id), beside(ctx, match.loaded.id)
    assert stored.outcome is not None

    def shared(state: toy.Table) -> Outcome | None:
        end = toy.outcome(state)
        return end and Outcome(end.points, (1,) * len(end.points))

    changed(monkeypatch, outcome=shared)
    difference = replay_stored(commits, stored).difference

    assert difference is not None
    assert (difference.version, difference.code) == (len(commits), "outcome_differs")


def test_other_actors_than_in_the_head_are_a_difference(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The head says who must act next."""
    match = running(ctx)
    commits, stored = commits_of(ctx, match.loaded.id), beside(ctx, match.loaded.id)
    changed(monkeypatch, actors=lambda state: (0,) if state.rounds else ())

    difference = replay_stored(commits, stored).difference

    assert difference is not None
    assert difference.code == "status_differs"
    assert difference.detail == (
        "its head says running, next seat:1, and these rules say running, next seat:0"
    )


def no_moves(_state: toy.Table, _seat: int) -> list[Message]:
    """List no legal move."""
    return []


def move_of_another(_state: toy.Table, seat: int) -> list[Message]:
    """List a move that the rules refuse."""
    return [toy.Keep(seat), toy.Keep(1 - seat)]


def fail_to_list(state: toy.Table, _seat: int) -> list[Message]:
    """Raise an error."""
    raise IndexError(state.rounds)


@pytest.mark.parametrize(
    ("legal_moves", "detail"),
    [
        (no_moves, "seat:1 must act and has no legal move"),
        (
            move_of_another,
            "the move keep of seat:1 is listed and refused (T2 not_your_turn)",
        ),
        (fail_to_list, "the legal moves cannot be listed (IndexError)"),
    ],
)
def test_the_next_player_needs_a_legal_move(
    ctx: Context,
    monkeypatch: pytest.MonkeyPatch,
    legal_moves: Callable[[toy.Table, int], list[Message]],
    detail: str,
) -> None:
    """A running match must be able to go on. All its commits are the same."""
    match = running(ctx)
    commits, stored = commits_of(ctx, match.loaded.id), beside(ctx, match.loaded.id)
    changed(monkeypatch, legal_moves=legal_moves)

    difference = replay_stored(commits, stored).difference

    assert difference is not None
    assert (difference.version, difference.code) == (RUNNING, "moves_differ")
    assert difference.detail == detail


def test_moves_beyond_the_list_are_legal_moves(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seat may have unlisted moves alone."""
    match = running(ctx)
    commits, stored = commits_of(ctx, match.loaded.id), beside(ctx, match.loaded.id)
    changed(monkeypatch, legal_moves=no_moves, unlisted=lambda _state, _seat: {"swap": {}})

    assert replay_stored(commits, stored).result == "same"


def test_rules_that_are_not_installed_are_unknown(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a match cannot go on after the upgrade."""
    match = running(ctx)
    commits, stored = commits_of(ctx, match.loaded.id), beside(ctx, match.loaded.id)
    monkeypatch.delitem(RULES, "toy/1")

    result = replay_stored(commits, stored)

    assert (result.result, result.notes) == ("unknown", ["toy/1 is not installed"])


def test_damaged_commits_are_no_difference(ctx: Context) -> None:
    """A forged value breaks the chain, whatever the rules say."""
    lines = whole(ctx)

    result = replay_record(forged(lines, 3, put("commit.command.seat", 0)))
    cut = replay_record(lines[:3] + lines[4:])

    for damaged in (result, cut):
        assert damaged.result == "damaged"
        assert damaged.difference is None


def test_a_record_without_secrets_is_tested_in_part(ctx: Context) -> None:
    """The public record of a running match holds no hidden cards, so it cannot be folded."""
    result = replay_record(record_of(ctx, running(ctx)))

    assert result.result == "partly"
    assert "are not folded" in result.notes[0]


def test_a_match_that_cannot_be_read_is_damaged() -> None:
    """The reason is part of the result."""
    result = replay(ReplayTask("a-match", damage="the archive is damaged"))

    assert (result.result, result.notes) == ("damaged", ["the archive is damaged"])


def test_commits_that_do_not_lead_to_the_head_are_damaged(ctx: Context) -> None:
    """The last commits of a match may be lost."""
    match = running(ctx).loaded.id
    result = replay_stored(commits_of(ctx, match)[:-1], beside(ctx, match))

    assert (result.result, result.notes) == ("damaged", ["its commits do not lead to its head"])


def test_nothing_of_a_match_changes(ctx: Context) -> None:
    """The test reads alone."""
    match = running(ctx).loaded.id
    write_snapshot(ctx, load(ctx, match))
    before = (commits_of(ctx, match), ctx.journal.metadata.dump(match))

    replayed(ctx, match)

    assert (commits_of(ctx, match), ctx.journal.metadata.dump(match)) == before
    assert parse_commit(before[0][-1])["commit"]["version"] == RUNNING
