"""An archived match has the same answers as before, or a problem if its file is lost."""

import logging
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from service.matches import lifecycle
from service.store.archive.archive import Archive
from service.store.archive.places import open_place
from tests.service.api.conftest import KEY, OPERATOR, Door, json, moved, opened, problem
from tests.service.api.test_my_matches import Lines
from tests.service.api.test_response_cache import ASKED, told


@pytest.fixture
def app(own_app: Flask) -> Flask:
    """An application on a directory of its own, for its archive."""
    return own_app


@pytest.fixture
def over(match: Door) -> Door:
    """A match in which some moves were made, one with a key. Then it was aborted and revealed."""
    moved(match, 20)
    [seat, *_] = match.waiting_seats()
    match.move(f"seat:{seat}", headers={"Idempotency-Key": KEY})
    assert match.post("abort", {}, "owner").status_code == 201
    match.house()
    return match


def archive(door: Door, directory: Path) -> Path:
    """Archive the match of a door. Return its file."""
    place = Archive(open_place(str(directory / "archive")))
    assert lifecycle.archive(door.ctx, place, door.match) is not None
    [file] = [path for path in (directory / "archive").rglob("*") if path.is_file()]
    return file


def test_an_archived_match_is_answered_as_before(over: Door, tmp_path: Path) -> None:
    """A new process answers with the same bytes and ETags as before the archiving."""
    before = answers(over.another_process())
    archive(over, tmp_path)

    assert answers(over.another_process()) == before
    assert {status for status, _, _ in before} == {200}


def answers(door: Door) -> list[Any]:
    """Return the answers to all requests about a match."""
    return [told(ask.of(door, "seat:0")) for ask in ASKED.values()]


def test_a_match_with_a_lost_file_is_a_problem_of_its_own(
    over: Door, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The 503 names the match and no path. The log names the file, without a traceback."""
    archive(over, tmp_path).unlink()
    door = over.another_process()

    for path in ("", "state", "commits", "record", "commits/3"):
        caplog.clear()
        with caplog.at_level(logging.ERROR):
            answer = door.get(path, "seat:0")

        assert problem(answer) == (503, "journal-unavailable"), path
        assert answer.headers["Retry-After"] == "60"
        assert f"Match {over.match} is archived" in json(answer)["detail"]
        assert str(tmp_path) not in answer.text
        [record] = [line for line in caplog.records if line.name == "service.api.error_handlers"]
        assert record.exc_info is None
        assert str(tmp_path) in vars(record)["reason"]

    assert door.get("/v1/matches?status=aborted").status_code == 200
    assert door.get("/livez").status_code == 200


def test_a_file_that_is_left_does_not_hide_the_deletion(over: Door, tmp_path: Path) -> None:
    """The operator is told that the match is deleted, and how to remove its file."""
    file = archive(over, tmp_path)
    file.unlink()
    (file / "in the way").mkdir(parents=True)
    door = over.another_process()

    answer = door.delete("", OPERATOR)
    assert problem(answer) == (503, "journal-unavailable")
    detail = json(answer)["detail"]
    assert f"Match {over.match} is deleted" in detail
    assert "giornale archive verify --clean" in detail
    assert str(tmp_path) not in answer.text
    assert problem(door.get())[0] == 410


def test_a_lost_file_silences_no_other_match(over: Door, tmp_path: Path) -> None:
    """The stream of several matches reports those that can be read."""
    other = opened(Door(over.client, over.ctx), seed="other")
    archive(over, tmp_path).unlink()
    over.ctx.cache.forget()

    stream = Lines(over, [over.tokens["seat:0"], other.tokens["seat:0"]])
    first = stream.next()
    stream.close()

    assert (first["event"], first["match"]) == ("turn", other.match)
