"""A client that a generator made of openapi.yaml alone plays a whole match of each game."""

import importlib
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.games import GAMES
from service.api.contract.json_types import camel
from tests.e2e.playing import LONG_GAMES
from tests.running import RunningService

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
GENERATOR = Path(sys.executable).with_name("openapi-python-client")
NAME = "generated_giornale"

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The generated package, made importable."""
    directory = tmp_path_factory.mktemp("client")
    options = ["--path", str(CONTRACT), "--output-path", str(directory / NAME), "--meta", "none"]
    completed = subprocess.run(
        [str(GENERATOR), "generate", *options], capture_output=True, check=False
    )
    assert completed.returncode == 0, completed.stderr
    sys.path.insert(0, str(directory))


def module(name: str) -> Any:
    """Return a module of the package."""
    return importlib.import_module(f"{NAME}.{name}")


def anybody(service: RunningService) -> Any:
    """Return a client without a token."""
    return module("client").Client(base_url=service.url)


def holder(service: RunningService, token: str) -> Any:
    """Return a client with a token."""
    return module("client").AuthenticatedClient(base_url=service.url, token=token, timeout=30)


def open_match(client: Any, game: str) -> Any:
    """Open a match with an open seat and as many bots as the game needs."""
    models = module("models")
    open_seat = models.OpenSeat(kind="open")
    bot = models.BotSeat(kind="bot", level=models.BotLevel.RANDOM)
    body = getattr(models, f"Open{camel(game)}Match")(
        game=game,
        seats=[open_seat, *[bot] * (GAMES[game].seats[0] - 1)],
    )
    return module("api.matches.open_match").sync(client=client, body=body)


def join(client: Any, match: str, **fields: str) -> str:
    """Take seat 0 and return its token."""
    body = module("models").Join(**fields)
    joined = module("api.lobby.join_match").sync_detailed(match, 0, client=client, body=body)
    assert joined.status_code == httpx.codes.CREATED, joined.content
    token: str = joined.parsed.token
    return token


@pytest.mark.parametrize("game", GAMES)
def test_a_generated_client_plays_a_whole_match(game: str, service: RunningService) -> None:
    """The client opens a match, joins, plays against bots to the outcome, and reads the history.

    Its messages are of this game, also if another game has a message of the same type.
    """
    with anybody(service) as client:
        match = open_match(client, game)
        token = join(client, match.match, name="Generated")
        with holder(service, match.tokens["owner"]) as owner:
            started = module("api.lobby.start_match").sync_detailed(match.match, client=owner)
            assert started.status_code == httpx.codes.CREATED, started.content
        with holder(service, token) as player:
            moves_made = play(player, match.match)

        ended = module("api.matches.get_match").sync(match.match, client=client)
        page = module("api.history.list_commits").sync(match.match, client=client, limit=1000)

    assert moves_made > (20 if game in LONG_GAMES else 0)
    assert ended.status == "ended"
    assert len(ended.outcome.points) == GAMES[game].seats[0]
    assert ended.seats[0].name == "Generated"

    rules = camel(GAMES[game].rules)
    messages = [commit.command for commit in page.commits]
    for commit in page.commits:
        assert type(commit).__name__ == f"{rules}Commit"
        messages += commit.events
    assert [message.type_ for message in messages].count("seat_joined") == 1
    for message in messages:
        assert type(message).__name__.startswith((rules, "Lobby"))


def play(client: Any, match: str) -> int:
    """Make random legal moves whenever it is the seat's turn, to the end. Return how many."""
    chance = random.Random(1)
    moves_made = 0

    while True:
        answered = module("api.play.get_moves").sync_detailed(match, client=client)
        etag = answered.headers["ETag"]
        legal = answered.parsed.moves
        if legal:
            make_move = module("api.play.make_move").sync_detailed
            response = make_move(match, client=client, body=chance.choice(legal), if_match=etag)
            assert response.status_code in (httpx.codes.CREATED, httpx.codes.PRECONDITION_FAILED)
            moves_made += response.status_code == httpx.codes.CREATED
            continue

        # The state is asked first: nothing ever follows upon that of a match that is over.
        get_state = module("api.play.get_state").sync_detailed
        if get_state(match, client=client).parsed.status == "ended":
            return moves_made
        get_state(match, client=client, wait=20, if_none_match=etag)


def test_omitted_arguments_are_left_out(service: RunningService) -> None:
    """No default is sent that the service refuses."""
    with anybody(service) as client:
        match = open_match(client, "calimala")
        assert join(client, match.match).startswith("gio_")
