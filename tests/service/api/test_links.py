"""Under a path of its own (GIORNALE_PATH_PREFIX) every URL in an answer leads back under it."""

import re

import pytest
from werkzeug.test import TestResponse

from service.ops.cli.sources import keys_of
from tests.service.api.conftest import THREE, Door, Make, json, links

PREFIX = "/games/giornale"


@pytest.fixture
def mounted(make_door: Make) -> Door:
    """A door behind a proxy that passes the path on as it is."""
    return make_door(PATH_PREFIX=PREFIX)


def open_match(mounted: Door) -> TestResponse:
    """Open a match under the prefix."""
    return mounted.post(f"{PREFIX}/v1/matches", {"game": "calimala", "seats": THREE})


def test_only_paths_under_the_prefix_are_served(mounted: Door) -> None:
    """Other paths get a problem whose type is under the prefix. Probes are answered on all paths.

    The root is the lobby, also without the last slash, and knows its prefix. The contract's paths
    are unchanged, its server is the prefix, and no URL of an example leads outside.
    """
    assert mounted.get(f"{PREFIX}/v1/games").status_code == 200

    for path in ("/", "/v1/games", f"{PREFIX}x/v1/games", f"/x{PREFIX}/v1/games", "/docs"):
        outside = mounted.get(path)
        assert outside.status_code == 404
        assert json(outside)["type"] == f"{PREFIX}/problems/not-found"

    for probe in ("/livez", "/readyz", "/metrics"):
        without = mounted.get(probe).status_code
        assert without != 404
        assert mounted.get(PREFIX + probe).status_code == without

    for path in (PREFIX, f"{PREFIX}/"):
        lobby = mounted.get(path)

        assert lobby.status_code == 200
        assert f'data-home="{PREFIX}" data-page="lobby"' in lobby.text

    answer = mounted.get(f"{PREFIX}/openapi.json")

    assert json(answer)["servers"] == [{"url": PREFIX}]
    assert "/v1/matches" in json(answer)["paths"]
    assert f'"{PREFIX}/v1/' in answer.text
    values = re.findall(r'":"(<?/[^"]*)"', answer.text)
    assert [value for value in values if re.match(r"<?/(v1|problems|rules)/", value)] == []


def test_links_in_answers_lead_back(mounted: Door) -> None:
    """Location, Link and the links in problems and games are under the prefix."""
    open_match(mounted)
    opened = open_match(mounted)
    where = opened.headers["Location"]
    mounted.tokens = json(opened)["tokens"]
    move = json(mounted.get(f"{where}/moves", "seat:0"))["moves"][0]
    answer = mounted.post(f"{where}/moves", move, "seat:0")
    in_the_past = {"If-Match": '"1"'}
    wrong_move = {"type": "take_action_card", "card": "wood"}

    first_page = mounted.get(f"{PREFIX}/v1/matches?limit=1")
    stale = json(mounted.post(f"{where}/moves", wrong_move, "seat:1", headers=in_the_past))
    illegal = json(mounted.post(f"{where}/moves", wrong_move, "seat:1"))
    game = json(mounted.get(f"{PREFIX}/v1/games/calimala"))

    urls = [
        where,
        answer.headers["Location"],
        links(first_page)["next"],
        stale["type"],
        stale["commits_url"],
        illegal["rule_url"],
        illegal["legal_moves"],
        game["rules_url"],
    ]
    for url in urls:
        page, _, _rule = url.partition("#")
        assert url.startswith(f"{PREFIX}/")
        assert mounted.get(page).status_code == 200, url


@pytest.mark.whole
@pytest.mark.parametrize("path", ["/docs", "/problems", "/problems/stale-version", "/rules/match"])
def test_pages_link_to_pages_that_are_there(mounted: Door, path: str) -> None:
    """Each link of a page leads to an existing page under the prefix."""
    page = mounted.get(PREFIX + path).text

    targets = set(re.findall('href="([^"#]+)', page))
    assert targets
    for link in targets:
        assert link.startswith(PREFIX)
        assert mounted.get(link).status_code == 200


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("http://h/v1/matches/abc", "http://h/v1/keys"),
        (f"http://h{PREFIX}/v1/matches/abc", f"http://h{PREFIX}/v1/keys"),
        ("http://h/", "http://h/v1/keys"),
    ],
)
def test_keys_are_looked_for_under_the_prefix(
    where: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`giornale verify` of a match under a prefix finds the keys of that server."""
    fetched = []

    def fetch(url: str, _token: str | None, _most: int) -> bytes:
        fetched.append(url)
        return b'{"keys": []}'

    monkeypatch.setattr("service.ops.cli.sources._fetch", fetch)
    keys_of(where)

    assert fetched == [expected]
