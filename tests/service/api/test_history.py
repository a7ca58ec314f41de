"""The past: pages, lines, time travel, what changed; and the list of matches."""

import re
from copy import deepcopy
from datetime import UTC, datetime
from json import dumps, loads
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.http import parse_options_header

from service.api.contract import parameters as contract_parameters
from service.api.contract.parameters import AT
from service.matches.history import changes
from tests.service.api.conftest import NDJSON, Door, json, opened

IN_THE_LOBBY = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]


def links(answer: Any) -> dict[str, str]:
    """Return the targets of the header Link by relation."""
    header = answer.headers.get("Link", "")
    if not header:
        return {}

    targets = {}
    for part in header.split(", "):
        target, parameters = parse_options_header(part)
        targets[parameters["rel"]] = target.strip("<>")
    return targets


def moved(match: Door, number: int) -> None:
    """Make some moves, fewer where the match is over before; the house does what it must."""
    for _ in range(number):
        seats = match.waiting_seats()
        if not seats:
            match.house()
            seats = match.waiting_seats()
        if seats:
            match.move(f"seat:{seats[0]}")


def versions_on(page: Any) -> list[int]:
    """Return the versions of the commits on a page."""
    return [commit["version"] for commit in json(page)["commits"]]


def match_ids_on(page: Any) -> list[str]:
    """Return the ids of the matches on a page of the list."""
    return [match["id"] for match in json(page)["matches"]]


def test_pages_lead_on_and_back(match: Door) -> None:
    """Following `next` reads every commit once, `prev` leads back."""
    moved(match, 5)

    first = match.get("commits?limit=2")
    second = match.get(links(first)["next"])
    third = match.get(links(second)["next"])
    behind = match.get(links(third)["next"])  # where commits to come will be
    back = match.get(links(second)["prev"])

    assert versions_on(first) == [1, 2]
    assert versions_on(second) == [3, 4]
    assert versions_on(third) == [5, 6]
    assert versions_on(behind) == []
    assert "next" not in links(behind)
    assert versions_on(back) == [1, 2]


def test_all_of_the_history_comes_as_lines(match: Door) -> None:
    """NDJSON holds what the pages hold."""
    moved(match, 3)

    as_lines = match.get("commits", "seat:1", headers={"Accept": NDJSON})
    as_page = match.get("commits", "seat:1")

    commits = [loads(line) for line in as_lines.text.splitlines()]
    assert as_lines.mimetype == NDJSON
    assert commits == json(as_page)["commits"]


def test_no_cache_mixes_lines_with_pages(match: Door) -> None:
    """Caches are told that Accept decides which form comes."""
    as_page = match.get("commits", headers={"Accept": "application/json"})
    as_lines = match.get("commits", headers={"Accept": NDJSON})

    for answer in (as_page, as_lines):
        assert answer.headers["Vary"] == "Authorization, Accept, Accept-Encoding"


def test_lines_and_pages_have_etags_of_their_own(match: Door) -> None:
    """Who holds a page and wants lines is sent the lines."""
    as_page = match.get("commits", headers={"Accept": "application/json"})
    as_lines = match.get("commits", headers={"Accept": NDJSON})

    who_holds_a_page = {
        "Accept": NDJSON,
        "If-None-Match": as_page.headers["ETag"],
    }
    who_holds_lines = {
        "Accept": NDJSON,
        "If-None-Match": as_lines.headers["ETag"],
    }
    assert match.get("commits", headers=who_holds_a_page).status_code == 200
    assert match.get("commits", headers=who_holds_lines).status_code == 304


@pytest.mark.parametrize("who", ["", "seat:0", "seat:2", "owner"])
def test_the_past_is_as_it_was_seen(match: Door, who: str) -> None:
    """`state?version=N` is what was answered when N was the last version; so is `?at=`."""
    seen = {}
    for _ in range(4):
        present = json(match.get("state", who))
        seen[present["version"]] = present
        moved(match, 1)

    for version, then in seen.items():
        at_that_version = json(match.get(f"state?version={version}", who))
        at_that_time = json(match.get(f"state?at={then['time']}", who))
        assert at_that_version == then
        assert at_that_time["version"] >= version

    to_come = json(match.get("state?at=2999-01-01T00:00:00%2B01:00", who))
    assert to_come["version"] == 5


