"""`giornale view`: a match as one file, and what of a server's answers is not taken into it."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from service.ledger import record
from service.matches.context import Context
from tests.attacks.forging import entries_of
from tests.service.cli.conftest import Run
from tests.service.cli.site import Pages, show
from tests.service.toy_matches import opened, play_on

pytestmark = pytest.mark.usefixtures("toy_game")

MATCH = re.compile(rb'id="single-match">([^<]+)<')
SEAT = {"seat": 0, "kind": "human", "name": "Ada"}


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


# ---- a stranger's server may send anything: nothing of it is taken unread ------------------------


def show_states(pages: Pages, path: str, lines: list[bytes], **more: Any) -> None:
    """Let the server show states of a match in which nothing is seen."""
    frames = [
        {"version": entry["commit"]["version"], "state": None, "seat": None, **more}
        for entry in entries_of(lines)
    ]
    pages[f"{path}/states"] = json.dumps({"states": frames}).encode()


@pytest.mark.parametrize(
    ("seats", "sentences", "words"),
    [
        pytest.param([], [], "has another digest", id="another-view"),
        pytest.param([], [{"text": 5}], "is no story", id="sentence-that-is-no-text"),
        pytest.param(None, [], "is no match", id="no-seats"),
        pytest.param({}, [], "is no match", id="seats-that-are-an-object"),
        pytest.param([{**SEAT, "kind": "ghost"}], [], "is no match", id="seat-of-another-kind"),
        pytest.param([{**SEAT, "seat": 1}], [], "is no match", id="seat-of-another-number"),
        pytest.param([{**SEAT, "name": ["Ada"]}], [], "is no match", id="name-that-is-no-text"),
    ],
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
    """A view must have the digest in its commit, and all else its form."""
    path = show(pages, half, visibility="public", seats=seats)
    show_states(pages, path, half)
    lines = [{"version": number, "sentences": sentences} for number in range(1, len(half) + 1)]
    pages[f"{path}/story"] = json.dumps({"lines": lines}).encode()

    result = run_alone("view", site + path)

    assert result.exit_code == 2
    assert words in result.stderr


def test_what_only_a_seat_sees_is_not_put_into_a_page(
    run_alone: Run, half: list[bytes], pages: Pages, site: str, tmp_path: Path
) -> None:
    """A seat's view of a private match is not taken; nothing else can be shown of this one."""
    path = show(pages, half, visibility="private", seats=[])
    show_states(pages, path, half, seat=1)
    page = tmp_path / "match.html"

    result = run_alone("view", site + path, "--token", "gio_seat", "-o", page)

    asked = [where for _, where, _ in pages["asked"]]
    assert f"{path}/states" in asked
    assert f"{path}/story" not in asked
    assert result.exit_code == 2
    assert "can be shown: commits 1 to 4 are not folded" in result.stderr
    assert not page.exists()
