"""A third game over HTTP: with its line in the registry alone the service knows all about it.

The commands and the lines are those of examples/ponte/README.md, in a copy of the repository.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.checkout import ROOT, Checkout, changes
from tests.e2e.playing import client, history, is_one_chain, to_end
from tests.e2e.test_whole_match import play, state_at, wait_for_turn
from tests.running import RunningService, running_service

README = (ROOT / "examples/ponte/README.md").read_text(encoding="utf-8")
REGISTRY = "domain/games.py"
GENERATED = {"openapi.yaml", "service/api/examples.json"}
COPIED = "docs/rules/ponte.md"

SEATS = [
    {"kind": "human", "name": "Ann"},
    {"kind": "bot", "level": "greedy"},
    {"kind": "bot", "level": "random"},
]


def block(language: str) -> list[str]:
    """Return the lines of the one block of the README in a language."""
    [text] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    lines: list[str] = text.split("\n")
    return [line for line in lines if line]


def register(checkout: Checkout) -> None:
    """Name the game in the registry, as the README says."""
    imports, example, released = block("python")
    path = checkout.root / REGISTRY
    text = path.read_text()

    assert imports in text
    after_its_imports = "from domain.game import Game\n"
    text = text.replace(after_its_imports, f"{after_its_imports}{example}\n")

    [released_today] = re.findall(r"^RELEASED: .*$", text, re.MULTILINE)
    path.write_text(text.replace(released_today, released))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy in which the README was followed: registered, rules copied, contract generated."""
    copy = Checkout(tmp_path_factory.mktemp("example") / "copy")
    before = copy.files()
    register(copy)

    copy_rules, make_openapi, make_serve = block("sh")
    assert (make_openapi, make_serve) == ("make openapi", "make serve")
    assert copy.run(*copy_rules.split()).returncode == 0
    generated = copy.python("-m", "tests.service.api.recording")
    assert generated.returncode == 0, generated.stderr

    assert changes(before, copy.files()) == {REGISTRY, COPIED} | GENERATED
    return copy


@pytest.fixture(scope="module")
def service(
    checkout: Checkout, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """The whole service, run from the copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(checkout.root)
        patch.setenv("PYTHONPATH", str(checkout.root))
        with running_service(tmp_path_factory.mktemp("data")) as started:
            yield started


@pytest.fixture(scope="module")
def ended(service: RunningService) -> dict[str, Any]:
    """A match of the example that a person has played against two bots, to its end."""
    with client(service) as anyone:
        opened = anyone.post("/v1/matches", json={"game": "ponte", "seats": SEATS})
        assert opened.status_code == httpx.codes.CREATED, opened.text

        match = opened.json()["id"]
        with client(service, opened.json()["tokens"]["seat:0"]) as me:
            moves_made = play(me, match)
        return {**to_end(anyone, match), "moves_made": moves_made}


def test_only_lines_of_the_registry_differ(checkout: Checkout) -> None:
    """One line is new, one has changed."""
    before = (ROOT / REGISTRY).read_text().splitlines()
    after = (checkout.root / REGISTRY).read_text().splitlines()
    new_lines = [line for line in after if line not in before]

    assert new_lines == block("python")[1:]
    assert len(after) == len(before) + 1


def test_a_person_and_two_bots_play_it_to_the_end(ended: dict[str, Any]) -> None:
    """Twenty-two stones are laid in turn, so seat 0 lays eight of them (P5, P6, P9)."""
    assert ended["moves_made"] == 8
    assert len(ended["outcome"]["points"]) == 3
    assert min(ended["outcome"]["ranks"]) == 1


def test_its_history_is_whole_and_every_version_can_be_seen(
    service: RunningService, ended: dict[str, Any]
) -> None:
    """One chain of commits by all who acted, and a state after each from the start on."""
    match = ended["id"]
    with client(service) as anyone:
        commits = history(anyone, match)
        states = [state_at(anyone, match, commit["version"]) for commit in commits]

    assert is_one_chain(commits)
    assert {commit["actor"] for commit in commits} == {
        "owner",
        "house",
        *[f"seat:{seat}" for seat in range(3)],
    }
    laid = [sum(map(len, shown["state"]["rows"].values())) for shown in states]
    assert laid == sorted(laid)
    assert laid[-1] == 24
    assert states[-1]["state"]["ranks"] == ended["outcome"]["ranks"]


def test_its_record_is_verified(
    checkout: Checkout, service: RunningService, ended: dict[str, Any], tmp_path: Path
) -> None:
    """From the server and from a file every commit is decided again, to the last draw."""
    url = f"{service.url}/v1/matches/{ended['id']}"
    file = tmp_path / "ponte.ndjson"
    file.write_bytes(httpx.get(f"{url}/record", trust_env=False).content)

    for source in (url, str(file)):
        done = checkout.python("-m", "service.cli", "verify", "--strict", source)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_record_is_not(
    checkout: Checkout, tmp_path: Path, ended: dict[str, Any], service: RunningService
) -> None:
    """Points that were not made are found."""
    url = f"{service.url}/v1/matches/{ended['id']}/record"
    record = httpx.get(url, trust_env=False).text
    file = tmp_path / "forged.ndjson"
    file.write_text(re.sub(r'"points":3', '"points":4', record, count=1))

    done = checkout.python("-m", "service.cli", "verify", str(file))
    assert done.returncode == 1, done.stdout + done.stderr


def test_a_refusal_names_its_rule_and_leads_to_it(
    service: RunningService, ended: dict[str, Any]
) -> None:
    """Rule P6 of Ponte, on the page that its rules were copied to."""
    seats = [{"kind": "human"}, {"kind": "human"}]
    move = {"type": "lay", "stone": 9, "bank": "left"}
    with client(service) as anyone:
        opened = anyone.post("/v1/matches", json={"game": "ponte", "seats": seats}).json()
        match = opened["id"]
        with client(service, opened["tokens"]["seat:0"]) as me:
            wait_for_turn(me, match)
            refused = me.post(f"/v1/matches/{match}/moves", json=move).json()
        rules = anyone.get("/rules/ponte").text

    assert (refused["code"], refused["rule"]) == ("stone_not_in_hand", "P6")
    assert 'id="P6"' in rules


def test_the_contract_lists_its_state_its_moves_and_its_events(service: RunningService) -> None:
    """The document that is served has them, with the sentences of the game."""
    with client(service) as anyone:
        schemas = anyone.get("/openapi.json").json()["components"]["schemas"]
        games = [game["key"] for game in anyone.get("/v1/games").json()["games"]]

    assert "ponte" in games
    assert {
        "PonteState",
        "PonteMove",
        "PonteLayMove",
        "Ponte1Event",
        "Ponte1StoneLaid",
    } <= schemas.keys()
    assert schemas["PonteBank"]["enum"] == ["left", "right"]
    yard = schemas["PonteView"]["properties"]["yard_size"]
    assert yard["description"] == "How many stones are in the yard."
