"""Golden records of both kinds of commitment, and relabellings that the page alone can find."""

import gzip
from typing import Any

import pytest

from domain.game import Game
from domain.games import RELEASED
from service.ledger import record
from tests.attacks.forging import relabelled
from tests.records import make

OTHER_ID = "z" * 26
WITHOUT_PLAY = ("envelope", "field", "key")  # relabellings found without playing the match again
KINDS = ("unbound", "bound")

of_both_kinds = pytest.mark.parametrize(
    ("game", "kind"),
    [pytest.param(game, kind, id=f"{game.rules}-{kind}") for game in RELEASED for kind in KINDS],
)


def golden(game: Game[Any], kind: str) -> list[bytes]:
    """Return a golden record, "bound" to its match's id or "unbound"."""
    pattern = "*-bound-*" if kind == "bound" else "*-??.ndjson.gz"
    path = min((make.HOME / game.key).glob(pattern))
    return record.lines(gzip.decompress(path.read_bytes()))


def relabelled_records(lines: list[bytes]) -> list[list[bytes]]:
    """Return the record of a bound match under another id, forged in every way without play."""
    return [relabelled(lines, OTHER_ID, how) for how in WITHOUT_PLAY]
