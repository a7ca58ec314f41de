"""Conditional requests: nothing is sent twice, and no move is made for a state that is gone."""

import pytest

from tests.service.api.conftest import Door, json, problem, tag


@pytest.mark.parametrize(
    "path",
    [
        "",
        "state",
        "states",
        "moves",
        "commits",
        "commits/1",
        "diff?from=1",
        "story",
        "state?version=1",
    ],
)
def test_an_etag_saves_the_second_answer(match: Door, path: str) -> None:
    """What has not changed is answered with 304, its ETag and nothing else."""
    first = match.get(path, "seat:0")
    assert first.status_code == 200

    held = {"If-None-Match": tag(first)}
    again = match.get(path, "seat:0", headers=held)

    assert again.status_code == 304
    assert again.data == b""
    assert tag(again) == tag(first)
    assert "Authorization" in again.headers["Vary"]


def hash_digits(match: Door, version: int) -> str:
    """Return how the hash of a commit begins."""
    found: str = json(match.get(f"commits/{version}"))["hash"][:16]
    return found


def test_an_etag_is_the_version_the_perspective_and_the_hash(match: Door) -> None:
    """Another seat, or another version, is another ETag."""
    public = match.get("state")
    of_a_seat = match.get("state", "seat:1")
    after_a_move = match.move("seat:0")

    assert tag(public) == f'"1;public;{hash_digits(match, 1)}"'
    assert tag(of_a_seat) == f'"1;seat:1;{hash_digits(match, 1)}"'
    assert tag(after_a_move) == f'"2;seat:0;{hash_digits(match, 2)}"'


def test_an_old_etag_saves_nothing(match: Door) -> None:
    """What has changed since is sent."""
    held = tag(match.get("state"))
    match.move("seat:0")

    answer = match.get("state", headers={"If-None-Match": held})

    assert answer.status_code == 200


def test_a_stale_move_is_told_what_happened(match: Door) -> None:
    """If-Match of an older version: 412 with the version now and the commits since, redacted."""
    match.move("seat:0")

    answer = match.move("seat:1", headers={"If-Match": '"1;seat:1"'})

    assert problem(answer) == (412, "stale-version")

    told = json(answer)
    assert told["version"] == 2
    assert told["expected"] == 1

    [commit] = told["commits"]
    assert commit["version"] == 2
    assert "card" not in commit["command"]
    assert json(match.get())["version"] == 2


def test_a_fresh_if_match_is_accepted(match: Door) -> None:
    """The ETag of the state that one has seen is enough to move safely."""
    seen = tag(match.get("state", "seat:0"))
    made = match.move("seat:0", headers={"If-Match": seen})
    assert made.status_code == 201


@pytest.mark.parametrize(
    ("who", "keep"),
    [
        ("", "public, max-age=3600"),
        ("seat:0", "private, max-age=3600"),
    ],
    ids=["public", "seat"],
)
def test_the_past_may_be_kept_for_a_while(match: Door, who: str, keep: str) -> None:
    """Shared caches may keep only what everybody may see.

    Nobody keeps it for ever: a journal may go back, and whoever reloads is to see it.
    """
    match.move("seat:0")

    for path in ("commits/1", "state?version=1", "commits?limit=1", "states?limit=1"):
        past = match.get(path, who)
        assert past.headers["Cache-Control"] == keep

    up_to_now = match.get("commits", who)
    assert "max-age" not in up_to_now.headers["Cache-Control"]