TIME_IN_THE_CONTRACT = contract_parameters.SCHEMA["anyOf"][1]["pattern"]

SIX = 1_772_388_000_000  # 2026-03-01T18:00:00Z
MOMENTS: dict[str, tuple[str, int]] = {
    "plain": ("2026-03-01T18:00:02Z", 2000),
    "lower-case": ("2026-03-01t18:00:02z", 2000),
    "offset": ("2026-03-01T19:30:02+01:30", 2000),
    "unknown-offset": ("2026-03-01T18:00:02-00:00", 2000),
    "nanoseconds": ("2026-03-01T18:00:02.999999999Z", 2999),
    "tenths": ("2026-03-01T18:00:02.5Z", 2500),
    "leap-second": ("2026-03-01T18:00:60.5Z", 60_500),
}


@pytest.mark.parametrize(("moment", "passed"), MOMENTS.values(), ids=MOMENTS)
def test_a_moment_in_every_form_of_rfc_3339(moment: str, passed: int) -> None:
    """A moment is never taken for a later one: what came after it is not shown."""
    assert AT.read(moment).time == SIX + passed


# Years at which the calendar is odd, beside all others.
YEARS = st.sampled_from([0, 1, 4, 100, 400, 1900, 2000, 2100, 2400, 9999]) | st.integers(0, 9999)


@given(YEARS, *(st.integers(0, most) for most in (13, 32, 24, 60, 61)))
@example(2024, 2, 29, 0, 0, 0)
@example(1900, 2, 29, 0, 0, 0)
@example(2026, 4, 31, 0, 0, 0)
@example(2026, 3, 1, 24, 0, 0)
def test_the_contract_takes_the_times_that_there_are(
    year: int, month: int, day: int, hour: int, minute: int, second: int
) -> None:
    """What the pattern of the contract takes is read; any other time is refused by both."""
    text = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    try:
        datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        is_a_time = second <= 60
    except ValueError:
        is_a_time = False

    assert (re.search(TIME_IN_THE_CONTRACT, text) is not None) == is_a_time
    if is_a_time:
        assert AT.read(text).time is not None
    else:
        with pytest.raises(ValueError, match="RFC 3339"):
            AT.read(text)


@given(st.from_regex(TIME_IN_THE_CONTRACT, alphabet=st.characters(codec="ascii")))
def test_every_time_of_the_contract_is_read(text: str) -> None:
    """With any zone and fraction of a second, at both ends of the calendar."""
    assert AT.read(text).time is not None


@pytest.mark.parametrize(("start", "end"), [(1, 7), (3, 5), (7, 2), (4, 4)])
def test_a_diff_makes_the_one_state_of_the_other(match: Door, start: int, end: int) -> None:
    """As a JSON Patch it turns the state at `from` into that at `to`, forwards and back."""
    moved(match, 6)

    diff = json(match.get(f"diff?from={start}&to={end}", "seat:0"))

    before = json(match.get(f"state?version={start}", "seat:0"))
    after = json(match.get(f"state?version={end}", "seat:0"))
    assert patched(before["state"], diff["changes"]) == after["state"]


@pytest.mark.parametrize(("start", "end"), [(1, 7), (3, 5), (7, 2), (4, 4)])
def test_a_diff_lists_the_commits_between(match: Door, start: int, end: int) -> None:
    """Those after the earlier version, up to the later one."""
    moved(match, 6)

    diff = json(match.get(f"diff?from={start}&to={end}", "seat:0"))

    earlier, later = sorted((start, end))
    versions = [commit["version"] for commit in diff["commits"]]
    assert versions == list(range(earlier + 1, later + 1))


