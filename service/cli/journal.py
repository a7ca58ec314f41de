"""`giornale journal`: what an operator says of the journal itself."""

import click

from service.cli.complaints import failed_requests
from service.cli.local_journal import local_desk
from service.matches import epochs


@click.group()
def journal() -> None:
    """The journal itself."""


@journal.command()
def accept() -> None:
    """Accept that the journal has gone back, so that nothing warns of it any more.

    What was lost stays lost: look first whether a better copy can be put back.
    """
    with failed_requests(), local_desk() as desk:
        accepted = epochs.accept(desk.journal)

    if accepted is None:
        click.echo("there is nothing to accept: the journal holds what it was known to hold")
    else:
        click.echo(f"accepted: {epochs.sentence(accepted)}")
