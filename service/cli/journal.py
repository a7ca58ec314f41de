"""`giornale journal`: what an operator says of the journal itself."""

import click

from service.cli.local_journal import NoJournal, local_desk
from service.config import ConfigError
from service.datadir import DataUnusable
from service.journal.errors import JournalUnavailable
from service.matches import epochs
from service.process.server_program import EmbeddedError


@click.group()
def journal() -> None:
    """The journal itself."""


@journal.command()
def accept() -> None:
    """Accept that the journal has gone back, so that nothing warns of it any more.

    What was lost stays lost: look first whether a better copy can be put back.
    """
    try:
        with local_desk() as desk:
            accepted = epochs.accept(desk.journal)
    except (ConfigError, DataUnusable, NoJournal, EmbeddedError) as error:
        raise click.ClickException(str(error)) from None
    except JournalUnavailable as error:
        raise click.ClickException(f"the journal cannot be written: {error}") from None

    if accepted is None:
        click.echo("there is nothing to accept: the journal holds what it was known to hold")
    else:
        click.echo(f"accepted: {epochs.sentence(accepted)}")
