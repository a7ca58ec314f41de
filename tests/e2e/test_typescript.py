"""A strict TypeScript client, typed by openapi.yaml alone, plays a whole match of each game."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.e2e.playing import LONG_GAMES
from tests.running import RunningService

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "tests/contract"
CLIENTS = ROOT / "docs/clients.md"
TOOLS = CLIENT / "node_modules/.bin"
NODE = Path(sys.executable).with_name("node")
TIMEOUT_SECONDS = 300
RANDOM_BOT = {"kind": "bot", "level": "random"}


def run(*command: str | Path) -> str:
    """Return what a program of Node's prints; fail if it fails."""
    path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in command],
        env=os.environ | {"PATH": path},
        timeout=TIMEOUT_SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, with types generated of the contract, compiled without a complaint."""
    if not TOOLS.is_dir() and not os.environ.get("CI"):
        advice = "`make test` installs them into tests/contract/node_modules"
        pytest.skip(f"Node's packages are not installed; {advice}")

    directory = tmp_path_factory.mktemp("typescript")
    for name in ("play.ts", "tsconfig.json", "package.json"):
        shutil.copy(CLIENT / name, directory)
    (directory / "node_modules").symlink_to(CLIENT / "node_modules")

    # A module, since declarations (*.d.ts) are left unchecked, as libraries are.
    types = directory / "contract.ts"
    run(TOOLS / "openapi-typescript", ROOT / "openapi.yaml", "--output", types)
    (directory / "openings.ts").write_text(openings())
    run(TOOLS / "tsc", "--project", directory)
    return directory / "play.ts"


def openings() -> str:
    """Return a module of TypeScript with what opens a match of each game, typed by the contract."""
    bodies = [
        {
            "game": key,
            "seats": [{"kind": "open"}, *[RANDOM_BOT] * (game.seats[0] - 1)],
        }
        for key, game in GAMES.items()
    ]
    return (
        'import type { components } from "./contract.ts";\n'
        f'export const openings: components["schemas"]["OpenMatch"][] = {json.dumps(bodies)};\n'
    )


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_a_typed_client_plays_a_whole_match(
    program: Path, game: str, service: RunningService
) -> None:
    """It opens a match, joins it by name, plays against bots to the end and reads the history."""
    played = json.loads(run(NODE, program, service.url, game))

    assert played["status"] == "finished"
    assert played["made"] > (20 if game in LONG_GAMES else 0)
    assert len(played["points"]) == GAMES[game].seats[0]
    assert played["name"] == "Lorenzo"
    assert played["joined"] == 1
    assert played["commits"] > played["made"]
    assert len(played["reasons"]) == (1 if game == "firenze" else 0)


def test_the_client_takes_no_short_cut() -> None:
    """No cast, no `any`, nothing left unchecked: what compiles is what the contract says."""
    program = (CLIENT / "play.ts").read_text()
    for short_cut in (" as ", ": any", "<any>", "@ts-", "unknown"):
        assert short_cut not in program


@pytest.mark.whole
def test_the_smallest_program_compiles(program: Path) -> None:
    """That of docs/clients.md does, with the types that the generator makes by default."""
    [smallest] = re.findall(r"```ts\n(.*?)```", CLIENTS.read_text(encoding="utf-8"), re.DOTALL)
    directory = program.parent
    (directory / "giornale.ts").write_text((directory / "contract.ts").read_text())
    (directory / "smallest.ts").write_text(smallest)
    settings = json.loads((directory / "tsconfig.json").read_text()) | {"include": ["smallest.ts"]}
    (directory / "tsconfig.smallest.json").write_text(json.dumps(settings))
    run(TOOLS / "tsc", "--project", directory / "tsconfig.smallest.json")
