"""The pages' modules, as far as they need no page: run by Node."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from domain.match.messages import COMMANDS

HERE = Path(__file__).parent
NODE = Path(sys.executable).with_name("node")
TESTS = sorted(HERE.glob("*.test.mjs"))

ARE_MOVES = """
  await import(`${process.argv[1]}/browser.mjs`);
  const { isMove } = await import(`${process.argv[1]}/../../page/static/table/actions.js`);
  console.log(JSON.stringify(JSON.parse(process.argv[2]).filter(isMove)));
"""


def run_node(*arguments: str) -> str:
    """Run Node. It must find nothing wrong. Return its output."""
    ran = subprocess.run([str(NODE), *arguments], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.whole
def test_modules_without_a_page() -> None:
    """The modules pass the tests in the files beside this one."""
    run_node("--test", *map(str, TESTS))


def test_no_command_of_a_match_itself_is_taken_for_a_move() -> None:
    """`isMove` is false for each command of the match itself."""
    commands = json.dumps(list(COMMANDS))
    arguments = ("--input-type=module", "-e", ARE_MOVES, str(HERE), commands)
    assert json.loads(run_node(*arguments)) == []
