"""`giornale board`: check the values printed on one's own box, before a match uses them."""

from pathlib import Path

import click
import orjson

from domain.errors import BadOption
from domain.games import GAMES
from domain.options import Data
from service.base.errors import pointer

WRONG = 1
CANNOT_READ = 2

_game_option = click.option(
    "--game",
    help="Game of the board. Not needed if only one game has boards.",
)


def board_options() -> list[tuple[str, Data]]:
    """Return (game, option) for every option of the kind `Data`."""
    return [
        (key, option)
        for key, game in GAMES.items()
        for option in game.options
        if isinstance(option, Data)
    ]


@click.group()
def board() -> None:
    """Print and check boards.

    A board has the values printed on a box, in the form of a match's option.
    """


@board.command()
@_game_option
def show(game: str | None) -> None:
    """Print the default board of matches.

    Use it as a start for a board of your own.
    """
    option = _option_of(game)
    click.echo(orjson.dumps(option.default, option=orjson.OPT_INDENT_2))


@board.command()
@click.argument("file", type=click.Path(path_type=Path))
@_game_option
def check(file: Path, game: str | None) -> None:
    """Check a board in FILE.

    Each error names its entry. Exit status: 0 good, 1 wrong, 2 unreadable.
    """
    option = _option_of(game)
    try:
        option.read(_read(file))
    except BadOption as error:
        for one in error.all:
            entry = pointer(one.path[1:]) or "/"
            click.echo(f"{entry}: {one.detail}", err=True)
        raise click.exceptions.Exit(WRONG) from None

    click.echo(f"{file} is a good board.")


def _option_of(game: str | None) -> Data:
    """Return the board option of a game, or the only one. Raises UsageError."""
    options = board_options()
    fitting = [option for key, option in options if game in (None, key)]

    if len(fitting) != 1:
        games = [key for key, _option in options]
        raise click.UsageError(f"--game must be one of {', '.join(games)}")
    return fitting[0]


def _read(file: Path) -> object:
    """Return the value in a JSON file. Exit with CANNOT_READ if it cannot be read."""
    try:
        return orjson.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        click.echo(f"{file} cannot be read as JSON: {error}", err=True)
        raise click.exceptions.Exit(CANNOT_READ) from None
