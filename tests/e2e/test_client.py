"""A client that a generator made of openapi.yaml alone plays a whole match of each game."""

import importlib
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from domain.games import GAMES
from tests.running import RunningService, running_service

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the generated package, made importable."""
    directory = tmp_path_factory.mktemp("client")
    where = directory / "generated_giornale"
    command = [
        str(Path(sys.executable).with_name("openapi-python-client")),
        "generate",
        "--path",
        str(CONTRACT),
    ]
    done = subprocess.run(
        [*command, "--output-path", where, "--meta", "none"], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(directory))
    return where.name


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A running house."""
    with running_service(tmp_path_factory.mktemp("house")) as one:
        yield one


def part(package: str, name: str) -> ModuleType:
    """Return a module of the generated package."""
    return importlib.import_module(f"{package}.{name}")


@pytest.mark.parametrize("game", GAMES)
def test_a_generated_client_plays_a_whole_match(
    package: str, game: str, running: RunningService
) -> None:
    """It opens a match, joins it, plays against bots until there is an outcome, and reads the history."""
    with part(package, "client").Client(base_url=running.url) as anybody:
        match = part(package, "api.matches.open_match").sync(
            client=anybody, body=opening(package, game)
        )
        token = join(package, anybody, match.id, name="Generated")
        with holder(package, running.url, match.tokens["owner"]) as owner:
            started = part(package, "api.lobby.start_match").sync_detailed(match.id, client=owner)
            assert started.status_code == 201, started.content
        with holder(package, running.url, token) as player:
            made = play(package, player, match.id)
        ended = part(package, "api.matches.get_match").sync(match.id, client=anybody)
        events = history(package, anybody, match.id)
    assert made > 20
    assert ended.status == "finished"
    assert len(ended.outcome.points) == GAMES[game].seats[0]
    assert ended.seats[0].name == "Generated"
    assert events.count("seat_joined") == 1


@pytest.mark.parametrize(
    "given", [{}, {"name": "Lucrezia", "entropy": "00ff"}], ids=["nameless", "named"]
)
def test_a_generated_client_joins(
    package: str, given: dict[str, str], running: RunningService
) -> None:
    """What the caller leaves out is left out, and no default is sent that the service refuses."""
    with part(package, "client").Client(base_url=running.url) as anybody:
        match = part(package, "api.matches.open_match").sync(
            client=anybody, body=opening(package, "calimala")
        )
        assert join(package, anybody, match.id, **given).startswith("gio_")


def holder(package: str, url: str, token: str) -> Any:
    """Return a client that sends a token."""
    return part(package, "client").AuthenticatedClient(base_url=url, token=token, timeout=30)


def opening(package: str, game: str) -> Any:
    """Return the body that opens a match with an open seat and as many bots as the game needs."""
    models = part(package, "models")
    seat = models.OpenSeat(kind=models.OpenSeatKind.OPEN)
    bot = models.BotSeat(kind=models.BotSeatKind.BOT, level=models.BotLevel.RANDOM)
    name = f"Open{game.title()}Match"
    kind = getattr(models, f"{name}Game")(game)
    return getattr(models, name)(game=kind, seats=[seat, *[bot] * (GAMES[game].seats[0] - 1)])


def join(package: str, client: Any, match: str, **given: str) -> str:
    """Take seat 0 and return its token."""
    body = part(package, "models").Join(**given)
    joined = part(package, "api.lobby.join_match").sync_detailed(match, 0, client=client, body=body)
    assert joined.status_code == 201, joined.content
    token: str = joined.parsed.token
    return token


def history(package: str, client: Any, match: str) -> list[str]:
    """Return the types of all events of a match, read page by page."""
    listed = part(package, "api.history.list_commits")
    types: list[str] = []
    after = 0
    while page := listed.sync(match, client=client, after=after, limit=100).commits:
        types += [event.type_ for commit in page for event in commit.events]
        after = page[-1].version
    return types


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
        seen = state.sync_detailed(
            match, client=client, wait=20, if_none_match=f'"{legal.version};seat:0"'
        )
        if seen.status_code == 200 and seen.parsed.status == "finished":
            return made
