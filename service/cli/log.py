"""`giornale feed`: the commits of a server in the order of its log."""

import sys

import click
import orjson

from giornale_client import Client
from service.cli import interruptible
from service.cli.bot import problems_told
from service.cli.output import with_token

_PATIENCE_SECONDS = 600.0
_WAIT_SECONDS = 20


@click.command()
@click.argument("url")
@click.option(
    "--after",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="How many positions were seen before.",
)
@click.option("--game", metavar="KEY", help="Only commits of this game.")
@click.option("--once", is_flag=True, help="End where nothing is new, instead of waiting.")
@click.option(
    "--patience",
    type=click.FloatRange(0),
    default=_PATIENCE_SECONDS,
    show_default=True,
    help="Seconds for which the server may be away.",
)
@with_token("Of a private match, whose commits are shown whole.")
def feed(url: str, after: int, once: bool, patience: float, **asked: str | None) -> None:
    """Print all commits of the server at URL in their one order, a line of JSON each.

    Then each commit as it comes. To go on after a stop, give --after one more than the last
    `position` that was printed.
    """
    with interruptible(), problems_told(), Client(url, patience=patience) as client:
        wait = None if once else _WAIT_SECONDS
        for commit in client.feed(after, wait=wait, **asked):
            sys.stdout.buffer.write(orjson.dumps(commit, option=orjson.OPT_APPEND_NEWLINE))
            sys.stdout.buffer.flush()
