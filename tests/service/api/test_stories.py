"""The story over HTTP: pages, lines and text, with the names that the seats have now."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

from domain.games import GAMES
from tests.service.api.conftest import NDJSON, Door, json, moved, opened
from tests.service.api.contract_file import quiet_app

TEXT = "text/plain"
NAMED = [
    {"kind": "human", "name": "Ada"},
    {"kind": "human"},
    {"kind": "bot", "level": "random"},
]


def story(match: Door, path: str = "story", who: str = "") -> list[dict[str, Any]]:
    """Return the lines of a page of the story."""
    lines: list[dict[str, Any]] = json(match.get(path, who))["lines"]
    return lines


def texts(lines: list[dict[str, Any]]) -> list[str]:
    """Return every sentence of some lines."""
    return [sentence["text"] for line in lines for sentence in line["sentences"]]


def versions_on(page: TestResponse) -> list[int]:
    """Return the versions that a page tells."""
    return [line["version"] for line in json(page)["lines"]]


# ---- lines -------------------------------------------------------------------------------------


def test_every_event_is_told_once(match: Door) -> None:
    """A line a commit, with its version, time and actor, and a sentence for each event."""
    moved(match, 4)

    lines = story(match)

    commits = json(match.get("commits"))["commits"]
    for line, commit in zip(lines, commits, strict=True):
        assert len(line["sentences"]) == len(commit["events"])
        for member in ("version", "time", "actor"):
            assert line[member] == commit[member]


@pytest.mark.parametrize("game", GAMES)
def test_any_span_is_told_as_the_whole(game: str) -> None:
    """Where one begins to read changes no sentence."""
    app = quiet_app()
    seats = [{"kind": "human", "name": "Ada"}] * GAMES[game].seats[0]
    match = opened(Door.of(app), game, seats=seats)
    moved(match, 12)

    whole = story(match, who="seat:0")

    assert len(whole) == json(match.get())["version"]
    for after in range(len(whole)):
        assert story(match, f"story?after={after}&limit=3", "seat:0") == whole[after : after + 3]


def test_a_span_is_named_by_moments(match: Door) -> None:
    """From a version to another, both included; a limit of the server holds."""
    moved(match, 4)
    assert versions_on(match.get("story?from=2&to=4")) == [2, 3, 4]
    assert versions_on(match.get("story?from=2&to=4&after=3")) == [4]


def test_the_story_waits_for_what_comes(match: Door) -> None:
    """What is there already is told at once, whatever one would wait."""
    assert versions_on(match.get("story?wait=1")) == [1]
    assert versions_on(match.get("story?after=1&wait=1")) == []


# ---- forms -------------------------------------------------------------------------------------


def test_people_read_it_as_text(match: Door) -> None:
    """Headings stand alone; a commit's number stands before its first sentence."""
    moved(match, 3)

    as_text = match.get("story", headers={"Accept": TEXT})

    assert as_text.content_type == "text/plain; charset=utf-8"
    lines = as_text.text.splitlines()
    assert lines[:3] == ["Opening", "", f"    1  {texts(story(match))[0]}"]
    assert "Setting up" in lines
    for text in texts(story(match)):
        assert any(text in line for line in lines)


# ---- names -------------------------------------------------------------------------------------


def test_seats_without_a_name_have_a_number(door: Door) -> None:
    """A human, a bot and an open seat have names of their own."""
    match = opened(door, seats=NAMED)
    assert texts(story(match))[0].endswith("with Ada, Seat 1 and Bot 2 (random).")


def test_who_joins_is_named(lobby: Door) -> None:
    """The name of whoever took a seat is told with the joining, and not before."""
    lobby.post("seats/1", {"name": "Contessina"})

    lines = story(lobby)
    assert "Contessina" not in texts(lines[:1])[0]
    assert texts(lines[1:]) == ["Contessina takes seat 1."]


def test_a_name_is_that_of_who_holds_the_seat(lobby: Door) -> None:
    """Who came after another is not named where the other one sat."""
    joined = json(lobby.post("seats/1", {"name": "Piero"}))
    lobby.delete("seats/1", joined["token"])
    lobby.post("seats/1", {"name": "Lucrezia"})

    told = texts(story(lobby))
    assert told[1] == "Seat 1 is taken."
    assert told[3] == "Lucrezia takes seat 1."


@pytest.mark.parametrize("accept", ["application/json", NDJSON, TEXT])
@pytest.mark.parametrize("path", ["story?limit=1", "diff?from=1&to=2"])
def test_an_erased_name_is_told_no_more(match: Door, accept: str, path: str) -> None:
    """Names are beside the chain: no cache keeps them unasked, and an old ETag confirms none."""
    opened(match, seats=[{"kind": "human", "name": "Cosimo"}, *[{"kind": "human"}] * 2])
    match.move("seat:0")
    headers = {} if path.startswith("diff") else {"Accept": accept}

    before = match.get(path, headers=headers)
    assert "Cosimo" in before.text
    assert before.headers["Cache-Control"] == "public, no-cache"

    erased = match.delete("players/0", "seat:0")
    assert erased.status_code == 204
    held = {"If-None-Match": before.headers["ETag"]}
    after = match.get(path, headers=headers | held)
    assert after.status_code == 200
    assert "Cosimo" not in after.text


def test_no_name_forges_a_line_of_text(door: Door) -> None:
    """Signs that turn, end or hide a line are shown by their numbers; JSON holds the name."""
    name = "Ada\u2028    9  Bob wins.\u202e\u200b\u3164"
    match = opened(door, seats=[{"kind": "human", "name": name}, *[{"kind": "human"}] * 2])

    as_text = match.get("story", headers={"Accept": TEXT}).text
    assert r"Ada\u2028    9  Bob wins.\u202e\u200b\u3164" in as_text
    assert name not in as_text
    assert name in texts(story(match))[0]


# ---- who hears what ----------------------------------------------------------------------------


def test_a_secret_is_told_to_its_seat_alone(match: Door) -> None:
    """C43: which card a seat keeps is nobody else's matter."""
    kept = json(match.move("seat:0"))["command"]["card"]

    [own] = texts(story(match, "story?after=1", "seat:0"))
    [others] = texts(story(match, "story?after=1", "seat:1"))
    [public] = texts(story(match, "story?after=1"))
    assert kept in own.lower()
    assert kept not in others.lower()
    assert others == public


# ---- differences and previews ------------------------------------------------------------------
