"""Forks: a match goes on from any version of another one, and its record proves the base (M21)."""

from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from domain import wire
from domain.match.terms import base_of
from domain.seats import OWNER
from service.base.errors import BadRecord, Illegal
from service.base.metadata_fields import COMMAND_LINE
from service.capabilities.rematch.use_cases import rematch
from service.matches import automation, lifecycle, moves, records
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.forks import keeps_secrets
from service.matches.opening import NewMatch, open_new, read_request
from service.matches.repository import load, load_version
from service.record import record
from service.record.commit import canonical
from service.record.terms.fork import ForkRequest
from service.record.verify.audit import FindBase, RecordAudit, verify_record
from tests.records import make
from tests.service.toy_matches import new_context
from tests.terms import take_back_of
from workers.bots import choose

SHORT = {"calimala": "1-3-bound-03", "firenze": "1-2-bound-03"}
RANDOM = {"kind": "bot", "level": "random"}


@cache
def golden(game: str) -> list[bytes]:
    """Return the lines of a golden record of a match that was played to its end."""
    return make.lines_in(make.HOME / game / f"{SHORT[game]}.ndjson.gz")


def later(by_ms: int = 10**9) -> Context:
    """Return a context over an empty journal, long after the golden records were played."""
    ticks = count(make.START + by_ms, 1000)
    return replace(new_context(), clock=lambda: next(ticks))


def with_base(game: str) -> tuple[Context, str, int]:
    """Return a context with that match in its journal, its id, and the last version to play."""
    ctx = later()
    audit, _ = records.import_record(ctx, golden(game))
    return ctx, audit.report.match, audit.report.commits - 2


shared_base = cache(with_base)
"""with_base, for tests that only add forks."""


def fork(ctx: Context, base: str, version: int, **more: Any) -> NewMatch:
    """Open a fork of a match with bots at all seats."""
    match = load(ctx, base).match
    seats = more.pop("seats", [RANDOM] * len(match.seats))
    members = {"game": match.game.key, "seats": seats, "fork": ForkRequest(base, version), **more}
    request = read_request(**members)
    return open_new(ctx, request)


def played(ctx: Context, match: str) -> list[bytes]:
    """Let house and bots play a match to its end. Return its record."""
    while True:
        status = load(ctx, match).match.status
        if status.awaiting == "house":
            automation.act(ctx, match)
        elif status.worker == "bots":
            automation.play_bots(ctx, match, choose)
        else:
            return list(records.export(ctx, match, None))


def at_hand(*bases: list[bytes]) -> FindBase:
    """Return a finder of the bases of forks among some records."""

    def find_base(match: str, _version: int) -> RecordAudit | None:
        for lines in bases:
            if record.read_line(lines[0])[0]["commit"]["match"] == match:
                return verify_record(lines, find_base=at_hand(*bases))
        return None

    return find_base


@pytest.mark.whole
@pytest.mark.parametrize("game", SHORT)
@settings(max_examples=8)
@given(share=st.floats(0, 1))
def test_every_version_of_a_finished_match_can_be_forked(game: str, share: float) -> None:
    """A law: the fork begins with the base's state, bots play it to its end, and it verifies.

    Without the record of its base it is partly checked, with it wholly.
    """
    ctx, base, last = shared_base(game)
    first = next(n for n in count(1) if load_version(ctx, base, n).match.state is not None)
    version = first + round(share * (last - first))
    then = load_version(ctx, base, version).match

    opened = fork(ctx, base, version)
    start = load_version(ctx, opened.loaded.id, 1).match
    lines = played(ctx, opened.loaded.id)

    assert canonical(wire.dump(start.state)) == canonical(wire.dump(then.state))
    alone = verify_record(lines).report
    whole = verify_record(lines, find_base=at_hand(golden(game))).report
    assert (alone.verdict, whole.verdict) == ("partly_checked", "right")
    assert [f"match {base}" in reason for reason in alone.unchecked] == [True]
    assert whole.decided == whole.commits == len(lines)


@pytest.mark.whole
@pytest.mark.parametrize("game", SHORT)
def test_each_version_is_the_start_of_its_fork(game: str) -> None:
    """Each version from the start to the last move can be forked. The end cannot."""
    ctx, base, last = with_base(game)
    for version in range(1, last + 3):
        then = load_version(ctx, base, version).match
        if then.state is None or not then.game.actors(then.state):
            with pytest.raises(Illegal) as refused:
                fork(ctx, base, version)
            assert refused.value.code in ("not_started", "nothing_to_play")
            continue

        start = load_version(ctx, fork(ctx, base, version).loaded.id, 1).match
        assert start.state == then.state, version
        assert start.status.actors == then.game.actors(then.state)


