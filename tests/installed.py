"""Installs built wheels into empty environments and uses them as an operator would.

`python -m tests.installed` does so on each promised Python of this machine. Packages come from
pip's configured index. `--from REV` names the commit of the release to upgrade from. The default is
the last tag.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from domain.games import GAMES
from giornale_client import Client, Match, play
from tests import running
from tests.pythons import ROOT, find, promised
from tests.running import running_service, until

# A module of each extra.
MODULES = {
    "tables": "pyarrow",
    "telemetry": "opentelemetry.sdk",
    "arena": "matplotlib",
    "s3": "s3fs",
}
PATIENCE_SECONDS = 300
MOVES_BEFORE = 5  # of seat 0, before the upgrade


class Environment:
    """A virtual environment with the command `giornale`."""

    def __init__(self, python: Path, directory: Path) -> None:
        """Make an empty environment."""
        run(python, "-m", "venv", str(directory))
        self._directory = directory

    @property
    def command(self) -> tuple[str, ...]:
        """The installed program."""
        return (str(self._directory / "bin" / "giornale"),)

    def install(self, wheel: Path, extras: Sequence[str] = ()) -> None:
        """Install a wheel with extras, and all that they need."""
        suffix = f"[{','.join(extras)}]" if extras else ""
        options = ["--disable-pip-version-check", "--no-input", "--quiet"]
        run(self._python, "-m", "pip", "install", *options, f"{wheel}{suffix}")

    def has(self, module: str) -> bool:
        """Return True if a module can be imported."""
        probe: list[str | Path] = [self._python, "-c", f"import {module}"]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0

    def giornale(self, *arguments: str) -> str:
        """Return the output of a command. Raises CalledProcessError."""
        return run(self.command[0], *arguments)

    @property
    def _python(self) -> Path:
        return self._directory / "bin" / "python"


def run(*command: str | Path, directory: Path | None = None) -> str:
    """Return the output of a command. Raises CalledProcessError, after printing what it said."""
    completed = subprocess.run(
        command,
        cwd=directory,
        env=running.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if completed.returncode:
        print(completed.stdout, completed.stderr, file=sys.stderr)
        completed.check_returncode()
    return completed.stdout


def wheel_of(revision: str, directory: Path) -> Path:
    """Build the wheel of a commit in a new clone."""
    source, files = directory / "source", directory / "files"
    run("git", "clone", "--quiet", str(ROOT), str(source))
    run("git", "checkout", "--quiet", revision, directory=source)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(files)]
    run(*build, directory=source)
    [wheel] = files.glob("giornale-*.whl")
    return wheel


def last_release() -> str:
    """Return the newest tag of a version up to this commit, "" without any."""
    command = ["git", "describe", "--tags", "--abbrev=0", "--match", "v*"]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return completed.stdout.strip()


def first_move(_view: Any, moves: Sequence[Any]) -> Any:
    """Choose the first legal move."""
    return moves[0]


def check_end(environment: Environment, client: Client, match: Match) -> None:
    """Wait for the end of a match, and verify it at its server."""
    until(
        lambda: match.document()["status"] == "ended",
        f"the end of {match.id}",
        seconds=PATIENCE_SECONDS,
    )
    verdict = environment.giornale("verify", f"{client.url}/v1/matches/{match.id}")
    assert verdict.startswith("right")


def check_records(environment: Environment, record: Path) -> None:
    """Check a record in an environment without extras."""
    assert not any(map(environment.has, ("flask", "redis", "rq")))
    assert environment.giornale("verify", str(record)).startswith("right")
    assert environment.giornale("story", str(record))


def check_service(environment: Environment, directory: Path) -> None:
    """Serve, and let bots play a match of each game."""
    with (
        running_service(directory / "fresh", command=environment.command) as service,
        Client(service.url) as client,
    ):
        for game in GAMES:
            check_end(environment, client, client.open(game, ["bot:random"] * 3).owner)


def check_upgrade(old: Environment, new: Environment, directory: Path) -> None:
    """Stop an old release with matches under way. The new one plays them to their end."""
    data = directory / "upgraded"
    with (
        running_service(data, command=old.command) as service,
        Client(service.url) as client,
    ):
        opened = [client.open(game, ["human", "bot:random", "bot:random"]) for game in GAMES]
        tokens = [one.tokens["seat:0"] for one in opened]
        for one in opened:
            for _ in range(MOVES_BEFORE):
                until(partial(one.seat(0).act, first_move), "the turn of seat 0")
        before = [one.seat(0).state() for one in opened]

    with running_service(data, command=new.command) as service, Client(service.url) as client:
        for token, state in zip(tokens, before, strict=True):
            seat = client.seat(token)
            same = seat.state(version=state["version"])
            assert same["state"] == state["state"], f"{seat.id} differs after the upgrade"
            play(client, [token], first_move)
            check_end(new, client, seat)


def check(version: str, wheel: Path, old_wheel: Path | None, record: Path) -> None:
    """Run all checks on one Python."""
    python = find(version)
    if python is None:
        print(f"Python {version} was not found")
        return

    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        core = Environment(python, directory / "core")
        core.install(wheel)
        check_records(core, record)

        full = Environment(python, directory / "full")
        full.install(wheel, ["server"])
        check_service(full, directory)
        if old_wheel is not None:
            old = Environment(python, directory / "old")
            old.install(old_wheel, ["server"])
            check_upgrade(old, full, directory)

        for extra, module in MODULES.items():
            full.install(wheel, ["server", extra])
            assert full.has(module), extra
            full.giornale("config")
    print(f"Python {version}: installed, served, verified" + (", upgraded" if old_wheel else ""))


def main() -> None:
    """Check the wheel of HEAD."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="revision", default=last_release())
    parser.add_argument("--pythons", nargs="+", default=promised())
    options = parser.parse_args()

    record = min((ROOT / "tests/records/firenze").glob("*.ndjson.gz"))
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        wheel = wheel_of("HEAD", directory / "new")
        old_wheel = None
        if options.revision:
            old_wheel = wheel_of(options.revision, directory / "old")
        else:
            print("There is no earlier release: the upgrade is not checked.")
        for version in options.pythons:
            check(version, wheel, old_wheel, record)


if __name__ == "__main__":
    main()
