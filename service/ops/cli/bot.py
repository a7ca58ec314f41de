"""`giornale bot`: play seats of matches on a server with a function of one's own."""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import giornale_client
from giornale_client import Choose, Client, Entropy, Event, Key, Match, Problem
from service.base.private_files import open_private
from service.ops.cli import interruptible
from service.ops.cli.errors import lines_in
from service.ops.cli.output import printable, with_patience, with_token

# What reading an answer of another form raises.
_WRONG_FORM = (LookupError, TypeError, AttributeError)


@click.command()
@click.argument("url")
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option(
    "--tokens",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file with the tokens of the seats, one a line.",
)
@click.option(
    "--join",
    "matches",
    multiple=True,
    metavar="MATCH",
    help="Take an open seat of this match; its token is added to the file.",
)
@click.option("--name", help="What a seat is called that is taken.")
@click.option(
    "--key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file with the key that signs on seats that have it, and on those that are taken. "
    "A new one is made if there is none.",
)
@with_token("The invitation to a private match.")
@with_patience
def bot(
    url: str,
    function: str,
    file: Path | None,
    matches: tuple[str, ...],
    patience: float,
    **joining: Any,
) -> None:
    """Play seats of matches at URL until these end: FUNCTION(view, moves) returns the move.

    It is called when it is a seat's turn, with the state as that seat sees it and the list of its
    legal moves, and returns one of them. Connections may break and the server may start again.
    Interrupted and started again with the same file, it plays on. Ends with 1 if a token is no
    seat's or a move is not legal. Where humans draw together, it pledges and discloses by itself,
    and keeps what it has pledged beside the tokens, in FILE.entropy.
    """
    choose = _apart(_function(function))
    with interruptible(), problems_told(), Client(url, patience=patience) as client:
        key = Key.kept(joining["key"]) if joining["key"] else None
        tokens = _tokens_in(file, may_be_new=bool(matches))
        for match in matches:
            token = _taken_seat(client.match(match, joining["token"]), joining["name"], key)
            _keep(token, file)
            tokens.append(token)
        kept = Entropy(None if file is None else f"{file}.entropy")
        giornale_client.play(client, tokens, choose, key=key, kept=kept, report=_report)


@contextmanager
def problems_told() -> Iterator[None]:
    """End with what was refused or failed, in words."""
    try:
        yield
    except Problem as problem:
        lines = [str(problem), *getattr(problem, "__notes__", ())]
        raise click.ClickException("\n".join(map(printable, lines))) from None
    except _WRONG_FORM as error:
        if _is_of_function(error):
            raise
        reason = printable(f"{type(error).__name__}: {error}")
        text = f"the answer of the server has a wrong form ({reason}); is it of Giornale?"
        raise click.ClickException(text) from None


def _apart(choose: Choose) -> Choose:
    """Return the function in a frame of its own. `_is_of_function` finds that frame."""

    def chosen(*arguments: Any) -> Any:
        return choose(*arguments)

    return chosen


def _is_of_function(error: BaseException) -> bool:
    """Return True if an error comes from the function that chooses moves."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code.co_qualname == "_apart.<locals>.chosen" for frame, _ in frames)


def _function(name: str) -> Choose:
    """Return the function that MODULE:FUNCTION names; the module may lie in this directory."""
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise click.BadParameter(f"{name} is not MODULE:FUNCTION", param_hint="MODULE:FUNCTION")

    sys.path.insert(0, str(Path.cwd()))
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise click.ClickException(f"there is no module {module_name} here") from None

    function = getattr(module, function_name, None)
    if not callable(function):
        raise click.ClickException(f"{module_name} has no function {function_name}")
    choose: Choose = function
    return choose


def _tokens_in(file: Path | None, *, may_be_new: bool) -> list[str]:
    """Return the tokens in a file, a line each."""
    if file is None or (may_be_new and not file.exists()):
        return []
    return lines_in(file)


def _taken_seat(match: Match, name: str | None, key: Key | None) -> str:
    """Take the first open seat of a match and return its token."""
    seats = match.document()["seats"]
    seat = next((seat["seat"] for seat in seats if seat["kind"] == "open"), None)
    if seat is None:
        raise click.ClickException(f"match {match.id} has no open seat")

    joined = match.join(seat, key=key, **({"name": name} if name else {}))
    assert joined.token is not None
    return joined.token


def _keep(token: str, file: Path | None) -> None:
    """Add a token to a file, which a new one lets its user alone read."""
    if file is not None:
        with open(file, "a", encoding="utf-8", opener=open_private) as tokens:
            tokens.write(f"{token}\n")
            tokens.flush()
            os.fsync(tokens.fileno())


def _report(event: Event) -> None:
    """Say how a match has ended."""
    if event.name == "ended":
        outcome = event.data.get("outcome") or {}
        told = outcome.get("points", ()) if isinstance(outcome, dict) else ()
        points = ", ".join(map(str, told)) or "none, it was aborted"
        click.echo(printable(f"match {event.match} has ended; points by seat: {points}"))
    if event.name == "gone":
        click.echo(f"match {printable(event.match)} is gone")
    if event.name == "rewritten":
        click.echo(
            f"match {printable(event.match)}: the server has lost commits and goes on before them"
        )
