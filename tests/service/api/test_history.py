"""The past: states and commits between two moments, time travel, and differences."""

import re
from copy import deepcopy
from datetime import UTC, datetime
from json import dumps, loads
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from werkzeug.test import TestResponse

from service.api.contract import parameters as contract_parameters
from service.api.contract.parameters import AT
from service.base.json_patch import changes
from tests.service.api.conftest import (
    NDJSON,
    Door,
    Make,
    json,
    links,
    moved,
    opened,
    versions_on,
)


@pytest.mark.parametrize("who", ["", "seat:0", "seat:2", "owner"])
def test_the_past_is_as_it_was_seen(match: Door, who: str) -> None:
    """`state?version=N` and `state?at=N` equal the answer when N was the last version.

    If both are given, the earlier one counts. `at` may be a time, even in the future.
    """
    states = {}
    for _ in range(4):
        present = json(match.get("state", who))
        states[present["version"]] = present
        moved(match, 1)

    for version, then in states.items():
        at_that_version = json(match.get(f"state?version={version}", who))
        at_that_moment = json(match.get(f"state?at={version}", who))
        at_that_time = json(match.get(f"state?at={then['time']}", who))
        assert at_that_version == at_that_moment == then
        assert at_that_time["version"] >= version

    to_come = json(match.get("state?at=2999-01-01T00:00:00%2B01:00", who))
    assert to_come["version"] == 5
    assert json(match.get("state?at=5&version=2", who))["version"] == 2


TIME_IN_THE_CONTRACT = contract_parameters.SCHEMA["anyOf"][1]["pattern"]
# The $ of the contract is that of ECMA-262. It does not match before a final line feed.
_WHOLE_TIME = TIME_IN_THE_CONTRACT.removesuffix("$")

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
    """A time with fractions is not read as a later one, so that no later commits are shown."""
    assert AT.read(moment).time == SIX + passed


# Years with odd calendars, beside all others.
YEARS = st.sampled_from([0, 1, 4, 100, 400, 1900, 2000, 2100, 2400, 9999]) | st.integers(0, 9999)


@given(YEARS, *(st.integers(0, most) for most in (13, 32, 24, 60, 61)))
@example(2024, 2, 29, 0, 0, 0)
@example(1900, 2, 29, 0, 0, 0)
@example(2026, 4, 31, 0, 0, 0)
@example(2026, 3, 1, 24, 0, 0)
def test_the_contract_takes_the_times_that_there_are(
    year: int, month: int, day: int, hour: int, minute: int, second: int
) -> None:
    """The pattern of the contract and the service accept the same times."""
    text = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    try:
        datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        is_a_time = second <= 60
    except ValueError:
        is_a_time = False

    assert (re.fullmatch(_WHOLE_TIME, text) is not None) == is_a_time
    if is_a_time:
        assert AT.read(text).time is not None
    else:
        with pytest.raises(ValueError, match="RFC 3339"):
            AT.read(text)


@given(st.from_regex(_WHOLE_TIME, fullmatch=True, alphabet=st.characters(codec="ascii")))
def test_every_time_of_the_contract_is_read(text: str) -> None:
    """Times are read with any zone and fraction of a second, even at both ends of the calendar."""
    assert AT.read(text).time is not None


@pytest.mark.parametrize(("start", "end"), [(1, 7), (3, 5), (7, 2), (4, 4)])
def test_a_diff_makes_the_one_state_of_the_other(played: Door, start: int, end: int) -> None:
    """Applied as a JSON Patch, a diff turns the state at `from` into the state at `to`.

    It lists the commits after the earlier version, up to the later one, and their story.
    """
    diff = json(played.get(f"diff?from={start}&to={end}", "seat:0"))

    before = json(played.get(f"state?version={start}", "seat:0"))
    after = json(played.get(f"state?version={end}", "seat:0"))
    assert patched(before["state"], diff["changes"]) == after["state"]

    earlier, later = sorted((start, end))
    versions_between = [commit["version"] for commit in diff["commits"]]
    assert versions_between == list(range(earlier + 1, later + 1))
    assert diff["story"] == json(played.get("story", "seat:0"))["lines"][earlier:later]


