"""Matches of a newer release, or of a game that is not installed: kept, listed, not played."""

from dataclasses import replace
from itertools import islice

import pytest

from domain.calimala import GAME as CALIMALA
from domain.games import GAMES, RULES
from domain.match import match_rules
from service.api.health import foreign_rules
from service.capabilities.clock import use_cases as clocks
from service.matches import automation, lifecycle, opening, timers
from service.matches.automation import failures_noted
from service.matches.lifecycle import Patience
from service.record import codec
from service.record.verify.audit import verify_record
from service.store.journal.values import CLOCK, HOOK
from tests import toy
from tests.service.api.conftest import Door, json, moved, opened, problem

NEWER = replace(CALIMALA, rules="calimala/2")
MATCH_RULES = 99  # of a later release
FOREIGN = {"missing-game": toy.TOY, "newer-rules": NEWER, "newer-match-rules": CALIMALA}
HUMAN = {"kind": "human", "name": "Ada"}


@pytest.fixture(params=list(FOREIGN.values()), ids=list(FOREIGN))
def foreign(request: pytest.FixtureRequest, door: Door) -> Door:
    """A door to a running match by rules that its process does not know."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch, request.param)
        if request.param is CALIMALA:
            patch.setattr(match_rules, "NEWEST", MATCH_RULES)
            patch.setattr(opening, "MATCH_RULES", MATCH_RULES)
        seats = [HUMAN] * request.param.seats[0]
        clock = {"bank_s": 60, "move_s": 5, "level": "random"}
        opened(door, request.param.key, seats=seats, clock=clock, take_back="own", advice=False)
        moved(door, 2)
    for known in (codec.commands_of, codec.events_of, codec.readers_of):
        known.cache_clear()
    return door.another_process()


def rules_of(door: Door) -> str:
    """Return the rules of the match's game, which its record names."""
    rules: str = json(door.get("commits/1"))["events"][0]["rules"]
    return rules


def unknown_in(door: Door) -> str:
    """Return the name of the rules of the match that are unknown."""
    rules = rules_of(door)
    return f"match_rules {MATCH_RULES}" if rules in RULES else rules


@pytest.mark.parametrize(
    "path",
    [
        *("", "state", "state?at=1", "states", "states.ndjson", "moves"),
        *("story", "story.ndjson", "story.txt", "diff?from=1&to=2"),
    ],
)
def test_what_needs_the_rules_is_a_problem_of_its_own(foreign: Door, path: str) -> None:
    """It names the rules, for whoever asks."""
    for who in ("", "seat:0", "owner"):
        answer = foreign.get(path, who)

        assert problem(answer) == (409, "rules-unknown"), answer.text
        assert json(answer)["rules"] == unknown_in(foreign)
        assert json(answer)["detail"] == (
            f"{unknown_in(foreign)} is unknown here. The match needs another release of the server."
        )


def test_a_filter_by_events_needs_the_rules_of_the_game(foreign: Door) -> None:
    """They tell the types of its events. The match rules do not matter."""
    answer = foreign.get("commits?type=match_opened")

    if rules_of(foreign) in RULES:
        assert [commit["version"] for commit in json(answer)["commits"]] == [1]
    else:
        assert problem(answer) == (409, "rules-unknown")
        assert json(answer)["rules"] == rules_of(foreign)


@pytest.mark.parametrize(
    ("path", "who", "body"),
    [
        ("moves", "seat:0", {"type": "keep"}),
        ("moves?dry_run=true", "seat:0", {"type": "keep"}),
        ("lines", "seat:0", {"version": 1, "moves": []}),
        ("take-back", "seat:0", {"to": 1}),
        ("resign", "seat:0", None),
        ("abort", "owner", None),
        ("start", "owner", None),
        ("seats/0/bot", "owner", {"level": "random"}),
        ("tokens", "seat:0", {}),
    ],
)
def test_nothing_is_done_in_such_a_match(
    foreign: Door, path: str, who: str, body: dict[str, object] | None
) -> None:
    """No command of any kind, and nothing changes."""
    before = foreign.get("commits").text
    answer = foreign.post(path, body, who)

    if path != "tokens":  # a token is replaced beside the chain
        assert problem(answer) == (409, "rules-unknown"), answer.text
    assert answer.status_code < 500
    assert foreign.get("commits").text == before


