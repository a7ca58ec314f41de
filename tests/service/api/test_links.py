"""Under a path of its own (GIORNALE_PATH_PREFIX) every URL that is told leads back under it."""

import re
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.cli.sources import keys_of
from tests.service.api.conftest import THREE, Door, door_maker, json

PREFIX = "/games/giornale"


@pytest.fixture
def mounted(redis_url: str, tmp_path: Path) -> Door:
    """A door behind a proxy that passes the path on as it is."""
    return door_maker(redis_url, tmp_path)(PATH_PREFIX=PREFIX)


def open_match(mounted: Door) -> TestResponse:
    """Open a match under the prefix."""
    return mounted.post(f"{PREFIX}/v1/matches", {"game": "calimala", "seats": THREE})


def test_only_what_lies_under_the_prefix_is_served(mounted: Door) -> None:
    """Outside nothing is but a problem that leads inside; probes are answered under both."""
    assert mounted.get(f"{PREFIX}/v1/games").status_code == 200

    for path in ("/", "/v1/games", f"{PREFIX}x/v1/games", f"/x{PREFIX}/v1/games", "/docs"):
        outside = mounted.get(path)
        assert outside.status_code == 404
        assert json(outside)["type"] == f"{PREFIX}/problems/not-found"

    for probe in ("/livez", "/readyz", "/metrics"):
        without = mounted.get(probe).status_code
        assert without != 404
        assert mounted.get(PREFIX + probe).status_code == without


def make_first_move(mounted: Door) -> str:
    """Open a match and let seat 0 make its first move; return where the match is."""
    opened = open_match(mounted)
    mounted.tokens = json(opened)["tokens"]

    where = opened.headers["Location"]
    move = json(mounted.get(f"{where}/moves", "seat:0"))["moves"][0]
    mounted.post(f"{where}/moves", move, "seat:0")
    return where


def test_where_a_match_and_a_commit_are_leads_back(mounted: Door) -> None:
    """Location can be followed as it is."""
    opened = open_match(mounted)
    where = opened.headers["Location"]
    mounted.tokens = json(opened)["tokens"]
    assert mounted.get(where).status_code == 200

    move = json(mounted.get(f"{where}/moves", "seat:0"))["moves"][0]
    made = mounted.post(f"{where}/moves", move, "seat:0")
    commit = mounted.get(made.headers["Location"])
    assert commit.status_code == 200


def test_what_a_problem_and_a_game_link_to_leads_back(mounted: Door) -> None:
    """Pages of problems and rules, commits since, legal moves."""
    where = make_first_move(mounted)
    in_the_past = {"If-Match": '"1"'}
    wrong_move = {"type": "take_action_card", "card": "wood"}

    stale = json(mounted.post(f"{where}/moves", wrong_move, "seat:1", headers=in_the_past))
    illegal = json(mounted.post(f"{where}/moves", wrong_move, "seat:1"))
    game = json(mounted.get(f"{PREFIX}/v1/games/calimala"))

    urls = [
        stale["type"],
        stale["commits_url"],
        illegal["rule_url"],
        illegal["legal_moves"],
        game["rules_url"],
    ]
    for url in urls:
        page, _, _rule = url.partition("#")
        assert url.startswith(f"{PREFIX}/")
        assert mounted.get(page).status_code == 200


def test_the_next_page_leads_back(mounted: Door) -> None:
    """Link can be followed as it is."""
    open_match(mounted)
    open_match(mounted)

    first_page = mounted.get(f"{PREFIX}/v1/matches?limit=1")

    [next_page] = re.findall("<([^>]+)>", first_page.headers["Link"])
    assert mounted.get(next_page).status_code == 200


def test_the_root_is_the_lobby(mounted: Door) -> None:
    """It is found under the prefix, also without the last slash, and knows where it is."""
    for path in (PREFIX, f"{PREFIX}/"):
        lobby = mounted.get(path)

        assert lobby.status_code == 200
        assert f'data-home="{PREFIX}" data-page="lobby"' in lobby.text


@pytest.mark.parametrize("path", ["/docs", "/problems", "/problems/stale-version", "/rules/match"])
def test_pages_link_to_pages_that_are_there(mounted: Door, path: str) -> None:
    """No link of a page leads outside the prefix or into the void."""
    page = mounted.get(PREFIX + path).text

    links = set(re.findall('href="([^"#]+)', page))
    assert links
    for link in links:
        assert link.startswith(PREFIX)
        assert mounted.get(link).status_code == 200


def test_the_contract_says_where_it_is_served(mounted: Door) -> None:
    """Its paths are as ever, its server is the prefix."""
    contract = json(mounted.get(f"{PREFIX}/openapi.json"))

    assert contract["servers"] == [{"url": PREFIX}]
    assert "/v1/matches" in contract["paths"]


def test_the_examples_of_the_contract_show_urls_with_the_prefix(mounted: Door) -> None:
    """None of them leads outside."""
    contract = json(mounted.get(f"{PREFIX}/openapi.json"))

    texts = strings(contract)
    inside = [text for text in texts if text.startswith(f"{PREFIX}/v1/")]
    outside = [text for text in texts if re.match(r"<?/(v1|problems|rules)/", text)]
    assert inside
    assert outside == []


@pytest.mark.parametrize(
    ("where", "asked"),
    [
        ("http://h/v1/matches/abc", "http://h/v1/keys"),
        (f"http://h{PREFIX}/v1/matches/abc", f"http://h{PREFIX}/v1/keys"),
        ("http://h/", "http://h/v1/keys"),
    ],
)
def test_keys_are_looked_for_under_the_prefix(
    where: str, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`giornale verify` of a match under a prefix finds the keys of that server."""
    fetched = []

    def fetch(url: str, _token: str | None, _most: int) -> bytes:
        fetched.append(url)
        return b'{"keys": []}'

    monkeypatch.setattr("service.cli.sources._fetch", fetch)
    keys_of(where)

    assert fetched == [asked]


def strings(value: Any) -> list[str]:
    """Return every string among the values of a JSON value; names are none."""
    if isinstance(value, str):
        return [value]

    inner_values: list[Any] = []
    if isinstance(value, dict):
        inner_values = list(value.values())
    elif isinstance(value, list):
        inner_values = value

    texts = []
    for inner in inner_values:
        texts += strings(inner)
    return texts
