"""Matches of a newer release, or of a game that is not installed: kept, listed, not played."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import pytest

from domain.calimala import GAME as CALIMALA
from domain.game import AnyGame
from domain.games import GAMES, RULES
from domain.json_types import Json
from domain.match import match_rules
from service.api.health import foreign_rules
from service.api.problems import RULES_UNKNOWN
from service.capabilities.clock import use_cases as clocks
from service.matches import automation, lifecycle, opening, timers
from service.matches.automation import failures_noted
from service.matches.lifecycle import Patience
from service.record import codec
from service.record.verify.audit import verify_record
from service.store.journal.values import CLOCK, HOOK
from tests import toy
from tests.service.api.conftest import OPERATOR, Door, json, moved, opened, problem
from tests.service.api.test_refusals import ROUTES, WITH_A_BODY

NEWER = replace(CALIMALA, rules="calimala/2")
MATCH_RULES = 99  # of a later release
FOREIGN = {"missing-game": toy.TOY, "newer-rules": NEWER, "newer-match-rules": CALIMALA}
HUMAN = {"kind": "human", "name": "Ada"}


@pytest.fixture(params=list(FOREIGN.values()), ids=list(FOREIGN))
def foreign(request: pytest.FixtureRequest, door: Door) -> Door:
    """A door to a running match with rules unknown to its process."""
    with by_foreign_rules(request.param):
        opened_by(door, request.param)
    return door.another_process()


@pytest.fixture(params=list(FOREIGN.values()), ids=list(FOREIGN))
def foreign_end(request: pytest.FixtureRequest, door: Door) -> Door:
    """A door to a revealed match with rules unknown to its process."""
    with by_foreign_rules(request.param):
        opened_by(door, request.param)
        assert door.post("abort", None, "owner").status_code == 201
        door.house()
    return door.another_process()


@contextmanager
def by_foreign_rules(game: AnyGame) -> Iterator[None]:
    """Install the rules of a game for a while. Calimala gets newer match rules."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch, game)
        if game is CALIMALA:
            patch.setattr(match_rules, "NEWEST", MATCH_RULES)
            patch.setattr(opening, "MATCH_RULES", MATCH_RULES)
        yield
    for function in (codec.commands_of, codec.events_of, codec.readers_of):
        function.cache_clear()


def opened_by(door: Door, game: AnyGame) -> None:
    """Open a match of humans, and make its first moves."""
    seats = [HUMAN] * game.seats[0]
    clock = {"bank_s": 60, "move_s": 5, "level": "random"}
    opened(door, game.key, seats=seats, clock=clock, take_back="own", advice=False)
    moved(door, 2)


def rules_of(door: Door) -> str:
    """Return the rules of the match's game, as its first commit names them."""
    rules: str = json(door.get("commits/1"))["events"][0]["rules"]
    return rules


def unknown_in(door: Door) -> str:
    """Return the name of the match's unknown rules."""
    rules = rules_of(door)
    return f"match_rules {MATCH_RULES}" if rules in RULES else rules


@pytest.mark.whole
@pytest.mark.parametrize(
    "path",
    [
        *("", "state", "state?at=1", "states", "states.ndjson", "moves"),
        *("story", "story.ndjson", "diff?from=1&to=2"),
    ],
)
def test_operations_that_need_the_rules_answer_a_problem(foreign: Door, path: str) -> None:
    """The problem names the unknown rules, for every caller."""
    for who in ("", "seat:0", "owner"):
        answer = foreign.get(path, who)

        assert problem(answer) == (409, "rules-unknown"), answer.text
        assert json(answer)["rules"] == unknown_in(foreign)
        assert json(answer)["detail"] == (
            f"{unknown_in(foreign)} is unknown here. The match needs another release of the server."
        )


def test_a_filter_by_events_needs_the_rules_of_the_game(foreign: Door) -> None:
    """The rules of a game define the types of its events. The match rules do not matter."""
    answer = foreign.get("commits?type=match_opened")

    if rules_of(foreign) in RULES:
        assert [commit["version"] for commit in json(answer)["commits"]] == [1]
    else:
        assert problem(answer) == (409, "rules-unknown")
        assert json(answer)["rules"] == rules_of(foreign)


@pytest.mark.whole
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
    """A command in a match with unknown rules is refused and adds no commit."""
    before = foreign.get("commits").text
    answer = foreign.post(path, body, who)

    assert problem(answer) == (409, "rules-unknown"), answer.text
    assert foreign.get("commits").text == before


NEED_RULES = {
    name
    for name, route in ROUTES.items()
    if "@" in route.path and RULES_UNKNOWN in route.operation.problems
}
NEED_THEM_AT_THE_END = {"getCurve"}  # sealed until then
NEED_THEM_OF_A_GAME = {"listCommits", "listCommitLines"}  # for `type`


def refused(door: Door) -> set[str]:
    """Return the operations of a match that refuse a caller for unknown rules."""
    door.change(config=replace(door.services.config, hooks=True))
    names = set()
    for name, route in ROUTES.items():
        # Name a holder with a token: any other is not found.
        of_a_holder = replace(route, path=route.path.replace("/spectator", "/seat:0"))
        body: Json = {"json": {}} if name in WITH_A_BODY else {}
        for who in ("", "seat:0", "owner") if "@" in route.path else ():
            answer = of_a_holder.send(door, who, **body)
            if answer.status_code == 409 and problem(answer) == (409, "rules-unknown"):
                names.add(name)
    return names


def test_the_contract_names_operations_that_need_the_rules(foreign: Door) -> None:
    assert refused(foreign) == NEED_RULES - NEED_THEM_AT_THE_END - NEED_THEM_OF_A_GAME