@pytest.mark.parametrize(("start", "end"), [(1, 7), (7, 2)])
def test_a_diff_between_times_is_that_between_their_versions(
    played: Door, start: int, end: int
) -> None:
    """A time stands for the last version at that time."""
    times = {commit["version"]: commit["time"] for commit in commits(played)}
    last_of = {time: version for version, time in times.items()}

    by_version = f"diff?from={last_of[times[start]]}&to={last_of[times[end]]}"
    by_time = f"diff?from={times[start]}&to={times[end]}"
    assert json(played.get(by_time, "seat:0")) == json(played.get(by_version, "seat:0"))


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
    """The patch (RFC 6902) turns the old value into the new one."""
    result = patched(old, [dict(change) for change in changes(old, new)])
    assert dumps(result, sort_keys=True) == dumps(new, sort_keys=True)


def patched(value: Any, operations: list[dict[str, Any]]) -> Any:
    """Return a value after a JSON Patch."""
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
            assert operation["op"] == "add" or inner[place] == operation["was"]
            inner[place] = operation["value"]
    return value


def _steps(pointer: str) -> list[str]:
    """Return the steps of a JSON pointer (RFC 6901)."""
    _, *steps = pointer.split("/")
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


def _place(inner: Any, step: str) -> Any:
    """Return the key of a step: an index of a list, a name in an object."""
    return int(step) if isinstance(inner, list) else step


@pytest.fixture
def played(match: Door) -> Door:
    """A match of three humans at version 7."""
    moved(match, 6)
    return match


def commits(match: Door, query: str = "", who: str = "") -> list[dict[str, Any]]:
    """Return the commits of one page."""
    page = match.get(f"commits?{query}", who)
    assert page.status_code == 200, page.text
    listed: list[dict[str, Any]] = json(page)["commits"]
    return listed


def types_of(commit: dict[str, Any]) -> set[str]:
    """Return the types of a commit's events."""
    return {event["type"] for event in commit["events"]}


def versions(match: Door, query: str) -> list[int]:
    """Return the versions of commits on one page."""
    return [commit["version"] for commit in commits(match, query)]


SPANS: dict[str, tuple[str, list[int]]] = {
    "from": ("from=5", [5, 6, 7]),
    "to": ("to=2", [1, 2]),
    "both-included": ("from=3&to=5", [3, 4, 5]),
    "after-counts-if-later": ("after=4&from=2&to=6", [5, 6]),
    "from-counts-if-later": ("after=1&from=4&to=6", [4, 5, 6]),
    "backwards": ("from=5&to=4", []),
    "to-beyond-the-head": ("from=7&to=99", [7]),
    "from-beyond-the-head": ("from=99", []),
    "before-the-opening": ("to=1999-01-01T00:00:00Z", []),
    "since-ever": ("from=1999-01-01T00:00:00Z&to=2", [1, 2]),
    "not-yet": ("from=2999-01-01T00:00:00Z", []),
}


@pytest.mark.parametrize(("query", "expected"), SPANS.values(), ids=SPANS)
def test_commits_between_two_moments(played: Door, query: str, expected: list[int]) -> None:
    """`from` and `to` are versions or times, both inclusive. The same holds for the story."""
    assert versions(played, query) == expected
    story = json(played.get(f"story?{query}"))["lines"]
    assert [line["version"] for line in story] == expected


def test_commits_of_an_actor_a_type_and_a_time(played: Door) -> None:
    """Actor and type must both match. A span of one time has all commits of this time.

    A mistyped type is refused with the known types.
    """
    everything = commits(played)
    by_seat_1 = [commit for commit in everything if commit["actor"] == "seat:1"]

    for event_type in all_types(everything):
        both = [commit for commit in by_seat_1 if event_type in types_of(commit)]
        assert commits(played, f"type={event_type}&actor=seat:1") == both

    times = {commit["time"] for commit in everything}

    for time in times:
        made_then = [commit["version"] for commit in everything if commit["time"] == time]
        assert versions(played, f"from={time}&to={time}") == made_then
        assert versions(played, f"to={time}")[-1] == made_then[-1]

    answer = played.get("commits?type=match_startled")

    [place] = json(answer)["errors"]
    assert answer.status_code == 422
    assert "match_started" in place["detail"]


