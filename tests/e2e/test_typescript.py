"""A strict TypeScript client, typed by openapi.yaml alone, plays a whole match of each game."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.running import running_service

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests/contract"
TOOLS = HERE / "node_modules/.bin"
SECONDS = 120
NODE = str(Path(sys.executable).with_name("node"))


def run(*command: str | Path) -> str:
    """Return what a program of Node's says; fails if it does."""
    path = f"{Path(NODE).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(part) for part in command], env=os.environ | {"PATH": path}, timeout=SECONDS,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, with types that were generated of the contract, compiled without a complaint."""
    if not TOOLS.is_dir() and not os.environ.get("CI"):
        pytest.skip(
            "Node's packages are not installed; `make test` installs them into tests/contract/node_modules"
        )
    directory = tmp_path_factory.mktemp("typescript")
    for name in ("play.ts", "tsconfig.json", "package.json"):
        shutil.copy(HERE / name, directory)
    (directory / "node_modules").symlink_to(HERE / "node_modules")
    types = directory / "contract.d.ts"
    run(TOOLS / "openapi-typescript", ROOT / "openapi.yaml", "--output", types)
    run(TOOLS / "tsc", "--project", directory)
    return directory / "play.ts"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running house."""
    with running_service(tmp_path_factory.mktemp("house")) as running:
        yield running.url


@pytest.mark.parametrize("game", GAMES)
def test_a_typed_client_plays_a_whole_match(program: Path, game: str, url: str) -> None:
    """It opens a match, joins it by name, plays against bots to the end and reads the history in pages."""
    said = json.loads(run(NODE, program, url, game))
    assert said["status"] == "finished"
    assert said["made"] > 20
    assert len(said["points"]) == GAMES[game].seats[0]
    assert (said["name"], said["joined"]) == ("Lorenzo", 1)
    assert said["commits"] > said["made"]


def test_the_client_takes_no_short_cut() -> None:
    """No cast, no `any`, nothing that is told not to be looked at: what compiles is what the contract says."""
    program = (HERE / "play.ts").read_text()
    for short_cut in (" as ", ": any", "<any>", "@ts-", "unknown"):
        assert short_cut not in program
