"""A client that a generator made of openapi.yaml alone plays a whole match of each game."""

import importlib
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from domain.games import GAMES
from service.api.contract.schemas.json_types import camel
from tests.e2e.playing import LONG_GAMES
from tests.running import RunningService

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
GENERATOR = Path(sys.executable).with_name("openapi-python-client")

CREATED = 201
NOT_THERE_ANY_MORE = 412


@dataclass(frozen=True)
class Package:
    """The generated package."""

    name: str

    def module(self, name: str) -> ModuleType:
        """Return one of its modules."""
        return importlib.import_module(f"{self.name}.{name}")

    def anybody(self, url: str) -> Any:
        """Return a client without a token."""
        return self.module("client").Client(base_url=url)

    def holder(self, url: str, token: str) -> Any:
        """Return a client that sends a token."""
        client = self.module("client").AuthenticatedClient
        return client(base_url=url, token=token, timeout=30)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The generated package, made importable."""
    directory = tmp_path_factory.mktemp("client")
    place = directory / "generated_giornale"
    options = ["--path", str(CONTRACT), "--output-path", str(place), "--meta", "none"]
    done = subprocess.run(
        [str(GENERATOR), "generate", *options],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    sys.path.insert(0, str(directory))
    return Package(place.name)


@pytest.mark.parametrize("game", GAMES)
def test_a_generated_client_plays_a_whole_match(
    package: Package, game: str, service: RunningService
) -> None:
    """It opens a match, joins it, plays against bots to the outcome, and reads the history.

    What it reads is of this game, also where another game has a message of the same type.
    """
    get_match = package.module("api.matches.get_match")

    with package.anybody(service.url) as anybody:
        match = open_match(package, anybody, game)
        token = join(package, anybody, match.id, name="Generated")
        with package.holder(service.url, match.tokens["owner"]) as owner:
            start(package, owner, match.id)
        with package.holder(service.url, token) as player:
            moves_made = play(package, player, match.id)

        ended = get_match.sync(match.id, client=anybody)
        commits = history(package, anybody, match.id)

    fewest_seats = GAMES[game].seats[0]
    assert moves_made > (20 if game in LONG_GAMES else 0)
    assert ended.status == "finished"
    assert len(ended.outcome.points) == fewest_seats
    assert ended.seats[0].name == "Generated"

    events = [event for commit in commits for event in commit.events]
    assert [event.type_ for event in events].count("seat_joined") == 1
    rules = camel(GAMES[game].rules)
    assert {type(commit).__name__ for commit in commits} == {f"{rules}Commit"}
    assert all(type(event).__name__.startswith((rules, "Lobby")) for event in events)
    assert all(type(one.command).__name__.startswith((rules, "Lobby")) for one in commits)


@pytest.mark.parametrize(
    "given",
    [{}, {"name": "Lucrezia", "entropy": "00ff"}],
    ids=["nameless", "named"],
)
def test_a_generated_client_joins(
    package: Package, given: dict[str, str], service: RunningService
) -> None:
    """What the caller leaves out is left out, and no default is sent that the service refuses."""
    with package.anybody(service.url) as anybody:
        match = open_match(package, anybody, "calimala")
        assert join(package, anybody, match.id, **given).startswith("gio_")


def open_match(package: Package, client: Any, game: str) -> Any:
    """Open a match with an open seat and as many bots as the game needs."""
    models = package.module("models")
    open_seat = models.OpenSeat(kind=models.OpenSeatKind.OPEN)
    bot = models.BotSeat(
        kind=models.BotSeatKind.BOT,
        level=models.BotLevel.RANDOM,
    )
    fewest_seats = GAMES[game].seats[0]
    bots = [bot] * (fewest_seats - 1)

    body_name = f"Open{camel(game)}Match"
    body_type = getattr(models, body_name)
    game_type = getattr(models, f"{body_name}Game")
    body = body_type(
        game=game_type(game),
        seats=[open_seat, *bots],
    )

    open_match = package.module("api.matches.open_match")
    return open_match.sync(client=client, body=body)


def join(package: Package, client: Any, match: str, **given: str) -> str:
    """Take seat 0 and return its token."""
    body = package.module("models").Join(**given)
    join_match = package.module("api.lobby.join_match")
    joined = join_match.sync_detailed(match, 0, client=client, body=body)
    assert joined.status_code == CREATED, joined.content

    token: str = joined.parsed.token
    return token


def start(package: Package, owner: Any, match: str) -> None:
    """Start a match."""
    start_match = package.module("api.lobby.start_match")
    started = start_match.sync_detailed(match, client=owner)
    assert started.status_code == CREATED, started.content


def history(package: Package, client: Any, match: str) -> list[Any]:
    """Return all commits of a match, read page by page."""
    list_commits = package.module("api.history.list_commits")
    commits: list[Any] = []
    after = 0

    while True:
        page = list_commits.sync(match, client=client, after=after, limit=100).commits
        if not page:
            return commits
        commits += page
        after = page[-1].version


def play(package: Package, client: Any, match: str) -> int:
    """Make random legal moves whenever it is the seat's turn, to the end; return how many."""
    get_moves = package.module("api.play.get_moves")
    make_move = package.module("api.play.make_move")
    chance = random.Random(1)
    moves_made = 0

    while True:
        answered = get_moves.sync_detailed(match, client=client)
        seen = answered.headers["ETag"]
        legal = answered.parsed
        if not legal.moves:
            if is_over_or_changes(package, client, match, seen):
                return moves_made
            continue

        move = chance.choice(legal.moves)
        answer = make_move.sync_detailed(match, client=client, body=move, if_match=seen)
        assert answer.status_code in (CREATED, NOT_THERE_ANY_MORE), answer.content
        moves_made += answer.status_code == CREATED


def is_over_or_changes(package: Package, client: Any, match: str, seen: str) -> bool:
    """Return whether the match is over; if it is not, wait a while for a state after one seen.

    The state is asked first: nothing ever follows upon that of a match that is over.
    """
    get_state = package.module("api.play.get_state")
    now = get_state.sync_detailed(match, client=client)
    if now.parsed.status == "finished":
        return True

    get_state.sync_detailed(match, client=client, wait=20, if_none_match=seen)
    return False
