"""Forms of the history: its commits, states and story, each in pages, in lines, and by its ETag."""

from json import loads
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.service.api.conftest import (
    NDJSON,
    Door,
    door_maker,
    json,
    links,
    moved,
    opened,
    tag,
)

JSON = "application/json"
TEXT = "text/plain"

# What each list is called on its pages.
LISTS = {"commits": "commits", "states": "states", "story": "lines"}
FORMS = {"commits": (JSON, NDJSON), "states": (JSON, NDJSON), "story": (JSON, NDJSON, TEXT)}

Every = pytest.mark.parametrize("path", LISTS)


@pytest.fixture
def played(match: Door) -> Door:
    """A match of three humans at version 5."""
    moved(match, 4)
    return match


def items_on(path: str, page: TestResponse) -> list[dict[str, Any]]:
    """Return what stands on a page."""
    found: list[dict[str, Any]] = json(page)[LISTS[path]]
    return found


def versions_on(path: str, page: TestResponse) -> list[int]:
    """Return the versions of what stands on a page."""
    return [item["version"] for item in items_on(path, page)]


@Every
def test_pages_lead_on_and_back(played: Door, path: str) -> None:
    """Following `next` reads every version once, `prev` leads back; behind the head is nothing."""
    first = played.get(f"{path}?limit=2")
    second = played.get(links(first)["next"])
    third = played.get(links(second)["next"])
    behind = played.get(f"{path}?after=99")

    assert versions_on(path, first) == [1, 2]
    assert versions_on(path, second) == [3, 4]
    assert versions_on(path, third) == [5]
    assert versions_on(path, behind) == []
    assert "next" not in links(behind)
    if path != "states":
        assert versions_on(path, played.get(links(second)["prev"])) == [1, 2]


@Every
def test_a_page_is_as_long_as_the_server_allows(redis_url: str, tmp_path: Path, path: str) -> None:
    """Whoever asks for more is led on, and lines hold what all pages hold."""
    match = opened(door_maker(redis_url, tmp_path)(PAGE_MAX="10", ALLOW_SEED="true"), "firenze")
    moved(match, 11)

    first = match.get(f"{path}?limit=500", "seat:1")
    second = match.get(links(first)["next"], "seat:1")
    as_lines = match.get(path, "seat:1", headers={"Accept": NDJSON})

    assert versions_on(path, first) == [*range(1, 11)]
    assert versions_on(path, second) == [11, 12]
    assert as_lines.mimetype == NDJSON
    assert links(as_lines) == {}
    assert [loads(line) for line in as_lines.text.splitlines()] == [
        *items_on(path, first),
        *items_on(path, second),
    ]


@Every
def test_each_form_has_an_etag_of_its_own(played: Door, path: str) -> None:
    """Who holds one form and wants another is sent it; caches are told what decides."""
    for held_form in FORMS[path]:
        held = played.get(path, headers={"Accept": held_form})
        assert held.headers["Vary"].startswith("Authorization, Accept, Accept-Encoding")

        for wanted in FORMS[path]:
            headers = {"Accept": wanted, "If-None-Match": tag(held)}
            expected = 304 if wanted == held_form else 200
            assert played.get(path, headers=headers).status_code == expected


@Every
def test_head_tells_the_headers_alone(played: Door, path: str) -> None:
    """HEAD is answered as GET, without a body, and takes no place among the long answers."""
    for form in FORMS[path]:
        got = played.get(path, headers={"Accept": form})
        for _ in range(played.services.stream_limit.each + 1):
            head = played.ask("HEAD", path, headers={"Accept": form})
            assert (head.status_code, head.data) == (200, b"")
        for name in ("ETag", "Vary", "Cache-Control", "Content-Type"):
            assert head.headers[name] == got.headers[name]


@Every
def test_whoever_takes_anything_gets_json(match: Door, path: str) -> None:
    """Programs that say nothing special get a page."""
    for accept in ("*/*", JSON, "text/html, */*;q=0.8"):
        assert match.get(path, headers={"Accept": accept}).mimetype == JSON


# Pages at their end, by whether they may be kept, and whether they are the same after a move.
PAGES: dict[str, tuple[str, bool]] = {
    "commits-full": ("commits?limit=3", True),
    "commits-to-a-version": ("commits?to=4", True),
    "commits-of-a-span": ("commits?from=2&to=5", True),
    "commits-of-a-seat-full": ("commits?actor=seat:0&limit=1", True),
    "commits-of-the-house": ("commits?actor=house&to=4", True),
    "commits-to-the-head": ("commits?from=2", False),
    "commits-to-come": ("commits?to=8", False),
    "commits-to-a-time-to-come": ("commits?to=2999-01-01T00:00:00Z", False),
    "commits-of-a-seat": ("commits?actor=seat:0", False),
    "commits-of-a-type": ("commits?type=disc_placed", False),
    "states-full": ("states?limit=3", True),
    "states-to-the-head": ("states?limit=9", False),
}


@pytest.mark.parametrize(("path", "lasts"), PAGES.values(), ids=PAGES)
def test_a_page_that_ends_in_the_past_is_kept_for_a_while(
    played: Door, path: str, lasts: bool
) -> None:
    """It never changes, whatever is done in the match; one that ends with the head does."""
    page = played.get(path)
    moved(played, 1)
    again = played.get(path, headers={"If-None-Match": tag(page)})

    assert ("max-age=3600" in page.headers["Cache-Control"]) == lasts
    assert again.status_code == (304 if lasts else 200)