def test_the_contract_names_ones_that_need_rules_at_the_end(foreign_end: Door) -> None:
    names = refused(foreign_end)

    assert names <= NEED_RULES
    assert names >= NEED_THEM_AT_THE_END


def test_a_fork_of_such_a_match_needs_its_rules(foreign: Door) -> None:
    seats = [HUMAN] * len(json(foreign.get("/v1/matches"))["matches"][0]["seats"])
    body = {"game": "calimala", "seats": seats, "fork": {"match": foreign.match, "version": 1}}
    answer = foreign.post("/v1/matches", body, "seat:0")

    assert problem(answer) == (409, "rules-unknown"), answer.text


def test_an_import_of_such_a_match_needs_its_rules(foreign_end: Door) -> None:
    record = foreign_end.get("record").data
    foreign_end.change(config=replace(foreign_end.services.config, operator_token=OPERATOR))
    answer = foreign_end.ask(
        "POST", "/v1/records", OPERATOR, data=record, content_type="application/x-ndjson"
    )

    assert problem(answer) == (409, "rules-unknown"), answer.text
    assert json(answer)["rules"] == unknown_in(foreign_end)


def test_the_operator_deletes_such_a_match(foreign: Door) -> None:
    foreign.change(config=replace(foreign.services.config, operator_token=OPERATOR))
    answer = foreign.ask("DELETE", f"/v1/matches/{foreign.match}", OPERATOR)

    assert answer.status_code == 204, answer.text


def test_its_commits_and_its_record_are_read(foreign: Door) -> None:
    """The commits and the record of a match with unknown rules can be read."""
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
    """Lists have a match with unknown rules, also by its game if this release has the game."""
    game = rules_of(foreign).partition("/")[0]
    for query in ("", "?sort=-updated", *([f"?game={game}"] if game in GAMES else [])):
        answer = foreign.ask("GET", f"/v1/matches{query}")
        assert answer.status_code == 200, answer.text
        if "sort" not in query:
            assert foreign.match in [match["match"] for match in json(answer)["matches"]]
    feed = foreign.ask("GET", "/v1/commits")
    assert feed.status_code == 200


def test_streams_tell_it(foreign: Door) -> None:
    """Streams have the commits of a match with unknown rules, and its state for a holder."""
    stream = foreign.get("stream?after=0")
    beginning = b"".join(islice(stream.iter_encoded(), 2))
    stream.close()
    assert b"event: commit" in beginning

    mine = foreign.get("/v1/me/stream", "seat:0")
    beginning = b"".join(islice(mine.iter_encoded(), 2))
    mine.close()
    assert foreign.match.encode() in beginning


def test_pages_and_webhooks_are_answered(foreign: Door) -> None:
    """For a match with unknown rules, pages and webhooks answer without a server error."""
    config = replace(foreign.services.config, hooks=True)
    foreign.change(config=config)
    webhook = {"url": "https://example.org/", "on": ["turn"]}
    assert foreign.ask("PUT", "webhook", "seat:0", json=webhook).status_code in (201, 409)
    for path in (f"/matches/{foreign.match}", f"/v1/matches/{foreign.match}/curve"):
        answer = foreign.get(path, headers={"Accept": "text/html, */*"})
        assert answer.status_code < 500, answer.text
    for path in ("rematch", "audits"):
        assert foreign.post(path, {} if path == "rematch" else None, "seat:0").status_code < 500


def test_workers_put_it_off_and_go_on(foreign: Door, caplog: pytest.LogCaptureFixture) -> None:
    """Attempts to move a match with unknown rules do not park it. The log gives the reason."""
    for _ in range(9):
        with failures_noted(foreign.ctx, foreign.match):
            automation.act(foreign.ctx, foreign.match)

    assert "match not moved: its rules are unknown" in caplog.text
    assert foreign.ctx.journal.pending.totals().parked == 0


def test_the_scheduler_goes_on(foreign: Door, caplog: pytest.LogCaptureFixture) -> None:
    """Neither clock nor age of a match with unknown rules stops a round or logs a traceback."""
    ctx = replace(foreign.ctx, clock=lambda: foreign.ctx.clock() + 10 * lifecycle.DAY)
    patience = Patience(open=lifecycle.DAY, running=lifecycle.DAY)
    lifecycle.expire(ctx, patience)
    pulse = timers.beat(foreign.ctx)
    for timer in foreign.ctx.journal.timers.claim({CLOCK: 1000, HOOK: 1000}, 10):
        assert clocks.see_to(foreign.ctx, timer, pulse) is False

    assert "Traceback" not in caplog.text


def test_readiness_names_the_rules(foreign: Door) -> None:
    """Readiness names unknown rules in a warning, since all other matches move on."""
    warning = json(foreign.ask("GET", "/readyz"))["warnings"]["rules"]

    assert f"{unknown_in(foreign)} (matches: 1)" in warning
    assert foreign_rules.in_journal(foreign.ctx.journal, foreign.ctx.cache) == warning


def test_a_journal_of_known_rules_has_no_warning(match: Door) -> None:
    assert foreign_rules.in_journal(match.ctx.journal, match.ctx.cache) == ""


def test_an_event_of_a_newer_release_is_named(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rules are known, but not an event in the match, the problem names the event."""
    monkeypatch.delitem(codec.readers_of(CALIMALA.rules), "match_opened", raising=False)
    answer = match.another_process().get("state")

    assert problem(answer) == (409, "rules-unknown")
    assert json(answer)["rules"] == "match_opened"
