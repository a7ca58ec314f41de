"""`giornale serve`: run the whole service."""

import click

from service.cli.complaints import failed_starts
from service.cli.settings import load_or_exit, with_options
from service.process import supervisor


@click.command()
@with_options
def serve(options: dict[str, str]) -> None:
    """Run all of it: the web, the workers and the keeper.

    A server is run, too, if no GIORNALE_JOURNAL_URL is given.
    """
    config = load_or_exit(connected=False, options=options)
    with failed_starts():
        supervisor.serve(config)
