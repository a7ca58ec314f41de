"""Under a path of its own (GIORNALE_PATH_PREFIX) every URL that is told leads back under it."""

import re
from pathlib import Path
from typing import Any

import pytest

from service.api.app import create_app
from service.cli.sources import keys_of
from service.config import Config
from tests.service.api.conftest import THREE, Door, json

PREFIX = "/games/giornale"


@pytest.fixture
def mounted(redis_url: str, tmp_path: Path) -> Door:
    """A door behind a proxy that passes the path on as it is."""
    settings = {
        "JOURNAL_URL": redis_url,
        "DATA": str(tmp_path),
        "PARTITIONS": "4",
        "PATH_PREFIX": PREFIX,
    }
    app = create_app(Config.load({f"GIORNALE_{name}": value for name, value in settings.items()}))
    return Door(app.test_client(), app.extensions["desk"])


def test_only_what_lies_under_the_prefix_is_served(mounted: Door) -> None:
    """Outside nothing is but a problem that leads inside; probes are answered under both."""
    assert mounted.get(f"{PREFIX}/v1/games").status_code == 200
    for path in ("/", "/v1/games", f"{PREFIX}x/v1/games", f"/x{PREFIX}/v1/games", "/docs"):
        outside = mounted.get(path)
        assert (outside.status_code, json(outside)["type"]) == (404, f"{PREFIX}/problems/not-found")
    for probe in ("/livez", "/readyz", "/metrics"):
        assert mounted.get(probe).status_code == mounted.get(PREFIX + probe).status_code != 404


def test_what_is_answered_leads_back(mounted: Door) -> None:
    """Location, Link and the links of problems can be followed as they are."""
    body = {"game": "calimala", "seats": THREE}
    opened = mounted.post(f"{PREFIX}/v1/matches", body)
    where = opened.headers["Location"]
    mounted.tokens = json(opened)["tokens"]
    assert mounted.get(where).status_code == 200

    move = json(mounted.get(f"{where}/moves", "seat:0"))["moves"][0]
    made = mounted.post(f"{where}/moves", move, "seat:0")
    assert mounted.get(made.headers["Location"]).status_code == 200

    stale = json(mounted.post(f"{where}/moves", move, "seat:1", headers={"If-Match": '"1"'}))
    illegal = json(
        mounted.post(f"{where}/moves", {"type": "take_action_card", "card": "wood"}, "seat:1")
    )
    rules = json(mounted.get(f"{PREFIX}/v1/games/calimala"))["rules_url"]
    for url in (
        stale["type"],
        stale["commits_url"],
        illegal["rule_url"],
        illegal["legal_moves"],
        rules,
    ):
        assert url.startswith(f"{PREFIX}/")
        assert mounted.get(url.partition("#")[0]).status_code == 200

    mounted.post(f"{PREFIX}/v1/matches", body)
    link = mounted.get(f"{PREFIX}/v1/matches?limit=1").headers["Link"]
    [following] = re.findall("<([^>]+)>", link)
    assert mounted.get(following).status_code == 200
    assert mounted.get(f"{PREFIX}/").headers["Location"] == f"{PREFIX}/docs"


@pytest.mark.parametrize("path", ["/docs", "/problems", "/problems/stale-version", "/rules/match"])
def test_pages_link_to_pages_that_are_there(mounted: Door, path: str) -> None:
    """No link of a page leads outside the prefix or into the void."""
    page = mounted.get(PREFIX + path).text
    links = {link for link in re.findall('href="([^"#]+)', page) if link}
    assert links
    for link in links:
        assert link.startswith(PREFIX)
        assert mounted.get(link).status_code == 200


def test_the_contract_says_where_it_is_served(mounted: Door) -> None:
    """Its paths are as ever, its server is the prefix, and its examples show URLs as they are answered."""
    contract = json(mounted.get(f"{PREFIX}/openapi.json"))
    assert contract["servers"] == [{"url": PREFIX}]
    assert "/v1/matches" in contract["paths"]
    outside = [text for text in strings(contract) if re.match(r"<?/(v1|problems|rules)/", text)]
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

    def fetch(url: str, _token: str | None) -> bytes:
        fetched.append(url)
        return b'{"keys": []}'

    monkeypatch.setattr("service.cli.sources._fetch", fetch)
    keys_of(where)
    assert fetched == [asked]


def strings(value: Any) -> list[str]:
    """Return every string among the values of a JSON value; names are none."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in strings(inner)]
    return [value] if isinstance(value, str) else []
