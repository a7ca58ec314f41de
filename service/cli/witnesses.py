"""What `giornale verify` holds a record against: receipts, keys, what its server shows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from service.cli import sources
from service.cli.options import with_token
from service.cli.sources import Source, Unreadable
from service.ledger.canonical import Json
from service.verify import receipts as verify_receipts
from service.verify.audit import Audit


@dataclass(frozen=True, slots=True)
class Witnesses:
    """What a record is held against: receipts, public keys, and what its server shows.

    receipts: names of files.   keys: a file or a URL, None for the keys of the record's own server.
    token: whose record to ask the server for.
    """

    receipts: tuple[str, ...]
    keys: str | None
    token: str | None


def with_witnesses(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command --receipt, --keys and --token; it gets them as `witnesses`."""

    @click.option(
        "--receipt",
        "receipts",
        multiple=True,
        metavar="FILE",
        help="A receipt that the record must bear out.",
    )
    @click.option(
        "--keys",
        metavar="FILE|URL",
        help="The public keys that receipts are checked against.",
    )
    @with_token("Whose record to ask the URL for.")
    @wraps(command)
    def called(
        receipts: tuple[str, ...], keys: str | None, token: str | None, **arguments: Any
    ) -> None:
        command(**arguments, witnesses=Witnesses(receipts, keys, token))

    return called


def check_witnesses(audit: Audit, source: Source, witnesses: Witnesses) -> None:
    """Hold a record against what its server and the receipts say; raises Wrong and Unreadable."""
    if source.document is not None:
        verify_receipts.check_document(audit, source.document, source.keys or [])

    known_keys = sources.keys_of(witnesses.keys) if witnesses.keys else source.keys
    if witnesses.receipts and known_keys is None:
        raise Unreadable("receipts are checked against public keys: give --keys FILE or URL")

    receipts = [_read_receipt(name) for name in witnesses.receipts]
    verify_receipts.check_receipts(audit, receipts, known_keys or [])


def _read_receipt(name: str) -> Json:
    """Return the receipt in a file, which may hold the whole answer to a move.

    Raises Unreadable.
    """
    value = sources.parsed(sources.of_file(name).content, name)
    receipt: Json = value.get("receipt", value)
    return receipt
