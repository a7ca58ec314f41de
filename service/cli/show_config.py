"""`giornale config`: the settings, checked and printed."""

import json
import os

import click

from service import datadir
from service.cli.complaints import failed_starts
from service.cli.settings import load_or_exit, with_options


@click.command()
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print each setting with its value and where that is from.",
)
@with_options
def config(as_json: bool, options: dict[str, str]) -> None:
    """Check the settings and print them without secrets."""
    settings = load_or_exit(connected=False, options=options)
    with failed_starts():
        datadir.check(settings.data)

    shown = settings.shown()
    if not as_json:
        for name, value in shown.items():
            click.echo(f"{name}={value}")
        return

    sources = settings.sources(os.environ, options)
    listed = [
        {"name": name, "value": value, "source": sources[name]} for name, value in shown.items()
    ]
    click.echo(json.dumps(listed, indent=2))
