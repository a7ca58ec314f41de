"""`giornale board`: the printed values of an owned box, typed in, checked before a match is opened with them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import orjson

from domain.errors import BadOption
from domain.games import GAMES
from domain.options import Data
from service.errors import pointer


def options() -> Iterator[tuple[str, Data]]:
    """Yield (game, option) for every option that takes data of its own."""
    return (
        (key, option)
        for key, game in GAMES.items()
        for option in game.options
        if isinstance(option, Data)
    )


def _option(game: str | None) -> Data:
    fitting = [option for key, option in options() if game in (None, key)]
    if len(fitting) != 1:
        raise click.UsageError(f"--game must be one of {', '.join(key for key, _ in options())}")
    return fitting[0]


@click.group()
def board() -> None:
    """Print and check boards: the values printed on a box, as a match's option takes them."""


@board.command()
@click.option("--game", help="whose board; may be left out while one game has boards")
def show(game: str | None) -> None:
    """Print the board that matches use by default, to start from."""
    click.echo(orjson.dumps(_option(game).default, option=orjson.OPT_INDENT_2))


@board.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", help="whose board; may be left out while one game has boards")
def check(file: Path, game: str | None) -> None:
    """Check a board in FILE; each error names its entry. Exit status: 0 good, 1 wrong, 2 unreadable."""
    option = _option(game)
    try:
        option.read(_read(file))
    except BadOption as error:
        for one in error.all:
            click.echo(f"{pointer(one.path[1:]) or '/'}: {one.detail}", err=True)
        raise click.exceptions.Exit(1) from None
    click.echo(f"{file} is a good board.")


def _read(file: Path) -> Any:
    try:
        return orjson.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        click.echo(f"{file} cannot be read as JSON: {error}", err=True)
        raise click.exceptions.Exit(2) from None