@pytest.mark.parametrize(
    ("version", "secrets", "has_secrets"),
    [
        pytest.param(
            1, {"house": {"salt": "", "command": {}, "0": {}}}, False, id="M21-own-secret"
        ),
        pytest.param(
            1, {"house": {"salt": "", "command": {}, "0": {}, "2": {}}}, True, id="M21-deck"
        ),
        pytest.param(1, {"house": {"salt": ""}, "seat:0": {"salt": ""}}, True, id="M21-hand"),
        pytest.param(2, {}, False, id="M21-nothing"),
        pytest.param(2, {"house": {"salt": "", "0": {}}}, True, id="M21-later-deck"),
        pytest.param(2, {"seat:1": {"salt": "", "0": {}}}, True, id="M21-later-hand"),
    ],
)
def test_secrets_of_a_commit_are_found(version: int, secrets: Any, has_secrets: bool) -> None:
    """Secrets of a commit are found, except the match's own secret in the first commit."""
    stored: Any = {"commit": {"version": version}, "hash": "", "secrets": secrets}
    assert keeps_secrets(stored) is has_secrets


@pytest.mark.parametrize("game", SHORT)
def test_a_fork_draws_by_a_chance_of_its_own(game: str) -> None:
    """Two forks of one version and their base have three different keys."""
    ctx, base, last = shared_base(game)
    keys = {load(ctx, fork(ctx, base, last // 2).loaded.id).match.key for _ in range(2)}
    assert len({*keys, load(ctx, base).match.key}) == 3


def test_a_fork_of_a_fork_is_checked_with_both_bases() -> None:
    """With only one of its two bases, the check names the missing one."""
    ctx, base, last = shared_base("firenze")
    first = fork(ctx, base, last // 2).loaded.id
    of_first = played(ctx, first)
    lines = played(ctx, fork(ctx, first, 3).loaded.id)

    reports = [
        verify_record(lines, find_base=at_hand(*bases)).report
        for bases in ([golden("firenze"), of_first], [of_first], [golden("firenze")])
    ]
    assert [report.verdict for report in reports] == ["right", "partly_checked", "partly_checked"]
    assert f"match {base}" in reports[1].unchecked[0]
    assert f"match {first}" in reports[2].unchecked[0]


def test_the_journals_own_audit_and_an_import_look_for_the_base() -> None:
    """With the base all is checked. If the base was deleted, the fork is partly checked."""
    ctx, base, last = with_base("firenze")
    match = fork(ctx, base, last // 2).loaded.id
    lines = played(ctx, match)
    assert records.audit(ctx, match).verdict == "right"

    elsewhere = later(2 * 10**9)
    with pytest.raises(BadRecord, match=f"the record of match {base}"):
        records.import_record(elsewhere, lines)
    records.import_record(elsewhere, golden("firenze"))
    records.import_record(elsewhere, lines)
    assert load(elsewhere, match).status.name == "ended"

    lifecycle.delete(ctx, base, COMMAND_LINE)
    assert records.audit(ctx, match).verdict == "partly_checked"
    assert list(records.export(ctx, match, None)) == lines


def test_a_rematch_of_a_fork_begins_anew() -> None:
    """M20, M21: the next match has no base."""
    ctx, base, last = shared_base("firenze")
    opened = fork(ctx, base, last - 1)
    played(ctx, opened.loaded.id)

    again = rematch(ctx, opened.loaded.id, opened.tokens[OWNER])

    assert base_of(load(ctx, again.match).match) is None


def test_a_snapshot_of_a_fork_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process with an empty cache reads the same state and base from the snapshot."""
    monkeypatch.setattr("service.matches.repository.SNAPSHOT_EVERY", 1)
    ctx, base, last = with_base("firenze")
    match = fork(ctx, base, last // 2).loaded.id
    ctx.cache.forget()
    written = load(ctx, match)
    ctx.cache.forget()

    assert ctx.journal.metadata.snapshot(match) is not None
    assert load(ctx, match).match == written.match
    assert base_of(written.match) is not None


@pytest.mark.parametrize("game", SHORT)
def test_a_fork_with_a_clock_and_take_back_is_folded_as_played(game: str) -> None:
    """M15, M17, M21: with an empty cache the match is the same, at its head and at version 1."""
    ctx, base, last = shared_base(game)
    humans = [{"kind": "human"}] * len(load(ctx, base).match.seats)
    clock = {"bank_s": 300, "move_s": 5, "level": "random"}
    terms: Any = {"seats": humans, "clock": clock, "take_back": "consent"}
    opened = fork(ctx, base, last // 2, **terms)
    first = load(ctx, opened.loaded.id).match
    for _ in range(5):
        now = load(ctx, opened.loaded.id).match
        if now.status.awaiting == "house":
            automation.act(ctx, opened.loaded.id)
            continue
        seat = now.status.seats[0]
        move = wire.encode(now.game.legal_moves(now.state, seat)[0])
        mine = Submission(opened.loaded.id, opened.tokens[f"seat:{seat}"])
        moves.move(ctx, mine, {name: value for name, value in move.items() if name != "seat"})

    played_to = load(ctx, opened.loaded.id)
    ctx.cache.forget()
    assert load(ctx, opened.loaded.id).match == played_to.match
    assert load_version(ctx, opened.loaded.id, 1).match == first


def test_moves_are_not_taken_back_into_the_base() -> None:
    """M17, M21: moves are taken back to the fork's version 1 at most, even by consent."""
    ctx, base, last = shared_base("firenze")
    humans = [{"kind": "human"}] * 2
    opened = fork(ctx, base, last // 2, seats=humans, take_back="consent")
    match = load(ctx, opened.loaded.id).match

    assert take_back_of(match) is not None
    assert take_back_of(match).earliest == 1
