"""`giornale export` and `import`: matches as records."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from service.cli import backup
from service.cli.complaints import failed_requests
from service.cli.local_journal import local_desk
from service.cli.options import with_token
from service.cli.output import Output, with_output
from service.cli.progress import verifying_bar
from service.keys.tokens import Caller
from service.matches import records
from service.matches.desk import Desk
from service.matches.loading import load


@click.command()
@click.argument("match", required=False)
@with_output
@with_token("Whose eyes to see it with; the public's without one.")
@click.option(
    "--all",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Every match, to a file of its own there; what is there and whole is passed over.",
)
def export(match: str | None, output: Output, token: str | None, directory: Path | None) -> None:
    """Write a match as a record: whole once its secrets are revealed, redacted before."""
    if match is not None and directory is None:
        output.check()
        with failed_requests(), local_desk() as desk:
            lines = list(_record_lines(desk, match, token))
        output.write(lines)
    elif match is None and directory is not None:
        backup.export_all(directory)
    else:
        raise click.UsageError("give a MATCH, or --all DIRECTORY")


@click.command("import")
@click.argument("file", type=click.File("rb"))
def import_(file: BinaryIO) -> None:
    """Take a whole record into the journal, if every line of it is right."""
    with failed_requests(), local_desk() as desk, verifying_bar(0) as progress:
        audit, was_there = records.import_record(desk, file, progress)

    report = audit.report
    result = "it was there already" if was_there else f"{report.commits} commits"
    click.echo(f"{report.match}: {result}")


def _record_lines(desk: Desk, match: str, token: str | None) -> Iterator[bytes]:
    """Return the lines of a match's record, as the token's holder may see it."""
    if token:
        return records.export(desk, match, token)

    # Whoever has the journal may see matches that are not public, too; but not their secrets.
    loaded = load(desk, match)
    return records.lines_of(desk, loaded, Caller())
