"""`giornale dump`: whole records of public matches for everybody."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from service.backup import dump as dumping
from service.backup.dump import Span
from service.bootstrap import open_desk
from service.cli.backup import complaints
from service.cli.local_journal import running_journal
from service.cli.progress import counting_bar
from service.config import Config

_LAST_MS = 1 << 60


@click.command()
@click.option("--from", "start", metavar="TIME", help="Matches that ended at this time or later.")
@click.option("--to", "end", metavar="TIME", help="Matches that ended before this time.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file, such as 2026-01.ndjson.zst; its list of SHA-256 gets the ending .sha256.",
)
def dump(start: str | None, end: str | None, output: Path) -> None:
    """Write the records of all public matches that ended within a time to one file.

    TIME is a date or a time in RFC 3339, in UTC if it does not say otherwise. `giornale verify`
    reads the file.
    """
    span = Span(
        start=_milliseconds(start, "--from") if start else 0,
        end=_milliseconds(end, "--to") if end else _LAST_MS,
    )
    with complaints(), running_journal(Config.load(os.environ), make=False) as config:
        desk, _queues = open_desk(config)
        with counting_bar("matches", 0) as progress:
            dumped = dumping.dump(desk, span, output, progress)
    click.echo(f"{output}: {dumped.matches} matches, {dumped.commits} commits")


def _milliseconds(text: str, option: str) -> int:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            "must be a date or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
            param_hint=option,
        ) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return round(time.timestamp() * 1000)
