"""`giornale view`: a match as one file, and what it refuses."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from service.ledger import record
from service.matches.context import Context
from tests.attacks.forging import NO_PARTS, entries_of, misshapen
from tests.service.cli.conftest import Run
from tests.service.cli.shelf import by_rules
from tests.service.cli.site import Pages, served_pages, show
from tests.service.toy_matches import opened, play_on

pytestmark = pytest.mark.usefixtures("toy_game")

MATCH = re.compile(rb'id="single-match">([^<]+)<')


def shown_in(page: Path) -> Any:
    """Return what a page shows of its match."""
    found = MATCH.search(page.read_bytes())
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found.group(1))))


def test_a_record_becomes_a_page(run_alone: Run, file: Path, tmp_path: Path) -> None:
    """A whole record is shown from its first version to its last; nothing is printed."""
    page = tmp_path / "match.html"

    result = run_alone("view", file, "-o", page)

    assert (result.exit_code, result.output) == (0, "")
    shown = shown_in(page)
    commits = len(record.lines(file.read_bytes()))
    assert len(shown["frames"]) == len(shown["lines"]) == shown["decided"] == commits
    assert shown["title"] == "Toy"


def test_without_a_file_the_page_is_printed(run_alone: Run, file: Path) -> None:
    """Standard output takes the page."""
    result = run_alone("view", file)

    assert result.stdout.startswith("<!doctype html>")


@pytest.mark.parametrize("part", NO_PARTS, ids=repr)
def test_a_misshapen_record_becomes_no_page(
    run_alone: Run, file: Path, tmp_path: Path, part: Any
) -> None:
    """A revelation of any form is called wrong, as `giornale verify` calls it."""
    wrong = tmp_path / "wrong.ndjson"
    wrong.write_bytes(b"".join(misshapen(record.lines(file.read_bytes()), part)))

    result = run_alone("view", wrong, "-o", tmp_path / "match.html")

    assert result.exit_code == 1
    assert "has not the form of secret parts" in result.stderr


def test_a_wrong_record_becomes_no_page(run_alone: Run, file: Path, tmp_path: Path) -> None:
    """The first bad commit is named, and nothing is written."""
    lines = record.lines(file.read_bytes())
    wrong = tmp_path / "wrong.ndjson"
    wrong.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    page = tmp_path / "match.html"

    result = run_alone("view", wrong, "-o", page)

    assert result.exit_code == 1
    assert result.stderr.startswith("wrong: commit 4:")
    assert not page.exists()


def test_what_is_no_record_ends_with_2(run_alone: Run, ctx: Context, tmp_path: Path) -> None:
    """No such file, no record, or rules that this program does not know: nothing is written."""
    nothing = run_alone("view", tmp_path / "nothing")
    other = tmp_path / "other"
    other.write_text("{}\n")
    no_record = run_alone("view", other)
    unknown = tmp_path / "unknown.ndjson"
    unknown.write_bytes(by_rules(ctx, "toy/9"))
    no_rules = run_alone("view", unknown)

    assert [result.exit_code for result in (nothing, no_record, no_rules)] == [2, 2, 2]
    assert "does not know the rules toy/9" in no_rules.stderr
    assert nothing.stdout == no_record.stdout == no_rules.stdout == ""


def test_a_match_that_is_on_is_shown_as_its_server_shows_it(
    run_alone: Run, served: Context, url: str, tmp_path: Path
) -> None:
    """Parts are sealed, so views and story are asked for; names are the server's."""
    match = opened(served)
    play_on(served, match, until=4)
    page = tmp_path / "match.html"

    result = run_alone("view", f"{url}/v1/matches/{match.loaded.id}", "-o", page)

    assert result.exit_code == 3
    assert "not checked:" in result.stderr
    shown = shown_in(page)
    assert len(shown["frames"]) == len(shown["lines"]) == shown["commits"] == 4
    assert [seat["name"] for seat in shown["seats"]] == ["Ginevra", "Ginevra"]
    assert all(frame["seat"] is None for frame in shown["frames"])


@pytest.fixture
def pages() -> Pages:
    """What the server below shows, by path."""
    return {"asked": []}


def states(lines: list[bytes], **more: Any) -> bytes:
    """Return a list of the states of a match that shows nothing."""
    frames = [
        {"version": entry["commit"]["version"], "state": None, "seat": None, **more}
        for entry in entries_of(lines)
    ]
    return json.dumps({"states": frames}).encode()


def test_a_server_that_shows_something_else_is_found(
    run_alone: Run, half: list[bytes], pages: Pages
) -> None:
    """A view must have the digest in its commit, whoever shows it."""
    path = show(pages, half, visibility="public", seats=[])
    pages[f"{path}/states"] = states(half)
    lines = [{"version": number, "sentences": []} for number in range(1, len(half) + 1)]
    pages[f"{path}/story"] = json.dumps({"lines": lines}).encode()

    for site in served_pages(pages):
        result = run_alone("view", site + path)

    assert result.exit_code == 2
    assert "has another digest" in result.stderr


def test_what_only_a_seat_sees_is_not_put_into_a_page(
    run_alone: Run, half: list[bytes], pages: Pages, tmp_path: Path
) -> None:
    """A seat's view of a private match is not taken; nothing else can be shown of this one."""
    path = show(pages, half, visibility="private", seats=[])
    pages[f"{path}/states"] = states(half, seat=1)
    page = tmp_path / "match.html"

    for site in served_pages(pages):
        result = run_alone("view", site + path, "--token", "gio_seat", "-o", page)

    asked = [where for _, where, _ in pages["asked"]]
    assert f"{path}/states" in asked
    assert f"{path}/story" not in asked
    assert result.exit_code == 2
    assert "can be shown: commits 1 to 4 are not folded" in result.stderr
    assert not page.exists()


SEAT = {"seat": 0, "kind": "human", "name": "Ada"}
ODD_SEATS: dict[str, Any] = {
    "none": None,
    "an object": {},
    "another kind": [{**SEAT, "kind": "ghost"}],
    "another number": [{**SEAT, "seat": 1}],
    "a name that is no text": [{**SEAT, "name": ["Ada"]}],
}


@pytest.mark.parametrize("seats", ODD_SEATS.values(), ids=ODD_SEATS)
def test_seats_that_are_none_become_no_page(
    run_alone: Run, half: list[bytes], pages: Pages, seats: Any
) -> None:
    """A stranger's server may send anything; nothing of it is taken unread."""
    path = show(pages, half, visibility="public", seats=seats)

    for site in served_pages(pages):
        result = run_alone("view", site + path)

    assert result.exit_code == 2
    assert "is no match" in result.stderr


def test_a_story_that_is_none_becomes_no_page(
    run_alone: Run, half: list[bytes], pages: Pages
) -> None:
    """A sentence is a text."""
    path = show(pages, half, visibility="public", seats=[])
    pages[f"{path}/states"] = states(half)
    lines = [{"version": number, "sentences": [{"text": 5}]} for number in range(1, len(half) + 1)]
    pages[f"{path}/story"] = json.dumps({"lines": lines}).encode()

    for site in served_pages(pages):
        result = run_alone("view", site + path)

    assert result.exit_code == 2
    assert "is no story" in result.stderr