PATCHES: dict[str, tuple[Any, Any]] = {
    "nothing": ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
    "odd-names": ({"a/b": 1, "~": 2}, {"a/b": 2, "": 3}),
    "shorter": ([1, 2, 3, 4], [1, 9]),
    "longer": ([1], [1, [2], {"three": 3}]),
    "other-kind": ({"a": [1]}, {"a": {"0": 1}}),
    "truth-is-no-number": ({"a": 1, "b": False}, {"a": True, "b": 0}),
}


@pytest.mark.parametrize(("old", "new"), PATCHES.values(), ids=PATCHES)
def test_changes_are_a_patch(old: Any, new: Any) -> None:
    """Whatever differs, the patch (RFC 6902) makes one of the other."""
    made = patched(old, [dict(change) for change in changes(old, new)])
    assert dumps(made, sort_keys=True) == dumps(new, sort_keys=True)


def patched(value: Any, operations: list[dict[str, Any]]) -> Any:
    """Return what a JSON Patch makes of a value."""
    value = deepcopy(value)
    for operation in operations:
        *steps, last_step = _steps(operation["path"])
        inner = value
        for step in steps:
            inner = inner[_place(inner, step)]
        place = _place(inner, last_step)

        if operation["op"] == "remove":
            assert inner.pop(place) == operation["was"]
        elif operation["op"] == "add" and isinstance(inner, list):
            inner.insert(place, operation["value"])
        else:
            inner[place] = operation["value"]
    return value


def _steps(pointer: str) -> list[str]:
    """Return the steps of a JSON pointer (RFC 6901)."""
    _, *steps = pointer.split("/")
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


def _place(inner: Any, step: str) -> Any:
    """Return where a step leads: an index of a list, a name in an object."""
    return int(step) if isinstance(inner, list) else step


def test_lists_stay_right_while_matches_are_added(door: Door) -> None:
    """Whoever pages on sees every match that was there at the beginning, once."""
    there_before = [opened(door).match for _ in range(5)]

    seen: list[str] = []
    where = "/v1/matches?limit=2&status=running&game=calimala"
    while where:
        page = door.get(where)
        seen += match_ids_on(page)
        opened(door)
        where = links(page).get("next", "")

    assert sorted(seen) == sorted(there_before)


def test_the_newest_match_comes_first(door: Door) -> None:
    """A list goes back in time."""
    for _ in range(3):
        opened(door)

    page = json(door.get("/v1/matches"))

    times = [match["created"] for match in page["matches"]]
    assert len(times) == 3
    assert times == sorted(times, reverse=True)


def test_lists_are_filtered(door: Door) -> None:
    """By game and by status; private matches are on no list."""
    running = opened(door).match
    aborted = opened(door, game="firenze").match
    door.post("abort", None, "owner")
    opened(door, seats=IN_THE_LOBBY, visibility="private")

    def listed(query: str) -> list[str]:
        page = door.get(f"/v1/matches?{query}")
        return match_ids_on(page)

    assert listed("") == [aborted, running]
    assert listed("game=firenze") == [aborted]
    assert listed("status=aborted") == [aborted]
    assert listed("game=calimala&status=running") == [running]
    assert listed("status=open") == []
    assert listed("game=firenze&status=running") == []


WAITING_FOR_ME = "/v1/matches?waiting_for=me"


def test_a_list_of_what_waits_for_me(match: Door) -> None:
    """A match is on it only while the seat of the token is to act."""
    moved(match, 3)
    waiting_seats = match.waiting_seats()

    for seat in range(3):
        expected = [match.match] if seat in waiting_seats else []
        mine = match.get(WAITING_FOR_ME, f"seat:{seat}")
        assert match_ids_on(mine) == expected


def test_a_list_of_what_waits_for_any_of_my_tokens(match: Door) -> None:
    """Whoever holds many seats asks once for all of them."""
    tokens = [match.tokens[f"seat:{seat}"] for seat in range(3)]
    headers = {"Giornale-Tokens": ", ".join(tokens)}

    mine = match.get(WAITING_FOR_ME, headers=headers)

    assert match_ids_on(mine) == [match.match]
