"""Files for crawlers and reporters, and the heads of all pages."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.service.api.conftest import Make, problem

PAGES = (
    "/",
    "/ladder",
    "/players/" + 64 * "a",
    "/matches/abcdefghijklmnopqrstuvwxyz",
    "/matches/abcdefghijklmnopqrstuvwxyz/audit",
    "/docs",
    "/docs/matches",
    "/docs/schemas",
    "/problems",
    "/problems/stale-version",
    "/rules",
    "/rules/calimala",
)
HEAD = re.compile(r'<title>([^<]+)</title>\n<meta name="description" content="([^"]+)">')


@pytest.mark.parametrize("path", PAGES)
def test_each_page_has_a_title_and_a_description(make_door: Make, path: str) -> None:
    """Search engines and previews of links show both."""
    [(title, description)] = HEAD.findall(make_door().get(path).text)
    assert len(title) <= 70
    assert 20 <= len(description) <= 320
    assert description.endswith(".")


def test_reporters_find_the_contact_of_the_operator(make_door: Make) -> None:
    """The file is valid for less than a year (RFC 9116, section 2.5.5)."""
    answer = make_door(SECURITY_CONTACT="mailto:security@example.org").get(
        "/.well-known/security.txt"
    )
    assert answer.mimetype == "text/plain"
    contact, expires = answer.text.splitlines()
    assert contact == "Contact: mailto:security@example.org"

    end = datetime.fromisoformat(expires.removeprefix("Expires: "))
    now = datetime.now(UTC)
    assert now + timedelta(days=30) < end < now + timedelta(days=365)


def test_a_server_without_a_contact_has_no_file(make_door: Make) -> None:
    """An empty file would be wrong: the field Contact is required."""
    assert problem(make_door().get("/.well-known/security.txt")) == (404, "not-found")
