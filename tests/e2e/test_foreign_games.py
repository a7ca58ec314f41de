"""Games of other distributions: found by their entry points, and played like the published ones."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from giornale_client import Client
from tests.running import COMMAND, RunningService, running_service, until

ROOT = Path(__file__).parents[2]
MODULE = """\
from dataclasses import replace

from tests.toy import TOY

RULEBOOK = "# Toy: the rules, numbered\\n\\n- T1 The house deals every seat a card.\\n"
FOR_PLAYERS = "# Toy\\n\\nEach seat keeps or swaps its card.\\n"
GAME = replace(TOY, rulebook=RULEBOOK, for_players=FOR_PLAYERS)
"""


def install(site: Path, name: str, module: str, **entry_points: str) -> None:
    """Write a distribution into a directory for packages, as pip would."""
    metadata = site / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{key} = {value}" for key, value in entry_points.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[giornale.games]", *lines, ""]))
    (site / f"{name}.py").write_text(module)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a distribution of the toy, and one of a game that cannot be loaded."""
    directory = tmp_path_factory.mktemp("site")
    install(directory, "outside_toy", MODULE, toy="outside_toy:GAME")
    install(directory, "outside_broken", "raise OSError('no cards')", broken="outside_broken:GAME")
    return directory


@pytest.fixture(scope="module")
def path(site: Path) -> str:
    """The value of PYTHONPATH with both distributions."""
    return os.pathsep.join([str(site), str(ROOT)])


@pytest.fixture(scope="module")
def foreign(path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with both distributions."""
    directory = tmp_path_factory.mktemp("foreign")
    with running_service(directory / "var", PYTHONPATH=path) as running:
        yield running


def giornale(path: str, *arguments: str) -> tuple[int, str]:
    """Return the exit code and the output of a command with both distributions."""
    environment = os.environ | {"PYTHONPATH": path}
    completed = subprocess.run(
        [*COMMAND, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return completed.returncode, completed.stdout + completed.stderr


def page(url: str) -> str:
    """Return a page of the service."""
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310
        text: str = answer.read().decode()
    return text


def problem(service: RunningService, path: str, body: Any = None) -> tuple[int, str]:
    """Return the status and the type of a problem, without its place."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        service.ask(path, body)
    with refused.value as answer:
        kind: str = json.load(answer)["type"]
    return refused.value.code, kind.rpartition("/")[2]


def test_games_are_listed_with_their_origin(path: str) -> None:
    """A game that cannot be loaded has its reason, and the exit code tells."""
    exit_code, output = giornale(path, "games")

    assert exit_code == 1
    rows = [" ".join(line.split()) for line in output.splitlines()]
    assert rows[0].startswith("calimala/1 Calimala 3 to 5 seats giornale")
    assert rows[2] == "toy/1 Toy 2 to 4 seats outside_toy 1.0"
    assert rows[3].startswith("broken cannot be loaded outside_broken 1.0 outside_broken:GAME")
    assert "no cards" in rows[3]


def test_the_list_of_games_is_also_json(path: str) -> None:
    """One object a line."""
    _, output = giornale(path, "games", "--json")

    listed = [json.loads(line) for line in output.splitlines()]
    assert [one["rules"] for one in listed] == ["calimala/1", "firenze/1", "toy/1", "broken"]
    assert [bool(one["fault"]) for one in listed] == [False, False, False, True]


def test_a_foreign_game_is_played_and_verified(
    foreign: RunningService, path: str, tmp_path: Path
) -> None:
    """Bots play it to its end. Its record is right, and its story has all events."""
    with Client(foreign.url) as client:
        match = client.open("toy", ["bot:greedy", "bot:random"]).owner
        until(lambda: match.document()["status"] == "ended", "the end of the match")
    record = tmp_path / "toy.ndjson"
    record.write_text(page(f"{foreign.url}/v1/matches/{match.id}/record"))

    assert giornale(path, "verify", str(record))[0] == 0
    assert "The coin" in giornale(path, "story", str(record))[1]
    assert giornale(path, "replay-test", str(record))[1].startswith("toy/1: 1 matches")


def test_a_foreign_game_has_its_rules_and_its_contract(foreign: RunningService) -> None:
    """The page shows the rules of its distribution. The contract describes its moves."""
    assert "Each seat keeps or swaps its card." in page(f"{foreign.url}/rules/toy")
    assert 'id="T1"' in page(f"{foreign.url}/rules/toy")
    assert 'href="/rules/toy"' in page(f"{foreign.url}/rules")
    contract = json.loads(page(f"{foreign.url}/openapi.json"))
    assert {"ToyView", "ToyMove"} <= contract["components"]["schemas"].keys()


def test_a_game_that_cannot_be_loaded_is_named(foreign: RunningService) -> None:
    """At the start and in readiness, without its reason. The service is ready all the same."""
    ready = foreign.ask("/readyz?verbose=true")

    sentence = "games that cannot be loaded: broken. `giornale games` tells why"
    assert ready["status"] == "ok"
    assert ready["warnings"]["rules"] == sentence
    assert any(sentence in line for line in foreign.lines)
    assert problem(foreign, "/v1/matches", {"game": "broken", "seats": ["bot:random"] * 2}) == (
        422,
        "invalid-request",
    )


def test_matches_of_a_removed_game_stay_readable(path: str, tmp_path: Path) -> None:
    """Without its distribution they are refused with 409, and go on once it is back."""
    directory = tmp_path / "var"
    with running_service(directory, PYTHONPATH=path) as service, Client(service.url) as client:
        seat = client.open("toy", ["human", "bot:random"]).seat(0)
        until(lambda: seat.moves(), "the first move")

    with running_service(directory) as service:
        assert problem(service, f"/v1/matches/{seat.id}") == (409, "rules-unknown")
        assert "toy/1" in service.ask("/readyz?verbose=true")["warnings"]["rules"]

    with running_service(directory, PYTHONPATH=path) as service:
        assert service.ask(f"/v1/matches/{seat.id}")["status"] == "running"
