"""`giornale export`, `import`, `story`, `view`: records out of a journal, into it, for people."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from service.matches import views
from service.matches.context import Context
from service.matches.opening import NewMatch
from service.matches.repository import load
from service.record import record
from tests.attacks.forging import entries_of
from tests.service.ops.cli.conftest import Run
from tests.service.ops.cli.shelf import match_in
from tests.service.ops.cli.site import Pages, show
from tests.service.toy_matches import opened, play_on

pytestmark = pytest.mark.usefixtures("toy_game")

OPENED = "    1  A match of Toy is opened with Ginevra and Ginevra."


@pytest.fixture
def running_match(served: Context, toy_game: None) -> NewMatch:
    """A running match of the journal."""
    match = opened(served)
    play_on(served, match, until=3)
    return match


def test_export_and_import_are_inverse(run: Run, served: Context, file: Path) -> None:
    """An imported record is exported byte for byte the same. A second import changes nothing."""
    match = match_in(file)
    assert run("import", file).stdout == f"{match}: 8 commits\n"
    assert run("import", file).stdout == f"{match}: it was there already\n"
    assert run("export", match).stdout_bytes == file.read_bytes()
    assert run("verify", match).exit_code == 0

    document = views.document(load(served, match), {})
    views.add_import(document, served.journal.metadata.fields(match))
    assert document["imported_by"] == "command line"


@pytest.mark.parametrize("audiences", [set(), {"seat:0"}], ids=["public", "seat"])
def test_a_running_match_is_exported_for_a_reader(
    run: Run, running_match: NewMatch, audiences: set[str]
) -> None:
    """Before the end a seat's secrets are exported only with its token."""
    arguments = [
        argument for seat in audiences for argument in ("--token", running_match.tokens[seat])
    ]

    content = run("export", running_match.loaded.id, *arguments).stdout_bytes

    entries = entries_of(record.lines(content))
    assert {audience for stored in entries for audience in stored["secrets"]} == audiences


# ---- stories -------------------------------------------------------------------------------------


def test_a_record_is_told_offline(run_alone: Run, file: Path) -> None:
    """The story has all secrets of the record, but no names. The record may be standard input."""
    result = run_alone("story", file)

    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[:3] == ["Opening", "", "    1  A match of Toy is opened with Red and Blue."]
    assert "       Red is dealt a card." not in lines
    assert "The coin" in lines
    assert lines[-1] == (
        "    8  All secrets are laid open: every draw of the match can now be checked. [M9]"
    )
    assert run_alone("story", "-", input=file.read_bytes()).stdout == result.stdout


def test_a_match_of_the_journal_or_of_a_server_is_told(
    run: Run, run_alone: Run, running_match: NewMatch, url: str
) -> None:
    """The story has names, and secrets only for the holder of a token."""
    token = running_match.tokens["seat:0"]
    for run_somewhere, match in (
        (run, running_match.loaded.id),
        (run_alone, f"{url}/v1/matches/{running_match.loaded.id}"),
    ):
        to_the_public = run_somewhere("story", match)
        assert to_the_public.exit_code == 0, to_the_public.stderr
        assert OPENED in to_the_public.stdout.splitlines()
        assert "Ginevra is dealt a card." in to_the_public.stdout

        to_a_seat = run_somewhere("story", match, "--token", token)
        assert to_a_seat.exit_code == 0, to_a_seat.stderr
        assert to_a_seat.stdout != to_the_public.stdout


