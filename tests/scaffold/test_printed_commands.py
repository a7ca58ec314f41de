"""What a stranger does: write a game, then give every command that is printed.

The game is the guide's, under another name: its matches are short, and it says nothing to a search.
So all that is tested of every game is tested of such a game as well.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.checkout import Checkout

KEY = "malaspina"
COMMAND = re.compile(r"^    (make .+)$", re.MULTILINE)

# The tests of games for which no service and no generated client is started.
QUICK = ("tests/records", "tests/service/api", "tests/service/matches", "tests/workers")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A copy of the whole repository."""
    made = Checkout(tmp_path / "copy")
    made.complete()
    return made


def give(checkout: Checkout, command: str, places: tuple[str, ...] = ()) -> str:
    """Give a command of make in a copy, which takes the tools from this environment.

    Return what it prints; fail if it fails. places: the tests that are run in place of all.
    """
    _make, target, *settings = shlex.split(command)
    done = checkout.run(
        "make",
        f"--old-file={sys.prefix}/.dev",
        f"VENV={sys.prefix}",
        "NODE_PACKAGES=true",
        f"PYTEST={sys.executable} -m pytest {' '.join(places)}",
        target,
        *settings,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "places",
    [
        pytest.param(QUICK, id="quick"),
        pytest.param((), id="all", marks=pytest.mark.whole),
    ],
)
def test_every_printed_command_can_be_given(checkout: Checkout, places: tuple[str, ...]) -> None:
    """The laws and the game's tests hold, the rest is made, and then all tests of games hold."""
    printed = COMMAND.findall(give(checkout, f"make new-game KEY={KEY}"))
    *others, last = printed
    assert len(others) == 3

    for command in others:
        give(checkout, command)
    printed_last = give(checkout, last, places)

    counted = re.search(r"^(\d+) passed", printed_last, re.MULTILINE)
    assert counted is not None, printed_last
    assert int(counted[1]) > 100
