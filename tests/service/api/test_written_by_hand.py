"""Examples of answers written by hand look like answers of the running service."""

from typing import Any

import orjson
import pytest

from service.api.contract import examples
from service.record.tlog.proof import read_proof
from service.store.jobs.table import ADVICE, AUDITS
from tests import toy
from tests.service.api.conftest import (
    NDJSON,
    SETTINGS,
    Door,
    Make,
    json,
    opened,
    work,
)
from tests.service.api.recording import WRITTEN_BY_HAND
from tests.service.api.test_players import keep_up
from tests.service.api.test_records import sent
from tests.service.api.test_thoughts import HUMAN, QUICK, end, play
from tests.service.capabilities.players.test_use_cases import several
from tests.service.rated import put
from workers import bots
from workers.bots.players import Budget

FEW = Budget(iterations=8)


def differences(example: Any, real: Any, place: str = "") -> list[str]:
    """Return the places of an example with other members or types than a real value.

    Each item of a list must be like some real item. Null stands for anything.
    """
    if example is None or real is None:
        return []
    if isinstance(example, dict) and isinstance(real, dict):
        places = [f"{place}/{name}" for name in sorted(example.keys() ^ real.keys())]
        for name in example.keys() & real.keys():
            places += differences(example[name], real[name], f"{place}/{name}")
        return places
    if isinstance(example, list) and isinstance(real, list):
        assert real or not example, f"{place}: nothing real to compare with"
        by_item = [
            min((differences(one, other, place) for other in real), key=len) for one in example
        ]
        return [fault for faults in by_item for fault in faults]
    same = type(example) is type(real) or {type(example), type(real)} == {int, float}
    return [] if same else [f"{place}: {type(real).__name__}"]


def check(operation: str, part: str, real: Any) -> None:
    """Fail if an example by hand of an answer is unlike a real one."""
    for example in WRITTEN_BY_HAND[operation][part].values():
        assert differences(example, real) == [], operation


@pytest.mark.parametrize(
    ("example", "real", "expected"),
    [
        ({"a": 1}, {"a": 2}, []),
        ({"a": 1}, {"a": "1"}, ["/a: str"]),
        ({"a": 1}, {"b": 1}, ["/a", "/b"]),
        ([{"a": 1}], [{"b": 1}, {"a": 3}], []),
        ({"a": None}, {"a": {"b": 1}}, []),
    ],
)
def test_differences_are_found(example: Any, real: Any, expected: list[str]) -> None:
    assert differences(example, real) == expected


@pytest.fixture
def rated(make_door: Make, monkeypatch: pytest.MonkeyPatch) -> Door:
    """A service with rated matches, with an up-to-date log and ladders."""
    toy.install(monkeypatch)
    door = make_door(**SETTINGS, RATE_LIMIT="0")
    for lines in several():
        put(door.ctx, lines, {seat: f"Player {seat}" for seat in range(3)})
    opened(door, visibility="private")
    keep_up(door)
    return door


def test_those_of_the_service_and_its_log(rated: Door) -> None:
    check("getRoot", "200", json(rated.get("/v1")))
    check("listKeys", "200", json(rated.get("/v1/keys")))

    page = json(rated.get("/v1/commits"))
    check("listAllCommits", "200", page)
    [line] = WRITTEN_BY_HAND["listAllCommitLines"][NDJSON].values()
    lines = rated.get("/v1/commits.ndjson").data.splitlines()
    assert differences([orjson.loads(line)], list(map(orjson.loads, lines))) == []


def test_those_of_players(rated: Door) -> None:
    ladder = json(rated.get("/v1/ladder?game=toy"))
    check("getLadder", "200", ladder)

    [player, *_] = [one["player"] for one in ladder["players"] if one["name"]]
    content = json(rated.get(f"/v1/players/{player}"))
    check("getPlayer", "200", {**content, "matches": []})


def test_those_of_audits(ended: Door, as_worker: None) -> None:
    start = ended.post("audits", None)
    check("startAudit", "202", json(start))
    work(ended, AUDITS)
    check("getAudit", "200", json(ended.get(start.headers["Location"])))


def test_those_of_advice(door: Door, as_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    player, _usual = bots.LEVELS["strong"]
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "strong": (player, FEW)})
    opened(door, advice=True)
    who = f"seat:{door.waiting_seats()[0]}"

    check("startAdvice", "202", json(door.post("advice", None, who)))
    work(door, ADVICE)
    ready = json(door.get("advice", who))
    best = WRITTEN_BY_HAND["getAdvice"]["200"]["ready"]["best"]
    assert [sorted(one) for one in best] == [sorted(one) for one in ready["best"][:2]]
    check("getAdvice", "200", {**ready, "best": best})


def test_those_of_a_revealed_match(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    player, _usual = bots.LEVELS["quick"]
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "quick": (player, FEW)})
    opened(door, seats=[QUICK, QUICK, HUMAN])
    play(door)
    end(door)

    thoughts = json(door.get("thoughts"))
    [example] = WRITTEN_BY_HAND["listThoughts"]["200"].values()
    best = example["thoughts"][0]["best"]
    assert best[0].keys() == thoughts["thoughts"][0]["best"][0].keys()
    of_any_move = [{**one, "best": best} for one in thoughts["thoughts"]]
    check("listThoughts", "200", {**thoughts, "thoughts": of_any_move})

    curve = json(door.get("curve"))
    check("getCurve", "200", curve)


def test_those_of_proofs(rated: Door) -> None:
    [match, *_] = json(rated.get("/v1/matches"))["matches"]
    real = rated.get(f"/v1/matches/{match['match']}/proof?version=1")
    [example] = WRITTEN_BY_HAND["getProof"]["text/plain"].values()
    first_words = [line.partition(" ")[0] for line in example.splitlines()[:2]]
    assert [line.partition(" ")[0] for line in real.text.splitlines()[:2]] == first_words
    assert read_proof(example.encode()).position == 0


def test_those_of_imports(rated: Door) -> None:
    record = examples.recorded()["importRecord"]["request"]["record"].encode()
    for part in ("201", "200"):
        answer = sent(rated, record)
        assert answer.status_code == int(part), answer.text
        check("importRecord", part, json(answer))


def test_those_of_agents(door: Door) -> None:
    versions = {"io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": versions}}
    answer = door.post("/mcp", message, headers={"MCP-Protocol-Version": "1900-01-01"})
    assert answer.status_code == 400
    check("callTool", "400", json(answer))


def test_those_of_readiness(door: Door) -> None:
    """No worker runs here, so the answer has `checks`."""
    answer = door.get("/readyz")
    [example] = WRITTEN_BY_HAND["isReady"][str(answer.status_code)].values()
    assert example.keys() == json(answer).keys()
