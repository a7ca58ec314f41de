"""Match rules by number: a match keeps those it was opened with (decision 0082)."""

from dataclasses import replace
from pathlib import Path

import pytest

from domain.match import match_rules
from domain.match.match_rules import NEWEST, UnknownMatchRules
from domain.match.terms.joint_entropy import pledge_of
from service.base.errors import BadRecord
from service.capabilities.rematch.use_cases import rematch
from service.matches import lobby, opening
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.records import import_record
from service.matches.repository import load, load_snapshot, write_snapshot
from service.matches.views import document
from service.record.commit import parse_commit
from service.record.terms.fork import ForkRequest
from service.record.verify.audit import verify_record
from service.store.journal.memory import memory_journal
from tests import toy
from tests.service.matches.conftest import context_over, humans
from tests.service.record.verify.forged_table import OPENED, message
from tests.service.record.verify.node import reports_of, with_node
from tests.service.toy_matches import (
    first_match_rules,
    opened,
    play_on,
    record_of,
    whole,
)


@pytest.fixture(autouse=True)
def _toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    toy.install(monkeypatch)


def numbers(ctx: Context, match: str) -> list[object]:
    """Return the match rules named by the opening's command and by its first event."""
    [first, *_] = ctx.journal.events.read(match)
    content = parse_commit(first)["commit"]
    return [one.get("match_rules") for one in (content["command"], content["events"][0])]


def older(ctx: Context) -> NewMatch:
    """Return a match that was opened by match rules 1."""
    with first_match_rules():
        return opened(ctx)


def test_every_new_match_has_the_newest_match_rules(ctx: Context) -> None:
    """Command and event name them, and the match's document shows them."""
    match = opened(ctx).loaded

    assert numbers(ctx, match.id) == [NEWEST, NEWEST]
    assert document(load(ctx, match.id), {})["match_rules"] == NEWEST


def test_a_match_without_a_number_has_match_rules_1(ctx: Context) -> None:
    """A match by match rules 1 is played on, verified and imported."""
    match = older(ctx)
    play_on(ctx, match)
    lines = record_of(ctx, match)

    assert numbers(ctx, match.loaded.id) == [None, None]
    assert document(load(ctx, match.loaded.id), {})["match_rules"] == 1
    assert verify_record(lines).report.verdict == "right"
    assert import_record(context_over(memory_journal()), lines)[0].report.verdict == "right"


def test_a_rematch_and_a_fork_get_their_own_match_rules(ctx: Context) -> None:
    """A successor of a match of match rules 1 is opened by the newest."""
    match = older(ctx)
    play_on(ctx, match)
    second = rematch(ctx, match.loaded.id, match.tokens["seat:0"])
    request = OpenRequest("toy", humans(2), terms={"fork": ForkRequest(match.loaded.id, 1)})
    fork = open_new(ctx, request)

    assert numbers(ctx, second.match) == [NEWEST, NEWEST]
    assert numbers(ctx, fork.loaded.id) == [NEWEST, NEWEST]


@with_node
def test_disclosed_bytes_pledged_again_verify_by_rules_1(ctx: Context, tmp_path: Path) -> None:
    """M19: program and page accept such a record of match rules 1."""
    plans = [{"kind": "human", "pledge": pledge_of("5a" * 32, 0)}, {"kind": "open"}]
    with first_match_rules():
        match = open_new(
            ctx, OpenRequest("toy", plans, {"rounds": 1}, terms={"joint_entropy": True})
        )
    secrets = dict(match.tokens)
    nobody = Submission(match.loaded.id, None)
    for entropy in ("a5" * 32, "b6" * 32):
        joiner = {"name": "", "entropy": "", "pledge": pledge_of(entropy, 1)}
        _, secrets["seat:1"] = lobby.join(ctx, nobody, 1, joiner)
        lobby.disclose(ctx, Submission(match.loaded.id, secrets["seat:0"]), "5a" * 32)
        if entropy == "a5" * 32:
            lobby.leave(ctx, Submission(match.loaded.id, secrets["seat:1"]), 1)
            again = pledge_of("5a" * 32, 0)
            lobby.pledge(ctx, Submission(match.loaded.id, secrets["seat:0"]), again)
    lobby.disclose(ctx, Submission(match.loaded.id, secrets["seat:1"]), "b6" * 32)
    play_on(ctx, replace(match, tokens=secrets))

    lines = record_of(ctx, match)
    [by_page] = reports_of(tmp_path, [b"".join(lines)])
    assert verify_record(lines).report.verdict == "right"
    assert by_page["wrong"] is None


def test_a_snapshot_by_later_match_rules_is_not_used(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot by later match rules is ignored, since its match would be decided wrongly."""
    with monkeypatch.context() as later:
        later.setattr(match_rules, "NEWEST", NEWEST + 1)
        later.setattr(opening, "MATCH_RULES", NEWEST + 1)
        match = opened(ctx).loaded
        write_snapshot(ctx, match)
        assert load_snapshot(ctx, match.id) is not None

    assert load_snapshot(ctx, match.id) is None
    ctx.cache.forget()
    with pytest.raises(UnknownMatchRules):
        load(ctx, match.id)


@with_node
def test_match_rules_of_a_later_release_are_partly_checked(ctx: Context, tmp_path: Path) -> None:
    """Program and page report that they do not know the rules. An import is refused."""
    later = message(OPENED, match_rules=NEWEST + 1)(whole(ctx))
    report = verify_record(later).report
    [by_page] = reports_of(tmp_path, [b"".join(later)])

    assert report.verdict == by_page["verdict"] == "partly_checked"
    unchecked = f"the play: this program does not know match rules {NEWEST + 1}"
    assert report.unchecked == [unchecked]
    assert unchecked in by_page["unchecked"]
    with pytest.raises(BadRecord, match="match_rules 3 is unknown"):
        import_record(ctx, later)
