"""A client that a generator made of openapi.yaml alone plays a whole match of each game."""

import importlib
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from domain.games import GAMES
from tests.service.running import house

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the generated package, made importable."""
    directory = tmp_path_factory.mktemp("client")
    where = directory / "generated_giornale"
    command = [str(Path(sys.executable).with_name("openapi-python-client")), "generate", "--path", str(CONTRACT)]
    done = subprocess.run([*command, "--output-path", where, "--meta", "none"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(directory))
    return where.name


def part(package: str, name: str) -> ModuleType:
    """Return a module of the generated package."""
    return importlib.import_module(f"{package}.{name}")


@pytest.mark.parametrize("game", GAMES)
def test_a_generated_client_plays_a_whole_match(package: str, game: str, tmp_path: Path) -> None:
    """It opens a match against bots, asks for its legal moves, makes one, waits, until there is an outcome."""
    with house(tmp_path) as running, part(package, "client").Client(base_url=running.url) as anybody:
        match = part(package, "api.matches.open_match").sync(client=anybody, body=opening(package, game))
        token = match.tokens["seat:0"]
        with part(package, "client").AuthenticatedClient(base_url=running.url, token=token, timeout=30) as player:
            made = play(package, player, match.id)
        ended = part(package, "api.matches.get_match").sync(match.id, client=anybody)
    assert made > 20
    assert ended.status == "finished"
    assert len(ended.outcome.points) == GAMES[game].seats[0]


def opening(package: str, game: str) -> Any:
    """Return the body that opens a match for one human and as many bots as the game needs."""
    models = part(package, "models")
    human = models.HumanSeat(kind=models.HumanSeatKind.HUMAN, name="Generated")
    bot = models.BotSeat(kind=models.BotSeatKind.BOT, level=models.BotSeatLevel.RANDOM)
    name = f"Open{game.title()}Match"
    kind = getattr(models, f"{name}Game")(game)
    return getattr(models, name)(game=kind, seats=[human, *[bot] * (GAMES[game].seats[0] - 1)])


def play(package: str, client: Any, match: str) -> int:
    """Make random legal moves whenever it is the seat's turn, until the match is over; return how many."""
    moves, make = part(package, "api.play.get_moves"), part(package, "api.play.make_move")
    state = part(package, "api.play.get_state")
    chance, made = random.Random(1), 0
    while True:
        legal = moves.sync(match, client=client)
        if legal.moves:
            done = make.sync_detailed(
                match, client=client, body=chance.choice(legal.moves), if_match=f'"{legal.version}"'
            )
            made += done.status_code == 201
            assert done.status_code in (201, 412), done.content
            continue
        seen = state.sync_detailed(match, client=client, wait=20, if_none_match=f'"{legal.version};seat:0"')
        if seen.status_code == 200 and seen.parsed.status == "finished":
            return made
