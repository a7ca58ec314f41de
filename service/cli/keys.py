"""`giornale keys`: the keys that receipts are signed with."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
import orjson

from service.bootstrap import open_signer
from service.cli.complaints import failed_requests
from service.cli.settings import load_settings
from service.datadir import explained
from service.keys.signer import NoKeys, Signer
from service.ledger.canonical import Json


@click.group()
def keys() -> None:
    """The keys that receipts are signed with."""


@keys.command("list")
def list_() -> None:
    """Print the public keys; makes none."""
    public_keys: list[Json] = []

    with failed_requests(), _local_signer() as signer:
        try:
            public_keys = signer.existing_keys()
        except NoKeys as error:
            click.echo(str(error), err=True)

    click.echo(orjson.dumps({"keys": public_keys}, option=orjson.OPT_INDENT_2))


@keys.command()
def rotate() -> None:
    """Sign with a new key from now on; receipts signed before stay good."""
    with failed_requests(), _local_signer() as signer:
        new_key = signer.rotate()

    click.echo(new_key["id"])


@contextmanager
def _local_signer() -> Iterator[Signer]:
    """Open the keys of the data directory; raises DataUnusable."""
    config = load_settings()
    with explained(config.data):
        yield open_signer(config)
