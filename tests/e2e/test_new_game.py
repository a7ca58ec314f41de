"""A new game over HTTP: what `make new-game` writes is all that the service needs to know it."""

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

SEATS = [
    {"kind": "human", "name": "Ann"},
    {"kind": "bot", "level": "greedy"},
    {"kind": "bot", "level": "random"},
]
FLORINS = 20


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the repository with the guide's game, and the contract that follows from it."""
    if (ROOT / "domain/zecca").exists():
        pytest.skip("the guide's own game is in the repository already")
    copy = Checkout(tmp_path_factory.mktemp("zecca") / "copy")
    written = copy.python("-m", "scaffold", "zecca")
    assert written.returncode == 0, written.stderr

    before = copy.files()
    generated = copy.python("-m", "tests.service.api.recording")
    assert generated.returncode == 0, generated.stderr
    assert changes(before, copy.files()) == {"openapi.yaml", "service/api/examples.json"}
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
    """A match of the new game that a person has played against two bots, to its end."""
    with client(service) as anyone:
        opened = anyone.post("/v1/matches", json={"game": "zecca", "seats": SEATS})
        assert opened.status_code == httpx.codes.CREATED, opened.text

        match = opened.json()["id"]
        with client(service, opened.json()["tokens"]["seat:0"]) as me:
            moves_made = play(me, match)
        return {**to_end(anyone, match), "moves_made": moves_made}


def test_its_history_is_whole_and_every_version_can_be_seen(
    service: RunningService, ended: dict[str, Any]
) -> None:
    """One chain of commits by all who acted, and a state after each from the start on."""
    match = ended["id"]
    with client(service) as anyone:
        commits = history(anyone, match)
        states = [state_at(anyone, match, commit["version"])["state"] for commit in commits]

    assert ended["moves_made"] > 0
    assert is_one_chain(commits)
    seats = [f"seat:{seat}" for seat in range(3)]
    assert {commit["actor"] for commit in commits} == {"owner", "house", *seats}

    heaps = [shown["heap"] for shown in states]
    assert (heaps[0], heaps[-1]) == (FLORINS, 0)
    assert heaps == sorted(heaps, reverse=True)
    assert states[-1]["ranks"] == ended["outcome"]["ranks"]


def test_its_record_is_verified(
    checkout: Checkout, service: RunningService, ended: dict[str, Any], tmp_path: Path
) -> None:
    """From the server and from a file every commit is decided again; a changed one is found."""
    url = f"{service.url}/v1/matches/{ended['id']}"
    record = httpx.get(f"{url}/record", trust_env=False).text
    true, forged = tmp_path / "zecca.ndjson", tmp_path / "forged.ndjson"
    true.write_text(record)
    forged.write_text(re.sub(r'"florins":[123]([,}])', r'"florins":0\1', record, count=1))

    for source in (url, str(true)):
        done = checkout.python("-m", "service.cli", "verify", "--strict", source)
        assert done.returncode == 0, done.stdout + done.stderr

    done = checkout.python("-m", "service.cli", "verify", str(forged))
    assert done.returncode == 1, done.stdout + done.stderr


def test_a_refusal_names_its_rule_and_leads_to_it(service: RunningService) -> None:
    """Rule Z6 of Zecca, on the page that lies in docs/rules."""
    seats = [{"kind": "human"}, {"kind": "human"}]
    with client(service) as anyone:
        opened = anyone.post("/v1/matches", json={"game": "zecca", "seats": seats}).json()
        match = opened["id"]
        with client(service, opened["tokens"]["seat:0"]) as me:
            wait_for_turn(me, match)
            move = {"type": "take", "florins": 4}
            refused = me.post(f"/v1/matches/{match}/moves", json=move).json()
        rules = anyone.get("/rules/zecca").text

    assert (refused["code"], refused["rule"]) == ("wrong_number_of_florins", "Z6")
    assert 'id="Z6"' in rules


def test_the_contract_lists_its_state_its_moves_and_its_events(service: RunningService) -> None:
    """The document that is served has them, with the sentences of the game."""
    with client(service) as anyone:
        schemas = anyone.get("/openapi.json").json()["components"]["schemas"]
        games = [game["key"] for game in anyone.get("/v1/games").json()["games"]]

    assert "zecca" in games
    assert {
        "ZeccaState",
        "ZeccaMove",
        "ZeccaTakeMove",
        "Zecca1Event",
        "Zecca1FlorinsTaken",
    } <= schemas.keys()
    assert schemas["ZeccaSeal"]["enum"] == ["lily", "lion", "crown"]
    heap = schemas["ZeccaView"]["properties"]["heap"]
    assert heap["description"] == "How many florins are left (Z2)."
