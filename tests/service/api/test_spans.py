"""Parts of the history: between two moments, of one actor, with one type of event."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

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
    times = {commit["time"] for commit in everything}

    for time in times:
        made_then = [commit["version"] for commit in everything if commit["time"] == time]
        assert versions(played, f"from={time}&to={time}") == made_then
        assert versions(played, f"to={time}")[-1] == made_then[-1]


def test_lines_hold_the_same_part(played: Door) -> None:
    """NDJSON takes the same parameters."""
    answer = played.get("commits?from=3&to=5", headers={"Accept": NDJSON})

    lines = answer.text.splitlines()
    assert len(lines) == 3
    assert "max-age=3600" in answer.headers["Cache-Control"]


def test_commits_of_one_actor(played: Door) -> None:
    """Only what that actor did, in order."""
    everything = commits(played)
    actors = {commit["actor"] for commit in everything}

    for actor in actors:
        by_actor = [commit["version"] for commit in everything if commit["actor"] == actor]
        assert versions(played, f"actor={actor}") == by_actor


def test_somebody_who_did_nothing_has_no_commits(played: Door) -> None:
    """The public is an actor that never acts."""
    assert versions(played, "actor=public") == []


def test_commits_with_one_type_of_event(played: Door) -> None:
    """Whole commits that have such an event."""
    everything = commits(played)

    for event_type in all_types(everything):
        of_type = [commit for commit in everything if event_type in types_of(commit)]
        assert commits(played, f"type={event_type}") == of_type


def test_commits_of_one_actor_with_one_type_of_event(played: Door) -> None:
    """Both must hold."""
    everything = commits(played)
    by_seat_1 = [commit for commit in everything if commit["actor"] == "seat:1"]

    for event_type in all_types(everything):
        both = [commit for commit in by_seat_1 if event_type in types_of(commit)]
        assert commits(played, f"type={event_type}&actor=seat:1") == both


def all_types(everything: list[dict[str, Any]]) -> set[str]:
    """Return the types of all events of some commits."""
    types: set[str] = set()
    for commit in everything:
        types |= types_of(commit)
    return types


def test_an_unknown_type_is_told_those_that_there_are(played: Door) -> None:
    """A typing error is no empty history."""
    answer = played.get("commits?type=match_startled")

    [place] = json(answer)["errors"]
    assert answer.status_code == 422
    assert "match_started" in place["detail"]


def test_an_actor_that_cannot_be_is_refused(played: Door) -> None:
    """No match has a seat 16."""
    answer = played.get("commits?actor=seat:16")

    assert answer.status_code == 422


FIXED = ("to=5", "from=2&to=7", "actor=seat:0&limit=1", "actor=house&to=4")


OPEN_ENDED = (
    "from=2",
    "actor=seat:0",
    "to=8",
    "type=disc_placed",
    "to=2999-01-01T00:00:00Z",
)


def ask_again_after_a_move(match: Door, page: TestResponse, query: str) -> TestResponse:
    """Make a move, and ask again for a page that is held."""
    moved(match, 1)
    held = {"If-None-Match": page.headers["ETag"]}
    return match.get(f"commits?{query}", headers=held)


@pytest.mark.parametrize("query", FIXED)
def test_a_part_that_ends_in_the_past_is_kept_for_a_while(played: Door, query: str) -> None:
    """It never changes, whatever is done in the match."""
    page = played.get(f"commits?{query}")
    assert "max-age=3600" in page.headers["Cache-Control"]

    again = ask_again_after_a_move(played, page, query)
    assert again.status_code == 304


@pytest.mark.parametrize("query", OPEN_ENDED)
def test_a_part_that_ends_with_the_head_has_another_etag_later(played: Door, query: str) -> None:
    """There may be more of it then."""
    page = played.get(f"commits?{query}")
    assert "max-age" not in page.headers["Cache-Control"]

    again = ask_again_after_a_move(played, page, query)
    assert again.status_code == 200


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

    diff_by_version = json(played.get(by_version, "seat:0"))
    diff_by_time = json(played.get(by_time, "seat:0"))
    assert diff_by_time == diff_by_version


def test_a_state_at_a_moment_is_that_of_its_version(played: Door) -> None:
    """`at` takes a version like `version`, and the answer may be kept for a while."""
    by_moment = played.get("state?at=3")
    by_version = played.get("state?version=3")

    assert json(by_moment) == json(by_version)
    assert "max-age=3600" in by_moment.headers["Cache-Control"]


def test_of_a_moment_and_a_version_the_earlier_counts(played: Door) -> None:
    """Both may be given."""
    state = json(played.get("state?at=5&version=2"))

    assert state["version"] == 2


def test_a_moment_beyond_the_match_is_told_what_there_is(played: Door) -> None:
    """The refusal names the versions, or when the match was opened."""
    too_late = json(played.get("state?at=99"))
    too_early = json(played.get("diff?from=1999-01-01T00:00:00Z"))

    assert "1 to 7" in too_late["detail"]
    assert "opened only at" in too_early["detail"]


def test_what_is_no_moment_is_refused(played: Door) -> None:
    """Yesterday is no version and no time."""
    answer = played.get("diff?from=yesterday")

    assert answer.status_code == 422


def test_a_diff_from_a_time_that_has_not_come_is_no_stale_one(played: Door) -> None:
    """What a time stands for may change: then the ETag does, and no answer is kept."""
    query = "diff?from=2999-01-01T00:00:00Z&to=3"
    before = played.get(query)
    held = {"If-None-Match": before.headers["ETag"]}

    moved(played, 1)

    assert played.get(query, headers=held).status_code == 200
    assert "max-age" not in before.headers["Cache-Control"]