def test_its_commits_and_its_record_are_read(foreign: Door) -> None:
    """As they were made, in every form."""
    page = json(foreign.get("commits"))["commits"]
    rules = rules_of(foreign)

    assert {commit["rules"] for commit in page} == {rules}
    assert {commit["game"] for commit in page} == {rules.partition("/")[0]}
    assert json(foreign.get("commits/1"))["hash"] == page[0]["hash"]
    assert len(foreign.get("commits.ndjson").text.splitlines()) == len(page)
    record = foreign.get("record")
    assert record.status_code == 200
    report = verify_record(record.data.splitlines(keepends=True)).report
    assert (report.verdict, report.commits) == ("partly_checked", len(page))


def test_lists_have_it(foreign: Door) -> None:
    """With its game and its seats."""
    for query in ("", "?sort=-updated", f"?game={rules_of(foreign).partition('/')[0]}"):
        answer = foreign.ask("GET", f"/v1/matches{query}")
        assert answer.status_code == 200, answer.text
        if "sort" not in query:
            assert foreign.match in [match["id"] for match in json(answer)["matches"]]
    feed = foreign.ask("GET", "/v1/commits")
    assert feed.status_code == 200


def test_streams_tell_it(foreign: Door) -> None:
    """The commits of the match, and how it stands for a holder."""
    stream = foreign.get("stream?after=0", headers={"Accept": "text/event-stream"})
    beginning = b"".join(islice(stream.iter_encoded(), 2))
    stream.close()
    assert b"event: commit" in beginning

    mine = foreign.get("/v1/me/stream", "seat:0", headers={"Accept": "application/x-ndjson"})
    first = next(iter(mine.iter_encoded()))
    mine.close()
    assert foreign.match.encode() in first


def test_pages_and_webhooks_are_answered(foreign: Door) -> None:
    """By their problem, or as ever; never by a fault."""
    config = replace(foreign.services.config, hooks=True)
    foreign.change(config=config)
    webhook = {"url": "https://example.org/", "on": ["turn"]}
    assert foreign.ask("PUT", "webhook", "seat:0", json=webhook).status_code in (201, 409)
    for path in (f"/matches/{foreign.match}", f"/v1/matches/{foreign.match}/curve"):
        answer = foreign.get(path, headers={"Accept": "text/html, */*"})
        assert answer.status_code < 500, answer.text
    for path in ("rematch", "audit"):
        assert foreign.post(path, {} if path == "rematch" else None, "seat:0").status_code < 500


def test_workers_put_it_off_and_go_on(foreign: Door, caplog: pytest.LogCaptureFixture) -> None:
    """It is tried again later, and fails no job."""
    for _ in range(9):
        with failures_noted(foreign.ctx, foreign.match):
            automation.act(foreign.ctx, foreign.match)

    assert "the rules of a match are unknown" in caplog.text
    assert foreign.ctx.journal.pending.totals().parked == 0


def test_the_scheduler_goes_on(foreign: Door, caplog: pytest.LogCaptureFixture) -> None:
    """Neither its clock nor its age stops a round, and no traceback is logged."""
    ctx = replace(foreign.ctx, clock=lambda: foreign.ctx.clock() + 10 * lifecycle.DAY)
    patience = Patience(open=lifecycle.DAY, running=lifecycle.DAY)
    lifecycle.expire(ctx, patience)
    pulse = timers.beat(foreign.ctx)
    for timer in foreign.ctx.journal.timers.claim({CLOCK: 1000, HOOK: 1000}, 10):
        assert clocks.see_to(foreign.ctx, timer, pulse) is False

    assert "Traceback" not in caplog.text


def test_readiness_names_the_rules(foreign: Door) -> None:
    """As a warning: all other matches move on."""
    warning = json(foreign.ask("GET", "/readyz"))["warnings"]["rules"]

    assert f"{unknown_in(foreign)} (matches: 1)" in warning
    assert foreign_rules.in_journal(foreign.ctx.journal, foreign.ctx.cache) == warning


def test_a_journal_of_known_rules_has_no_warning(match: Door) -> None:
    """Of any game."""
    assert foreign_rules.in_journal(match.ctx.journal, match.ctx.cache) == ""
    assert set(GAMES) >= {"calimala"}


def test_an_event_of_a_newer_release_is_named(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules may be known, and an event in the match not."""
    monkeypatch.delitem(codec.readers_of(CALIMALA.rules), "match_opened", raising=False)
    answer = match.another_process().get("state")

    assert problem(answer) == (409, "rules-unknown")
    assert json(answer)["rules"] == "match_opened"
