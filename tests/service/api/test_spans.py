"""Parts of the history: between two moments, of one actor, with one type of event."""

from typing import Any

import pytest

from tests.service.api.conftest import NDJSON, Door, json
from tests.service.api.test_history import links, moved, versions_on


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
    """Return the versions on one page."""
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
    """`from` and `to` are versions or times, and what they name is included."""
    assert versions(played, query) == expected


def test_a_time_names_the_commits_of_that_time(played: Door) -> None:
    """From and to the time of one commit are all commits that bear this time."""
    everything = commits(played)

    for time in {commit["time"] for commit in everything}:
        made_then = [commit["version"] for commit in everything if commit["time"] == time]
        assert versions(played, f"from={time}&to={time}") == made_then
        assert versions(played, f"to={time}")[-1] == made_then[-1]


def test_lines_hold_the_same_part(played: Door) -> None:
    """NDJSON takes the same parameters."""
    lines = played.get("commits?from=3&to=5", headers={"Accept": NDJSON})

    assert len(lines.text.splitlines()) == 3
    assert "immutable" in lines.headers["Cache-Control"]


def test_commits_of_one_actor(played: Door) -> None:
    """Only what that actor did, in order."""
    everything = commits(played)

    for actor in {commit["actor"] for commit in everything}:
        by_actor = [commit["version"] for commit in everything if commit["actor"] == actor]
        assert versions(played, f"actor={actor}") == by_actor
    assert versions(played, "actor=public") == []


def test_commits_with_one_type_of_event(played: Door) -> None:
    """Whole commits that have such an event; with an actor both must hold."""
    everything = commits(played)
    all_types = set().union(*map(types_of, everything))

    for kind in all_types:
        of_kind = [commit for commit in everything if kind in types_of(commit)]
        of_kind_by_seat = [commit for commit in of_kind if commit["actor"] == "seat:1"]
        assert commits(played, f"type={kind}") == of_kind
        assert commits(played, f"type={kind}&actor=seat:1") == of_kind_by_seat


def test_an_unknown_type_is_told_those_that_there_are(played: Door) -> None:
    """A typing error is no empty history."""
    answer = played.get("commits?type=match_startled")
    assert answer.status_code == 422
    assert "match_started" in json(answer)["errors"][0]["detail"]
    assert played.get("commits?actor=seat:16").status_code == 422


@pytest.mark.parametrize(
    "query", ["actor=seat:1", "from=2&to=6", "type=disc_placed&to=6", "actor=house"]
)
def test_pages_of_a_part_hold_all_of_it_once(
    played: Door, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`next` leads through the whole part, also when a page ends before it is full.

    What was asked for stays asked.
    """
    expected = versions(played, query)
    monkeypatch.setattr("service.matches.history.LOOKED_AT", 2)

    seen: list[int] = []
    where = f"commits?{query}&limit=1"
    for _ in range(30):
        page = played.get(where)
        seen += versions_on(page)
        where = links(page).get("next", "")
        if not where:
            break

    assert seen == expected


def test_a_page_is_kept_for_ever_only_if_it_never_changes(played: Door) -> None:
    """A part that ends in the past is fixed; one that ends with the head has another ETag later."""
    fixed = ("to=5", "from=2&to=7", "actor=seat:0&limit=1", "actor=house&to=4")
    open_ended = ("from=2", "actor=seat:0", "to=8", "type=disc_placed", "to=2999-01-01T00:00:00Z")
    pages = {query: played.get(f"commits?{query}") for query in (*fixed, *open_ended)}

    moved(played, 1)

    for query, page in pages.items():
        held = {"If-None-Match": page.headers["ETag"]}
        again = played.get(f"commits?{query}", headers=held)
        is_immutable = "immutable" in page.headers["Cache-Control"]
        assert is_immutable == (query in fixed), query
        assert again.status_code == (304 if query in fixed else 200), query


def test_prev_stays_within_the_part(played: Door) -> None:
    """Whoever goes back from a page gets to `from` and not before it."""
    first = played.get("commits?from=3&limit=2")
    second = played.get(links(first)["next"])
    back = played.get(links(second)["prev"])

    assert "prev" not in links(first)
    assert versions_on(back) == [3, 4]


MOMENTS = {"versions": ("2", "5"), "backwards": ("5", "2"), "to-the-head": ("1", "")}


@pytest.mark.parametrize(("start", "end"), MOMENTS.values(), ids=MOMENTS)
def test_a_diff_between_times_is_that_between_their_versions(
    played: Door, start: str, end: str
) -> None:
    """A time stands for the version that the match had then."""
    times = {str(commit["version"]): commit["time"] for commit in commits(played)}
    last_of = {time: version for version, time in times.items()}

    by_version = f"diff?from={last_of[times[start]]}"
    by_time = f"diff?from={times[start]}"
    if end:
        by_version += f"&to={last_of[times[end]]}"
        by_time += f"&to={times[end]}"

    assert json(played.get(by_time, "seat:0")) == json(played.get(by_version, "seat:0"))


def test_a_diff_from_a_time_that_has_not_come_is_no_stale_one(played: Door) -> None:
    """What a time stands for may change: then the ETag does, and no answer is kept for ever."""
    query = "diff?from=2999-01-01T00:00:00Z&to=3"
    before = played.get(query)
    held = {"If-None-Match": before.headers["ETag"]}

    moved(played, 1)

    assert played.get(query, headers=held).status_code == 200
    assert "immutable" not in before.headers["Cache-Control"]


def test_a_state_at_a_version_or_a_time(played: Door) -> None:
    """`at` takes both; with `version` the earlier counts; a wrong moment is told what there is."""
    assert json(played.get("state?at=3")) == json(played.get("state?version=3"))
    assert "immutable" in played.get("state?at=3").headers["Cache-Control"]
    assert json(played.get("state?at=5&version=2"))["version"] == 2
    assert "1 to 7" in json(played.get("state?at=99"))["detail"]
    assert "opened only at" in json(played.get("diff?from=1999-01-01T00:00:00Z"))["detail"]
    assert played.get("diff?from=yesterday").status_code == 422
