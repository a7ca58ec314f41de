"""The past: pages, lines, time travel, what changed; and the list of matches."""

from copy import deepcopy
from json import dumps, loads
from typing import Any

import pytest
from werkzeug.http import parse_options_header

from service.api.contract.moments import AT
from service.matches.differing import changes
from tests.service.api.conftest import THREE, Door, json, opened


def links(answer: Any) -> dict[str, str]:
    """Return the targets of the header Link by relation."""
    found = {}
    for part in answer.headers.get("Link", "").split(", ") if answer.headers.get("Link") else []:
        target, told = parse_options_header(part)
        found[told["rel"]] = target.strip("<>")
    return found


def moved(match: Door, number: int) -> None:
    """Make some moves."""
    for _ in range(number):
        match.move(f"seat:{json(match.get())['waiting_for']['seats'][0]}")


def test_pages_lead_on_and_back(match: Door) -> None:
    """Following `next` reads every commit once, `prev` leads back."""
    moved(match, 5)
    seen, where = [], "commits?limit=2"
    while where:
        page = match.get(where)
        seen += [commit["version"] for commit in json(page)["commits"]]
        if json(page)["commits"] and seen[-1] == 4:
            assert [c["version"] for c in json(match.get(links(page)["prev"]))["commits"]] == [1, 2]
        where = links(page).get("next", "")
    assert seen == [1, 2, 3, 4, 5, 6]


def test_all_of_the_history_comes_as_lines(match: Door) -> None:
    """NDJSON holds what the pages hold."""
    moved(match, 3)
    lines = match.get("commits", "seat:1", headers={"Accept": "application/x-ndjson"})
    assert lines.mimetype == "application/x-ndjson"
    paged = json(match.get("commits", "seat:1"))["commits"]
    assert [loads(line) for line in lines.text.splitlines()] == paged


def test_no_cache_mixes_lines_with_pages(match: Door) -> None:
    """The two forms of the history have ETags of their own, and caches are told that Accept decides."""
    forms = [
        match.get("commits", headers={"Accept": form})
        for form in ("application/json", "application/x-ndjson")
    ]
    assert [answer.headers["Vary"] for answer in forms] == [
        "Authorization, Accept, Accept-Encoding"
    ] * 2
    tags = [answer.headers["ETag"] for answer in forms]
    again = {"Accept": "application/x-ndjson", "If-None-Match": tags[0]}
    assert match.get("commits", headers=again).status_code == 200
    assert match.get("commits", headers=again | {"If-None-Match": tags[1]}).status_code == 304


@pytest.mark.parametrize("who", ["", "seat:0", "seat:2", "owner"])
def test_the_past_is_as_it_was_seen(match: Door, who: str) -> None:
    """`state?version=N` is what was answered when N was the last version, for every caller; so is `?at=`."""
    seen = {}
    for _ in range(4):
        now = json(match.get("state", who))
        seen[now["version"]] = now
        moved(match, 1)
    for version, then in seen.items():
        assert json(match.get(f"state?version={version}", who)) == then
        assert json(match.get(f"state?at={then['time']}", who))["version"] >= version
    assert json(match.get("state?at=2999-01-01T00:00:00%2B01:00", who))["version"] == 5


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


def test_a_diff_makes_the_one_state_of_the_other(match: Door) -> None:
    """Applied as a JSON Patch the changes turn the state at `from` into the state at `to`, forwards and back."""
    moved(match, 6)
    for start, end in ((1, 7), (3, 5), (7, 2), (4, 4)):
        diff = json(match.get(f"diff?from={start}&to={end}", "seat:0"))
        states = [
            json(match.get(f"state?version={version}", "seat:0"))["state"]
            for version in (start, end)
        ]
        assert patched(states[0], diff["changes"]) == states[1]
        low, high = sorted((start, end))
        assert [commit["version"] for commit in diff["commits"]] == list(range(low + 1, high + 1))


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
    made = patched(old, list(changes(old, new)))
    assert dumps(made, sort_keys=True) == dumps(new, sort_keys=True)


def patched(value: Any, operations: list[dict[str, Any]]) -> Any:
    """Return what a JSON Patch makes of a value."""
    value = deepcopy(value)
    for one in operations:
        path = [step.replace("~1", "/").replace("~0", "~") for step in one["path"].split("/")[1:]]
        inner = value
        for step in path[:-1]:
            inner = inner[int(step) if isinstance(inner, list) else step]
        last = int(path[-1]) if isinstance(inner, list) else path[-1]
        if one["op"] == "remove":
            assert inner.pop(last) == one["was"]
        elif one["op"] == "add" and isinstance(inner, list):
            inner.insert(last, one["value"])
        else:
            inner[last] = one["value"]
    return value


def test_lists_stay_right_while_matches_are_added(door: Door) -> None:
    """Newest first; whoever pages on sees every match that there was at the beginning, once."""
    first = [
        json(door.post("/v1/matches", {"game": "calimala", "seats": THREE}))["id"] for _ in range(5)
    ]
    seen, where = [], "/v1/matches?limit=2&status=running&game=calimala"
    while where:
        page = door.get(where)
        seen += [match["id"] for match in json(page)["matches"]]
        door.post("/v1/matches", {"game": "calimala", "seats": THREE})
        where = links(page).get("next", "")
    assert sorted(seen) == sorted(first)
    created = [json(door.get(f"/v1/matches/{match}"))["created"] for match in seen]
    assert created == sorted(created, reverse=True)


def test_lists_are_filtered(door: Door) -> None:
    """By game and by status; private matches are on no list."""
    running = opened(door).match
    aborted = opened(door, game="firenze").match
    door.post("abort", None, "owner")
    opened(
        door, seats=[{"kind": "human"}, {"kind": "open"}, {"kind": "open"}], visibility="private"
    )

    def listed(query: str) -> list[str]:
        return [match["id"] for match in json(door.get(f"/v1/matches?{query}"))["matches"]]

    assert listed("") == [aborted, running]
    assert listed("game=firenze") == listed("status=aborted") == [aborted]
    assert listed("game=calimala&status=running") == [running]
    assert listed("status=open") == listed("game=firenze&status=running") == []


def test_a_list_of_what_waits_for_me(match: Door) -> None:
    """Private matches too, only those in which a seat of mine is to act."""
    moved(match, 3)
    waiting = json(match.get())["waiting_for"]["seats"]
    for seat in range(3):
        listed = json(match.get("/v1/matches?waiting_for=me", f"seat:{seat}"))["matches"]
        assert [one["id"] for one in listed] == ([match.match] if seat in waiting else [])
    everyone = {"Giornale-Tokens": ", ".join(match.tokens[f"seat:{seat}"] for seat in range(3))}
    assert len(json(match.get("/v1/matches?waiting_for=me", headers=everyone))["matches"]) == 1
