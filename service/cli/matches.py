"""`giornale match`: what the operator does with a match."""

import click

from service.cli.complaints import failed_requests
from service.cli.local_journal import local_desk
from service.matches import deleting


@click.group()
def match() -> None:
    """What the operator does with a match."""


@match.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(match_id: str, yes: bool) -> None:
    """Delete a match for ever, with all that is kept of it; its id is not used again."""
    if not yes:
        click.confirm(f"Delete match {match_id} for ever?", abort=True)

    with failed_requests():
        deleting.delete(local_desk(), match_id, deleting.COMMAND_LINE)

    click.echo(f"{match_id}: deleted")
