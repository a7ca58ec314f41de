"""Errors become one sentence on standard error, and an exit code, instead of a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from service.base.config import ConfigError
from service.base.datadir import DataUnusable
from service.base.errors import ServiceError
from service.ops.cli.local_journal import NoJournal
from service.ops.cli.output import printable
from service.ops.process.server_files import EmbeddedError
from service.record.verify.files import ProcessDied, Unreadable
from service.store.journal.errors import JournalError
from service.store.keys.signer import NoKeys

CANNOT_READ = 2


class CannotRead(click.ClickException):
    """What the command is to work on cannot be read."""

    exit_code = CANNOT_READ


@contextmanager
def failed_requests() -> Iterator[None]:
    """End with the reason if a match or a record cannot be worked on.

    The exit code is 2 if it cannot be read, else 1.
    """
    try:
        yield
    except (DataUnusable, NoKeys) as error:
        raise click.ClickException(str(error)) from None
    except (ConfigError, NoJournal, EmbeddedError) as error:  # a line for each problem
        raise CannotRead(str(error)) from None
    except (Unreadable, JournalError, ProcessDied) as error:
        raise CannotRead(printable(str(error))) from None
    except ServiceError as error:
        raise click.ClickException(printable(str(error))) from None


def lines_in(file: Path) -> list[str]:
    """Return the lines of a file, without empty ones and those that begin with #.

    End with the reason if it cannot be read.
    """
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file} cannot be read: {error}") from None
    return [line for line in lines if line and not line.startswith("#")]