def test_a_token_is_taken_from_the_environment(
    run: Run, environ: dict[str, str], running_match: NewMatch
) -> None:
    """GIORNALE_TOKEN is not refused as an unknown setting."""
    environ["GIORNALE_TOKEN"] = running_match.tokens["seat:0"]

    result = run("story", running_match.loaded.id)
    expected = run("story", running_match.loaded.id, "--token", running_match.tokens["seat:0"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout == expected.stdout
    assert run("config").exit_code == 0


MATCH = re.compile(rb'id="single-match">([^<]+)<')
SEAT = {"seat": 0, "kind": "human", "name": "Ada"}


def shown_in(page: Path) -> Any:
    """Return the data of a page's match."""
    block = MATCH.search(page.read_bytes())
    assert block is not None
    return json.loads(gzip.decompress(base64.b64decode(block.group(1))))


def test_a_record_becomes_a_page(run_alone: Run, file: Path, tmp_path: Path) -> None:
    """A whole record is shown from its first version to its last. Nothing is printed."""
    page = tmp_path / "match.html"

    result = run_alone("view", file, "-o", page)

    assert (result.exit_code, result.output) == (0, "")
    data = shown_in(page)
    commits = len(record.lines(file.read_bytes()))
    assert len(data["frames"]) == len(data["lines"]) == data["decided"] == commits
    assert data["title"] == "Toy"


def test_a_match_that_is_on_is_shown_as_its_server_shows_it(
    run_alone: Run, served: Context, url: str, tmp_path: Path
) -> None:
    """The record is sealed in parts, so views, story and names are read from the server."""
    match = opened(served)
    play_on(served, match, until=4)
    page = tmp_path / "match.html"

    result = run_alone("view", f"{url}/v1/matches/{match.loaded.id}", "-o", page)

    assert result.exit_code == 3
    assert "not checked:" in result.stderr
    data = shown_in(page)
    assert len(data["frames"]) == len(data["lines"]) == data["commits"] == 4
    assert [seat["name"] for seat in data["seats"]] == ["Ginevra", "Ginevra"]
    assert all(frame["seat"] is None for frame in data["frames"])


# ---- a stranger's server may send anything: nothing of it is taken unread ------------------------


def show_states(pages: Pages, path: str, lines: list[bytes], **more: Any) -> None:
    """Let the server show states of a match without any view."""
    frames = [
        {"version": entry["commit"]["version"], "state": None, "seat": None, **more}
        for entry in entries_of(lines)
    ]
    pages[f"{path}/states"] = json.dumps({"states": frames}).encode()


NO_MATCH = "is not a match"
SOMETHING_ELSE: dict[str, tuple[Any, list[Any], str]] = {
    "another-view": ([], [], "has another digest"),
    "sentence-that-is-no-text": ([], [{"text": 5}], "is not a story"),
    "no-seats": (None, [], NO_MATCH),
    "seats-that-are-an-object": ({}, [], NO_MATCH),
    "seat-of-another-kind": ([{**SEAT, "kind": "ghost"}], [], NO_MATCH),
    "seat-of-another-number": ([{**SEAT, "seat": 1}], [], NO_MATCH),
    "name-that-is-no-text": ([{**SEAT, "name": ["Ada"]}], [], NO_MATCH),
}


@pytest.mark.parametrize(
    ("seats", "sentences", "words"), SOMETHING_ELSE.values(), ids=SOMETHING_ELSE
)
def test_a_server_that_shows_something_else_is_found(
    run_alone: Run,
    half: list[bytes],
    pages: Pages,
    site: str,
    seats: Any,
    sentences: list[Any],
    words: str,
) -> None:
    """A view must fit the digest in its commit. Seats and story must have the right form."""
    path = show(pages, half, visibility="public", seats=seats)
    show_states(pages, path, half)
    lines = [{"version": number, "sentences": sentences} for number in range(1, len(half) + 1)]
    pages[f"{path}/story"] = json.dumps({"lines": lines}).encode()

    result = run_alone("view", site + path)

    assert result.exit_code == 2
    assert words in result.stderr


def test_a_private_view_of_a_seat_is_not_put_into_a_page(
    run_alone: Run, half: list[bytes], pages: Pages, site: str, tmp_path: Path
) -> None:
    """A seat's view of a private match is not put into a page. Without it nothing can be shown."""
    path = show(pages, half, visibility="private", seats=[])
    show_states(pages, path, half, seat=1)
    page = tmp_path / "match.html"

    result = run_alone("view", site + path, "--token", "gio_seat", "-o", page)

    paths = [where for _, where, _ in pages["asked"]]
    assert f"{path}/states" in paths
    assert f"{path}/story" not in paths
    assert result.exit_code == 2
    assert "can be shown: commits 1 to 4 are not folded" in result.stderr
    assert not page.exists()
