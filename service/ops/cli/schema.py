"""`giornale schema`: the stored forms of a release, and the verdict on two releases."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import orjson

from service.ops.cli.errors import failed_reads
from service.ops.cli.output import printable, table
from service.record.catalogue import catalogue
from service.record.commit import Json
from service.record.schema_changes import BadCatalogue, Verdict, compare, verdict_on
from service.record.verify.files import Unreadable

_EXIT_CODES = {Verdict.COMPATIBLE: 0, Verdict.INCOMPATIBLE: 1, Verdict.NEEDS_UPCASTER: 3}

_MOST_BYTES = 64 * 1024 * 1024  # of a catalogue: far more than any has
_PATIENCE_SECONDS = 60.0


@click.group()
def schema() -> None:
    """Show stored forms, compare releases."""


@schema.command()
@click.option("--json", "as_json", is_flag=True, help="Print the whole catalogue as JSON.")
def show(as_json: bool) -> None:
    """Print the catalogue of stored forms.

    It has all commands, events and options of the installed rules, and all upcasters.
    """
    listed = catalogue()
    if as_json:
        click.echo(orjson.dumps(listed, option=orjson.OPT_INDENT_2))
        return

    rows = [
        [rules, kind[:-1], tag, ", ".join(fields)]
        for rules, forms in listed["forms"].items()
        for kind in ("commands", "events")
        for tag, fields in forms[kind].items()
    ]
    rows += [["upcaster", "", tag, newer] for tag, newer in listed["upcasters"].items()]
    for line in table(rows):
        click.echo(printable(line))


@schema.command()
@click.argument("older", metavar="OLD")
@click.argument("newer", metavar="NEW")
@click.option("--json", "as_json", is_flag=True, help="Print all changes as JSON.")
def diff(older: str, newer: str, as_json: bool) -> None:
    """Compare the stored forms of two releases.

    OLD and NEW are files of `giornale schema show --json`, or the programs `giornale` of two
    installed releases. Ends with 0 if NEW reads everything that OLD has written, 1 if not, 3 if
    upcasters are missing, 2 if something cannot be read.
    """
    with failed_reads():
        try:
            changes = compare(_catalogue_of(older), _catalogue_of(newer))
        except BadCatalogue as error:
            raise Unreadable(f"{older} and {newer} cannot be compared: {error}") from None

    verdict = verdict_on(changes)
    if as_json:
        listed = [
            {"verdict": change.verdict.words, "place": change.place, "detail": change.detail}
            for change in changes
        ]
        click.echo(json.dumps({"verdict": verdict.words, "changes": listed}, indent=2))
    else:
        for change in sorted(changes, key=lambda change: -change.verdict):
            click.echo(printable(f"{change.verdict.words}: {change.place}: {change.detail}"))
        click.echo(f"{verdict.words}: {len(changes)} changes")
    sys.exit(_EXIT_CODES[verdict])


def _catalogue_of(name: str) -> Json:
    """Return the catalogue in a file, or of an installed program. Raises Unreadable."""
    path = Path(name)
    is_program = path.is_file() and os.access(path, os.X_OK)
    content = _printed_by(path) if is_program else _read(path)
    try:
        listed: Json = orjson.loads(content)
    except ValueError:
        raise Unreadable(f"{name} is no catalogue of `giornale schema show --json`") from None
    return listed


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from None
    if len(content) > _MOST_BYTES:
        raise Unreadable(f"{path} is larger than any catalogue")
    return content


def _printed_by(program: Path) -> bytes:
    """Return the catalogue printed by a program. Raises Unreadable."""
    try:
        completed = subprocess.run(
            [program.resolve(), "schema", "show", "--json"],
            capture_output=True,
            check=False,
            timeout=_PATIENCE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unreadable(f"{program} cannot be run ({type(error).__name__})") from None
    if completed.returncode:
        raise Unreadable(f"{program} has no catalogue (exit code {completed.returncode})")
    return completed.stdout
