"""The models from datamodel-code-generator and openapi.yaml alone carry whole matches."""

import importlib.util
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.games import GAMES
from tests.e2e.playing import LONG_GAMES
from tests.running import RunningService

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
GENERATOR = Path(sys.executable).with_name("datamodel-codegen")
NAME = "generated_models"

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The generated module."""
    file = tmp_path_factory.mktemp("models") / f"{NAME}.py"
    options = ["--input", str(CONTRACT), "--output", str(file)]
    completed = subprocess.run([str(GENERATOR), *options], capture_output=True, check=False)
    assert completed.returncode == 0, completed.stderr

    spec = importlib.util.spec_from_file_location(NAME, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Annotations of the models are read by the name of their module.
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def client(service: RunningService) -> Iterator[httpx.Client]:
    """A connection to the service."""
    with httpx.Client(base_url=service.url, timeout=30) as connected:
        yield connected


class Player:
    """A seat over HTTP: each body that is sent or answered goes through a model."""

    def __init__(self, models: Any, client: httpx.Client) -> None:
        self._models = models
        self._client = client

    def get(self, path: str, answer: str, **more: Any) -> tuple[Any, str]:
        """Return an answer and its ETag."""
        response = self._client.get(path, **more)
        assert response.status_code == httpx.codes.OK, response.text
        model = getattr(self._models, answer)
        return _content(model.model_validate_json(response.content)), response.headers.get(
            "ETag", ""
        )

    def wait(self, path: str, token: str, etag: str) -> None:
        """Wait until the match moves on, or for some seconds."""
        headers = {"Authorization": f"Bearer {token}", "If-None-Match": etag}
        response = self._client.get(path, headers=headers, params={"wait": 20})
        assert response.status_code in (httpx.codes.OK, httpx.codes.NOT_MODIFIED), response.text

    def post(self, path: str, body: Any, answer: str, token: str = "", etag: str = "") -> Any:
        """Return the answer. None if the match has moved on since `etag`."""
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"If-Match": etag} if etag else {}
        content = "" if body is None else body.model_dump_json(by_alias=True, exclude_unset=True)
        response = self._client.post(path, content=content, headers=headers)
        if response.status_code == httpx.codes.PRECONDITION_FAILED:
            return None
        assert response.status_code == httpx.codes.CREATED, response.text
        return _content(getattr(self._models, answer).model_validate_json(response.content))


def _content(model: Any) -> Any:
    """Return the value of a union, and any other model as it is."""
    return getattr(model, "root", model)


@pytest.mark.parametrize("game", GAMES)
def test_generated_models_carry_a_whole_match(models: Any, game: str, client: httpx.Client) -> None:
    """Each request is dumped from a model, and each answer is one."""
    player = Player(models, client)
    seats = ["open", *["bot:random"] * (GAMES[game].seats[0] - 1)]
    opening = models.OpenMatch.model_validate({"game": game, "seats": seats})
    opened = player.post("/v1/matches", opening, "OpenedMatch")
    match = _content(opened.match)

    joined = player.post(f"/v1/matches/{match}/seats/0", models.Join(name="Generated"), "Joined")
    player.post(f"/v1/matches/{match}/start", None, "Commit", opened.tokens["owner"])
    moves_made = play(player, match, joined.token)

    ended, _ = player.get(f"/v1/matches/{match}", "Match")
    assert moves_made > (20 if game in LONG_GAMES else 0)
    assert ended.status.value == "ended"
    assert len(ended.outcome.points) == GAMES[game].seats[0]
    assert ended.seats[0].name == "Generated"

    page, _ = player.get(f"/v1/matches/{match}/commits", "CommitList", params={"limit": 1000})
    assert {_content(commit).game for commit in page.commits} == {game}


def play(player: Player, match: str, token: str) -> int:
    """Make random legal moves whenever it is the seat's turn, to the end. Return how many."""
    chance = random.Random(1)
    headers = {"Authorization": f"Bearer {token}"}
    moves_made = 0

    while True:
        legal, etag = player.get(f"/v1/matches/{match}/moves", "LegalMoves", headers=headers)
        if legal.moves:
            move = chance.choice(legal.moves)
            answer = player.post(f"/v1/matches/{match}/moves", move, "MadeMove", token, etag)
            moves_made += answer is not None
            continue

        # Read the state before the wait: a match that is over never moves on. The ETag is that of
        # the moves, since a bot may have moved between the two reads.
        state, _ = player.get(f"/v1/matches/{match}/state", "State", headers=headers)
        if state.status.value == "ended":
            return moves_made
        player.wait(f"/v1/matches/{match}/state", token, etag)
