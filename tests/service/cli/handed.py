"""Records that the tests of the commands hand over, and what stands in them."""

from pathlib import Path

from click.testing import Result

from service.ledger.commit import parse_object
from service.matches.context import Context
from tests.attacks.forging import entries_of, mended, opening_messages
from tests.service.cli.conftest import Run
from tests.service.toy_matches import whole


def match_in(file: Path) -> str:
    """Return the id of the match that a record in a file is of."""
    first_line, _, _ = file.read_bytes().partition(b"\n")
    return str(parse_object(first_line)["subject"])


def by_rules(ctx: Context, rules: str) -> bytes:
    """Return a whole record that says it was played by these rules."""
    entries = entries_of(whole(ctx))
    for message in opening_messages(entries):
        message["rules"] = rules
    return b"".join(mended(entries))


def verify_lines(run: Run, lines: list[bytes], *arguments: object) -> Result:
    """Return what `giornale verify` does with these lines on its standard input."""
    return run("verify", "-", *arguments, input=b"".join(lines))
