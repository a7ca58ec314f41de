"""A new game over HTTP: the output of `make new-game` is all that the service needs to know it."""

import re
from collections.abc import Iterator
from pathlib import Path

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

# That the guide's game is right is tested in tests/scaffold. This goes all the way, and takes long.
pytestmark = pytest.mark.whole


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


def test_a_match_of_it_is_played_seen_and_verified(
    checkout: Checkout, service: RunningService, tmp_path: Path
) -> None:
    """One chain of commits by all actors, a state after each, and a record that proves them.

    From the server and from a file every commit is decided again. A changed one is found.
    """
    with client(service) as anyone:
        opened = anyone.post("/v1/matches", json={"game": "zecca", "seats": SEATS})
        assert opened.status_code == httpx.codes.CREATED, opened.text
        match = opened.json()["match"]
        with client(service, opened.json()["tokens"]["seat:0"]) as me:
            assert play(me, match) > 0
        ended = to_end(anyone, match)
        commits = history(anyone, match)
        states = [state_at(anyone, match, commit["version"])["state"] for commit in commits]
        record = anyone.get(f"/v1/matches/{match}/record").text

    assert is_one_chain(commits)
    seats = [f"seat:{seat}" for seat in range(3)]
    assert {commit["actor"] for commit in commits} == {"owner", "house", *seats}
    heaps = [view["heap"] for view in states]
    assert (heaps[0], heaps[-1]) == (FLORINS, 0)
    assert heaps == sorted(heaps, reverse=True)
    assert states[-1]["ranks"] == ended["outcome"]["ranks"]

    true, forged = tmp_path / "zecca.ndjson", tmp_path / "forged.ndjson"
    true.write_text(record)
    forged.write_text(re.sub(r'"florins":[123]([,}])', r'"florins":0\1', record, count=1))
    right = {f"{service.url}/v1/matches/{match}": 0, str(true): 0, str(forged): 1}
    for source, exit_code in right.items():
        completed = checkout.python("-m", "workers.giornale", "verify", "--strict", source)
        assert completed.returncode == exit_code, completed.stdout + completed.stderr


def test_rules_and_contract_know_it(service: RunningService) -> None:
    """A refusal names its rule, and the rule stands on its page. The contract has its sentences."""
    seats = [{"kind": "human"}, {"kind": "human"}]
    with client(service) as anyone:
        opened = anyone.post("/v1/matches", json={"game": "zecca", "seats": seats}).json()
        with client(service, opened["tokens"]["seat:0"]) as me:
            wait_for_turn(me, opened["match"])
            move = {"type": "take", "florins": 4}
            refused = me.post(f"/v1/matches/{opened['match']}/moves", json=move).json()
        rules = anyone.get("/rules/zecca").text
        schemas = anyone.get("/openapi.json").json()["components"]["schemas"]
        games = [game["key"] for game in anyone.get("/v1/games").json()["games"]]

    assert (refused["code"], refused["rule"]) == ("wrong_number_of_florins", "Z6")
    assert 'id="Z6"' in rules

    assert "zecca" in games
    assert {"ZeccaState", "ZeccaTakeMove", "Zecca1Event", "Zecca1FlorinsTaken"} <= schemas.keys()
    assert schemas["ZeccaSeal"]["enum"] == ["lily", "lion", "crown"]
    heap = schemas["ZeccaView"]["properties"]["heap"]
    assert heap["description"] == "How many florins are left (Z2)."
