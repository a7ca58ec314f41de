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

# Errors of reading a malformed answer.
_WRONG_FORM = (LookupError, TypeError, AttributeError)


@click.command()
@click.argument("url")
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option(
    "--tokens",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the tokens of the seats, one a line.",
)
@click.option(
    "--join",
    "matches",
    multiple=True,
    metavar="MATCH",
    help="Join an open seat of this match. Its token is added to the file.",
)
@click.option("--name", help="Name of the joined seats.")
@click.option(
    "--key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the key of its seats and of joined seats. A new key is made if there is none.",
)
@with_token("Invitation to a private match.")
@with_patience
def bot(
    url: str,
    function: str,
    file: Path | None,
    matches: tuple[str, ...],
    patience: float,
    **joining: Any,
) -> None:
    """Play seats on a server with your function.

    It plays seats of matches at URL until these end. FUNCTION(view, moves) is called at each turn
    of a seat. It gets the state as that seat sees it and the list of its legal moves, and returns
    one of them. Connections may break and the server may restart. Interrupted and started again
    with the same file, it plays on. Ends with 1 if a token belongs to no seat or a move is
    illegal. If humans draw together, it pledges and discloses by itself, and stores its pledged
    entropy beside the tokens, in FILE.entropy.
    """
    choose = _apart(_function(function))
    with interruptible(), problems_told(), Client(url, patience=patience) as client:
        key = Key.from_file(joining["key"]) if joining["key"] else None
        tokens = _tokens_in(file, may_be_new=bool(matches))
        for match in matches:
            token = _taken_seat(client.match(match, joining["token"]), joining["name"], key)
            _keep(token, file)
            tokens.append(token)
        entropy = Entropy(None if file is None else f"{file}.entropy")
        giornale_client.play(client, tokens, choose, key=key, entropy=entropy, report=_report)


@contextmanager
def problems_told() -> Iterator[None]:
    """End the command with the text of a refusal or failure."""
    try:
        yield
    except Problem as problem:
        lines = [str(problem), *getattr(problem, "__notes__", ())]
        raise click.ClickException("\n".join(map(printable, lines))) from None
    except _WRONG_FORM as error:
        if _is_of_function(error):
            raise
        reason = printable(f"{type(error).__name__}: {error}")
        text = f"the server's answer is malformed ({reason}). Is it a Giornale server?"
        raise click.ClickException(text) from None


def _apart(choose: Choose) -> Choose:
    """Return a wrapper of the function. `_is_of_function` finds the wrapper in a traceback."""

    def chosen(*arguments: Any) -> Any:
        return choose(*arguments)

    return chosen


def _is_of_function(error: BaseException) -> bool:
    """Return True if an error comes from the user's function."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code.co_qualname == "_apart.<locals>.chosen" for frame, _ in frames)


def _function(name: str) -> Choose:
    """Import the function at MODULE:FUNCTION. The module may be in the working directory."""
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
    """Append a token to a file. A new file is readable by its user only."""
    if file is not None:
        with open(file, "a", encoding="utf-8", opener=open_private) as tokens:
            tokens.write(f"{token}\n")
            tokens.flush()
            os.fsync(tokens.fileno())


def _report(event: Event) -> None:
    """Print the end or the deletion of a match, or its loss of commits."""
    if event.name == "ended":
        outcome = event.data.get("outcome") or {}
        by_seat = outcome.get("points", ()) if isinstance(outcome, dict) else ()
        points = ", ".join(map(str, by_seat)) or "none, the match was aborted"
        click.echo(printable(f"match {event.match} has ended. Points by seat: {points}"))
    if event.name == "gone":
        click.echo(f"match {printable(event.match)} is gone")
    if event.name == "rewritten":
        click.echo(
            f"match {printable(event.match)}: the server has lost commits and goes on before them"
        )
