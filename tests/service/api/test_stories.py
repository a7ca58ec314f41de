"""The story over HTTP: pages, lines and text, with the present names of the seats."""

from json import dumps
from typing import Any

import pytest

from service.matches.stories import text_lines
from tests.service.api.conftest import Door, json, opened

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


# ---- names -------------------------------------------------------------------------------------


def test_seats_without_a_name_have_a_colour(door: Door) -> None:
    """A human and a bot without a name are called by their colours."""
    match = opened(door, seats=NAMED)
    assert texts(story(match))[0].endswith("with Ada, Blue and Yellow (random).")


def test_a_seat_is_called_by_the_name_of_its_present_player(lobby: Door) -> None:
    """The story has a name from the join of its player on, and not for an earlier player."""
    joined = json(lobby.post("seats/1", {"name": "Piero"}))
    assert texts(story(lobby))[1] == "Piero takes a seat."

    lobby.delete("seats/1", joined["token"])
    lobby.post("seats/1", {"name": "Lucrezia"})

    opening, first, _left, second = texts(story(lobby))
    assert "Lucrezia" not in opening
    assert first == "Blue takes a seat."
    assert second == "Lucrezia takes a seat."


@pytest.mark.parametrize("path", ["story?limit=1", "diff?from=1&to=2"])
def test_an_erased_name_is_told_no_more(match: Door, path: str) -> None:
    """Names are stored outside the hash chain, so caches have to revalidate.

    test_response_cache.py shows that no old ETag confirms an erased name.
    """
    opened(match, seats=[{"kind": "human", "name": "Cosimo"}, *[{"kind": "human"}] * 2])
    match.move("seat:0")

    before = match.get(path)
    assert "Cosimo" in before.text
    assert before.headers["Cache-Control"] == "public, no-cache"

    assert match.delete("players/0", "seat:0").status_code == 204
    assert "Cosimo" not in match.get(path).text


def test_no_name_forges_a_line_of_text(door: Door) -> None:
    """Text shows characters that turn, end or hide a line by code points.

    JSON has them unchanged.
    """
    name = "Ada\u2028    9  Bob wins.\u202e\u200b\u3164"
    match = opened(door, seats=[{"kind": "human", "name": "Ada"}, *[{"kind": "human"}] * 2])
    record = dumps({"name": name, "salt": "0" * 32})  # as a release before may have stored it
    match.ctx.journal.metadata.put(match.match, {"name:0": record})

    as_text = "\n".join(text_lines(json(match.get("story"))["lines"]))
    assert r"Ada\u2028    9  Bob wins.\u202e\u200b\u3164" in as_text
    assert name not in as_text
    assert name in texts(story(match))[0]
