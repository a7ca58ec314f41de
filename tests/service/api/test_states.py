"""The states of a span over HTTP: each as `getState` tells it, in pages and in lines."""

from json import loads
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from domain.games import GAMES
from service.api.contract.openapi.document import document
from tests.service.api.conftest import NDJSON, Door, door_maker, json, opened, problem
from tests.service.api.test_history import links, moved
from tests.service.api.test_schemas import faults, validator

LINES = {"Accept": NDJSON}


def versions_on(page: TestResponse) -> list[int]:
    """Return the versions of the states on a page."""
    return [state["version"] for state in json(page)["states"]]


@pytest.mark.parametrize("who", ["", "seat:0", "seat:2", "owner"])
def test_each_state_is_as_it_is_told_alone(match: Door, who: str) -> None:
    """A span holds for every version what the caller is answered for that version alone."""
    moved(match, 6)

    span = json(match.get("states?after=2&limit=4", who))

    alone = [json(match.get(f"state?version={version}", who)) for version in (3, 4, 5, 6)]
    assert span == {"match": match.match, "states": alone}


def test_a_state_names_the_commit_that_made_it(match: Door) -> None:
    """Its hash is that of the commit, so a viewer can show which history it shows."""
    moved(match, 2)

    states = json(match.get("states"))["states"]

    commits = json(match.get("commits"))["commits"]
    assert [state["hash"] for state in states] == [commit["hash"] for commit in commits]


def test_pages_lead_on_to_the_head(match: Door) -> None:
    """Following `next` shows every version once; there is no `next` at the head or behind it."""
    moved(match, 4)

    first = match.get("states?limit=2")
    second = match.get(links(first)["next"])
    third = match.get(links(second)["next"])
    behind = match.get("states?after=99")

    assert versions_on(first) == [1, 2]
    assert versions_on(second) == [3, 4]
    assert versions_on(third) == [5]
    assert versions_on(behind) == []
    assert links(third) == links(behind) == {}


def test_lines_hold_every_state(redis_url: str, tmp_path: Path) -> None:
    """NDJSON is no page: all states come, a line each, whatever a page may hold."""
    match = opened(door_maker(redis_url, tmp_path)(PAGE_MAX="10", ALLOW_SEED="true"))
    moved(match, 11)
    pages = [match.get("states", "seat:1"), match.get("states?after=10", "seat:1")]
    paged = [state for page in pages for state in json(page)["states"]]

    as_lines = match.get("states?limit=4", "seat:1", headers=LINES)
    later = match.get("states?after=10", "seat:1", headers=LINES)

    assert as_lines.mimetype == NDJSON
    assert states_in(as_lines) == paged
    assert states_in(later) == paged[10:]
    assert links(as_lines) == {}
    assert as_lines.headers["ETag"] != pages[1].headers["ETag"]


def states_in(answer: TestResponse) -> list[dict[str, Any]]:
    """Return the states that an answer has as lines."""
    return [loads(line) for line in answer.text.splitlines()]


def test_lines_are_asked_for_again_only_when_there_are_more(match: Door) -> None:
    """Who holds all states is told that nothing is new until there is a version more."""
    moved(match, 2)
    held = {**LINES, "If-None-Match": match.get("states", headers=LINES).headers["ETag"]}

    assert match.get("states", headers=held).status_code == 304
    moved(match, 1)
    assert len(states_in(match.get("states", headers=held))) == 4


def test_a_page_grows_at_the_head_alone(match: Door) -> None:
    """A full page may be kept; the last one has a new ETag as soon as there is a new version."""
    moved(match, 2)
    full = match.get("states?limit=3")
    last = match.get("states?limit=9")
    moved(match, 1)

    assert "max-age" in full.headers["Cache-Control"]
    assert "no-cache" in last.headers["Cache-Control"]
    assert status_with(match, "states?limit=3", full) == 304
    assert status_with(match, "states?limit=9", last) == 200


def status_with(match: Door, path: str, held: TestResponse) -> int:
    """Return the status of an answer for somebody who holds an earlier one."""
    answer = match.get(path, headers={"If-None-Match": held.headers["ETag"]})
    return answer.status_code


def test_a_page_has_a_greatest_size(redis_url: str, tmp_path: Path) -> None:
    """The operator's bound counts here, too; a limit beyond the contract's is refused."""
    make = door_maker(redis_url, tmp_path)
    match = opened(make(PAGE_MAX="10", ALLOW_SEED="true"))
    moved(match, 11)

    assert versions_on(match.get("states?limit=500")) == list(range(1, 11))
    assert problem(match.get("states?limit=501")) == (422, "invalid-request")


@pytest.mark.parametrize("path", ["states?after=-1", "states?limit=0", "states?version=2"])
def test_what_no_span_has_is_refused(match: Door, path: str) -> None:
    """Parameters are read strictly."""
    assert problem(match.get(path)) == (422, "invalid-request")


def test_another_form_is_refused(match: Door) -> None:
    """There is JSON and NDJSON."""
    answer = match.get("states", headers={"Accept": "text/csv"})

    assert problem(answer) == (406, "not-acceptable")


@pytest.mark.parametrize("game", GAMES)
def test_spans_are_as_the_contract_says(door: Door, game: str) -> None:
    """A page and each of its states fit their schemas, in every game."""
    match = opened(door, game, seats=[{"kind": "human"}] * GAMES[game].seats[0])
    moved(match, 3)
    components: dict[str, Any] = document(door.client.application)["components"]

    page = json(match.get("states", "seat:1"))

    assert faults(validator(components, "StateList"), page) == []
    assert len(page["states"]) == json(match.get())["version"]
