"""Strict TypeScript clients, generated of openapi.yaml alone, play whole matches of each game."""

import json
import re
import shutil
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.e2e.node import CLIENT, NODE, ROOT, TOOLS, need_packages, run
from tests.e2e.playing import LONG_GAMES
from tests.running import RunningService

CONTRACT = ROOT / "openapi.yaml"
CLIENTS = ROOT / "docs/guides/typed-clients.md"
RANDOM_BOT = {"kind": "bot", "level": "random"}


def directory_with(tmp_path_factory: pytest.TempPathFactory, *names: str) -> Path:
    """Return a new directory with files of the clients', and Node's packages."""
    need_packages()
    directory = tmp_path_factory.mktemp("typescript")
    for name in names:
        shutil.copy(CLIENT / name, directory)
    (directory / "node_modules").symlink_to(CLIENT / "node_modules")
    return directory


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, with types generated of the contract, compiled without a complaint."""
    directory = directory_with(tmp_path_factory, "play.ts", "tsconfig.json", "package.json")

    # A module, since declarations (*.d.ts) are left unchecked, as libraries are.
    types = directory / "contract.ts"
    run(TOOLS / "openapi-typescript", CONTRACT, "--output", types)
    (directory / "openings.ts").write_text(
        'import type { components } from "./contract.ts";\n'
        'type OpenMatch = components["schemas"]["OpenMatch"];\n'
        f"export const openings: OpenMatch[] = {openings()};\n"
    )
    run(TOOLS / "tsc", "--project", directory)
    return directory / "play.ts"


# Generators of whole clients by name, with their default options but for the kind of client.
GENERATORS: dict[str, list[str | Path]] = {
    "hey_api": ["openapi-ts", "--input", CONTRACT, "--output", "client"],
    "orval": ["orval", "--input", CONTRACT, "--output", "client.ts", "--client", "axios"],
}


@pytest.fixture(scope="module", params=GENERATORS)
def generated_program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A program over a generated client, compiled to CommonJS without a complaint."""
    name = f"play_{request.param}"
    directory = directory_with(tmp_path_factory, f"{name}.ts", "tsconfig.commonjs.json")
    tool, *options = GENERATORS[request.param]
    run(TOOLS / tool, *options, folder=directory)
    (directory / "openings.ts").write_text(
        'import type { OpenMatch } from "./client";\n'
        f"export const openings: OpenMatch[] = {openings()};\n"
    )
    run(TOOLS / "tsc", "--project", directory / "tsconfig.commonjs.json")
    return directory / "compiled" / f"{name}.js"


def openings() -> str:
    """Return bodies that open a match of each game, as a list of TypeScript."""
    bodies = [
        {
            "game": key,
            "seats": [{"kind": "open"}, *[RANDOM_BOT] * (game.seats[0] - 1)],
        }
        for key, game in GAMES.items()
    ]
    return json.dumps(bodies)


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_a_typed_client_plays_a_whole_match(
    program: Path, game: str, service: RunningService
) -> None:
    """The client opens a match, joins it by name, plays to the end and reads the history."""
    played = json.loads(run(NODE, program, service.url, game))

    assert played["status"] == "ended"
    assert played["made"] > (20 if game in LONG_GAMES else 0)
    assert len(played["points"]) == GAMES[game].seats[0]
    assert played["name"] == "Lorenzo"
    assert played["joined"] == 1
    assert played["commits"] > played["made"]
    assert len(played["reasons"]) == (1 if game == "firenze" else 0)


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_a_generated_client_plays_a_whole_match(
    generated_program: Path, game: str, service: RunningService
) -> None:
    """The client opens a match, joins it by name, plays to the end and reads the history."""
    played = json.loads(run(NODE, generated_program, service.url, game))

    assert played["status"] == "ended"
    assert played["made"] > (20 if game in LONG_GAMES else 0)
    assert len(played["points"]) == GAMES[game].seats[0]
    assert played["name"] == "Lorenzo"
    assert played["joined"] == 1
    assert played["commits"] > played["made"]


@pytest.mark.parametrize("name", ["play.ts", *(f"play_{name}.ts" for name in GENERATORS)])
def test_the_client_takes_no_short_cut(name: str) -> None:
    """No cast, no `any`, nothing left unchecked: compiling code follows the contract."""
    program = (CLIENT / name).read_text()
    for short_cut in (" as ", ": any", "<any>", "@ts-", "unknown"):
        assert short_cut not in program


@pytest.mark.whole
def test_the_smallest_program_compiles(program: Path) -> None:
    """The program in the guide compiles with the types that the generator makes by default."""
    [smallest] = re.findall(r"```ts\n(.*?)```", CLIENTS.read_text(encoding="utf-8"), re.DOTALL)
    directory = program.parent
    (directory / "giornale.ts").write_text((directory / "contract.ts").read_text())
    (directory / "smallest.ts").write_text(smallest)
    settings = json.loads((directory / "tsconfig.json").read_text()) | {"include": ["smallest.ts"]}
    (directory / "tsconfig.smallest.json").write_text(json.dumps(settings))
    run(TOOLS / "tsc", "--project", directory / "tsconfig.smallest.json")
