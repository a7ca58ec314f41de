"""`python -m scaffold KEY [TITLE]`. The exit status is 1 if no game was written."""

import sys
from pathlib import Path

from scaffold.names import Refused, names_of
from scaffold.plan import plan_of, write

ROOT = Path(__file__).parents[1]
USAGE = 'Say which game: make new-game KEY=medici TITLE="Medici"'
NEXT = """\
{title} is written and registered. It can be played as it is:

    domain/{key}/                  the game, one file for each concern
    docs/rules/{key}.md            its rules, {letter}1 to {letter}10
    docs/rules/players/{key}.md    how it goes, for players
    tests/domain/{key}/            its tests, and its part in the laws

Read docs/guides/third-game.md while you change it, and run its tests and the laws:

    make test PYTEST_ARGS="tests/domain -k {key}"

When the rules are done, generate the contract and the records, and run all tests of games:

    make openapi
    make records
    make test PYTEST_ARGS="-k {key}"
"""


def main(arguments: list[str]) -> int:
    """Write a game. Return the exit status."""
    key, title = (*arguments, "", "")[:2]
    if not key:
        print(USAGE, file=sys.stderr)
        return 1

    try:
        names = names_of(ROOT, key, title)
        write(ROOT, plan_of(ROOT, names))
    except Refused as refusal:
        print(f"No game was written: {refusal}", file=sys.stderr)
        return 1

    print(NEXT.format(key=names.key, title=names.title, letter=names.letter), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
