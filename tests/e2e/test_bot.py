"""`giornale bot`: the example plays both games through a restart, and its words on mistakes."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from domain.games import GAMES
from giornale_client import Client, Key, Opened
from service.ops.cli.commands import main
from service.ops.process.preflight import free_port
from tests.e2e.playing import LONG_GAMES
from tests.running import COMMAND, PATIENCE, RunningService, running_service, until

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/bot"
Bot = subprocess.Popen[str]
Run = Callable[..., Result]


def started(url: str, function: str, *options: str | Path) -> Bot:
    """Start `giornale bot` beside the example."""
    command = [*COMMAND, "bot", url, function, *map(str, options)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command,
        cwd=EXAMPLE,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(bot: Bot) -> tuple[int, str, str]:
    """Wait for the end of a bot. Return its exit code and output."""
    output, errors = bot.communicate(timeout=PATIENCE)
    return bot.returncode, output, errors


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `giornale bot` in a directory and in this process. Its module is loaded each time."""

    def run_in(directory: Path, url: str, function: str, *options: str | Path) -> Result:
        sys.modules.pop(function.partition(":")[0], None)
        with monkeypatch.context() as patch:
            patch.chdir(directory)
            patch.setattr(sys, "path", list(sys.path))
            return CliRunner().invoke(main, ["bot", url, function, *map(str, options)])

    return run_in


def two_humans(client: Client, game: str) -> Opened:
    """Open a match with two humans, and bots on the other seats."""
    return client.open(game, ["human", "human", *["bot:random"] * (GAMES[game].seats[0] - 2)])


def seats_of(opened: Opened) -> list[str]:
    return [opened.tokens["seat:0"], opened.tokens["seat:1"]]


def written(directory: Path, *tokens: str) -> Path:
    """Return a file with tokens."""
    file = directory / "tokens.txt"
    file.write_text("# seats to play\n\n" + "".join(f"{token}\n" for token in tokens))
    return file


@pytest.mark.whole
def test_the_example_plays_each_game_to_its_end_over_a_restart(tmp_path: Path) -> None:
    """A bot plays four seats in two matches. The server ends midway and comes back at its port."""
    data = tmp_path / "data"
    settings = {"GIORNALE_PORT": str(free_port("127.0.0.1", 0)), "GIORNALE_OPENINGS": "0"}
    with running_service(data, **settings) as service, Client(service.url) as client:
        matches = [two_humans(client, game) for game in LONG_GAMES]
        tokens = written(tmp_path, *[token for opened in matches for token in seats_of(opened)])
        url = service.url
        bot = started(url, "mybot:choose", "--tokens", tokens)
        owners = [opened.owner for opened in matches]
        until(lambda: owners[0].document()["version"] > 20, "the middle of a match")

    with running_service(data, **settings) as service, Client(service.url) as client:
        assert service.url == url
        code, output, errors = ended(bot)
        assert (code, errors) == (0, "")
        for opened in matches:
            document = client.match(opened.id).document()
            assert document["status"] == "ended"
            points = ", ".join(map(str, document["outcome"]["points"]))
            assert f"match {opened.id} has ended. Points by seat: {points}\n" in output


@pytest.mark.whole
def test_a_seat_is_taken_and_its_token_kept(service: RunningService, tmp_path: Path) -> None:
    """--join writes the token to the file, for its user alone. After Ctrl-C a new bot goes on.

    --key makes a key for the seat, and signs with it (M18).
    """
    tokens, key = tmp_path / "tokens.txt", tmp_path / "bot.key"
    with Client(service.url) as client:
        opened = client.open("firenze", ["open", "human"])
        match = client.match(opened.id)
        options = ("--tokens", tokens, "--join", opened.id, "--name", "Ten Lines", "--key", key)
        bot = started(service.url, "mybot:choose", *options)
        until(tokens.exists, "the token of the seat")
        until(lambda: "name" in match.document()["seats"][0], "the seat to be taken")
        bot.send_signal(signal.SIGINT)
        code, _, errors = ended(bot)

        assert (code, errors) == (130, "Interrupted.\n")
        assert stat.S_IMODE(tokens.stat().st_mode) == 0o600
        assert match.document()["seats"][0]["name"] == "Ten Lines"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        assert match.document()["seats"][0]["key"] == Key.from_file(key).public

        opened.owner.start()
        again = started(service.url, "mybot:choose", "--tokens", tokens, "--key", key)
        # The other seat is nobody's: the bot's moves are enough.
        until(lambda: match.document()["waiting_for"]["seats"] == [1], "the bot's turn to be over")
        again.send_signal(signal.SIGINT)
        assert ended(again)[0] == 130
        commits = [commit for commit in match.history() if commit["actor"] == "seat:0"]
        assert commits
        assert all("signature" in commit for commit in commits)


MISTAKES = {
    "none": ("return None", "chosen was None for seat 0"),
    "other": ('return {"type": "dance"}', "chosen was {'type': 'dance'} for seat 0"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_illegal_move_is_answered_with_legal_ones(
    mistake: str, service: RunningService, tmp_path: Path, run: Run
) -> None:
    """The sentence names the move, the seat, the version and the first legal moves."""
    body, sentence = MISTAKES[mistake]
    (tmp_path / "wrong.py").write_text(f"def choose(view, moves):\n    {body}\n")
    with Client(service.url) as client:
        opened = two_humans(client, "calimala")
        tokens = written(tmp_path, opened.tokens["seat:0"])
        result = run(tmp_path, service.url, "wrong:choose", "--tokens", tokens)

    assert result.exit_code == 1
    assert "No legal move was chosen" in result.stderr
    assert f"{sentence} of match {opened.id} at version " in result.stderr
    assert ". Legal are {" in result.stderr
    assert "keep_scoring_card" in result.stderr


def test_tokens_that_play_nothing_are_named_by_their_place(
    service: RunningService, tmp_path: Path, run: Run
) -> None:
    """A forged token, an owner's, a text that is none, and an empty file are refused."""
    with Client(service.url) as client:
        opened = two_humans(client, "calimala")
    seat, owner = opened.tokens["seat:0"], opened.tokens["owner"]
    forged = f"{seat[:-5]}AAAAA"
    cases = {
        (seat, forged): f"token 2 of 2, for match {opened.id}",
        (owner,): "only a seat's token makes moves",
        ("hunter2",): "This is no token",
        (): "0, and 1 to 50 are allowed",
    }
    for tokens, sentence in cases.items():
        file = written(tmp_path, *tokens)
        result = run(EXAMPLE, service.url, "mybot:choose", "--tokens", file)
        assert result.exit_code == 1
        assert sentence in result.stderr
        assert "hunter2" not in result.stderr
        assert not any(token[31:60] in result.stderr for token in tokens if len(token) > 60)


def test_functions_that_are_not_there_are_said(tmp_path: Path, run: Run) -> None:
    """A wrong name gives no traceback. A fault in the module itself does."""
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")
    nowhere = "http://127.0.0.1:9"
    for name, sentence in {
        "nowhere:choose": "there is no module nowhere here",
        "mybot:think": "mybot has no function think",
    }.items():
        result = run(EXAMPLE, nowhere, name)
        assert (result.exit_code, type(result.exception)) == (1, SystemExit)
        assert sentence in result.stderr

    fault = run(tmp_path, nowhere, "broken:choose").exception
    assert isinstance(fault, ModuleNotFoundError)
    assert fault.name == "nothing_of_this_name"