def all_types(everything: list[dict[str, Any]]) -> set[str]:
    """Return the types of all events of some commits."""
    types: set[str] = set()
    for commit in everything:
        types |= types_of(commit)
    return types


@pytest.mark.parametrize(
    "query", ["actor=seat:1", "from=2&to=6", "type=disc_placed&to=6", "actor=house"]
)
def test_pages_of_a_part_hold_all_of_it_once(
    played: Door, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Following `next` reads all matching commits once, even if a page ends before it is full.

    `next` keeps the parameters of the request.
    """
    expected = versions(played, query)
    monkeypatch.setattr("service.matches.history.LOOKED_AT", 2)

    collected: list[int] = []
    where = f"commits?{query}&limit=1"
    for _ in range(30):
        page = played.get(where)
        collected += versions_on(page)
        where = links(page).get("next", "")
        if not where:
            break

    assert collected == expected


def test_a_moment_beyond_the_match_is_refused(played: Door) -> None:
    """The refusal names the versions of the match, or the time of its opening."""
    too_late = json(played.get("state?at=99"))
    too_early = json(played.get("diff?from=1999-01-01T00:00:00Z"))

    assert "1 to 7" in too_late["detail"]
    assert "opened only at" in too_early["detail"]


# ---- pages and lines -----------------------------------------------------------------------------

# The member of each list on its pages.
LISTS = {"commits": "commits", "states": "states", "story": "lines"}
Every = pytest.mark.parametrize("path", LISTS)


def items_on(path: str, page: TestResponse) -> list[dict[str, Any]]:
    """Return the items of a page."""
    items: list[dict[str, Any]] = json(page)[LISTS[path]]
    return items


def versions_listed(path: str, page: TestResponse) -> list[int]:
    """Return the versions of the items of a page."""
    return [item["version"] for item in items_on(path, page)]


@Every
def test_pages_lead_on(played: Door, path: str) -> None:
    """Following `next` reads every version once. Behind the head is nothing.

    `Accept` chooses no other form.
    """
    first = played.get(f"{path}?limit=3", headers={"Accept": NDJSON})
    second = played.get(links(first)["next"])
    third = played.get(links(second)["next"])
    behind = played.get(f"{path}?after=99")

    assert versions_listed(path, first) == [1, 2, 3]
    assert versions_listed(path, second) == [4, 5, 6]
    assert versions_listed(path, third) == [7]
    assert versions_listed(path, behind) == []
    assert "next" not in links(behind)


@Every
def test_a_full_page_at_the_head_leads_on(played: Door, path: str) -> None:
    """The page stays the same after a move, its `next` included."""
    at_head = played.get(f"{path}?after=3&limit=4")
    assert versions_listed(path, at_head) == [4, 5, 6, 7]
    assert versions_listed(path, played.get(links(at_head)["next"])) == []

    moved(played, 1)
    later = played.get(f"{path}?after=3&limit=4")
    assert (later.data, links(later)) == (at_head.data, links(at_head))
    assert later.headers["ETag"] == at_head.headers["ETag"]
    assert versions_listed(path, played.get(links(later)["next"])) == [8]


@Every
def test_a_page_is_as_long_as_the_server_allows(make_door: Make, path: str) -> None:
    """A larger `limit` gets a shorter page with a `next`. Lines hold the same as all pages."""
    match = opened(make_door(PAGE_MAX="10", ALLOW_SEED="true"), "firenze")
    moved(match, 11)

    first = match.get(f"{path}?limit=500", "seat:1")
    second = match.get(links(first)["next"], "seat:1")
    as_lines = match.get(f"{path}.ndjson", "seat:1")

    assert versions_listed(path, first) == [*range(1, 11)]
    assert versions_listed(path, second) == [11, 12]
    assert as_lines.mimetype == NDJSON
    assert links(as_lines) == {}
    assert [loads(line) for line in as_lines.text.splitlines()] == [
        *items_on(path, first),
        *items_on(path, second),
    ]
