"""The true records that the campaign forges: golden ones of the games, and some of the toy."""

import gzip
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.match.state import Match
from service.keys.signer import Accepted, sign_receipt
from service.ledger import record
from service.ledger.commit import Json
from service.matches import automation, lobby, moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.records import export
from service.matches.repository import load
from tests.attacks.forging import entries_of
from tests.attacks.survivors import drawing
from tests.records import make
from tests.service.toy_matches import new_context
from workers.bots import choose

GOLDEN = ("1-3-00", "1-3-03", "1-3-09", "1-3-bound-00", "1-3-bound-03", "1-3-bound-09")
TOY_SEEDS = ("a", "b", None)  # None: the match's secret is bound to its id

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC_HEX = PRIVATE.public_key().public_bytes_raw().hex()
KEYS = [{"id": "k", "public": PUBLIC_HEX, "until": None}]


class Base(NamedTuple):
    """A true record.

    receipt: of its last commit.   drew: the versions of the commits that draw.
    """

    lines: list[bytes]
    receipt: Json
    drew: set[int]


@cache
def bases(game: str) -> list[Base]:
    """Return the true records of a game, of both kinds of commitment."""
    if game == "toy":
        return [_base(_toy_record(seed)) for seed in TOY_SEEDS]
    return [_base(_golden_record(game, name)) for name in GOLDEN]


def _base(lines: list[bytes]) -> Base:
    entries = entries_of(lines)
    last = Accepted.of(entries[-1])
    receipt = dict(sign_receipt(last, "k", PRIVATE))
    return Base(lines, receipt, drawing(entries))


def _golden_record(game: str, name: str) -> list[bytes]:
    path = make.HOME / game / f"{name}.ndjson.gz"
    return record.lines(gzip.decompress(path.read_bytes()))


def _toy_record(seed: str | None) -> list[bytes]:
    """Return the record of a toy match with a lobby, with the same bytes each time."""
    ctx = new_context()
    plans = [
        {"kind": "human", "name": "Ginevra", "entropy": "0f" * 8},
        {"kind": "open"},
        {"kind": "bot", "level": "random"},
    ]
    wish = OpenRequest("toy", plans, {"rounds": 3}, seed=seed)
    with patch("service.matches.opening.secrets.token_bytes", lambda length: b"t" * length):
        opened = open_new(ctx, wish, key=f"campaign of {seed}")

    joined = _gather(ctx, opened)
    tokens = {0: opened.tokens["seat:0"], 1: joined}
    _play_out(ctx, opened, tokens)
    return list(export(ctx, opened.loaded.id, None))


def _gather(ctx: Context, opened: Opened) -> str | None:
    """Let somebody join, leave and join again, and the owner start; return the joiner's token."""
    match = opened.loaded.id
    nobody = Submission(match, None)
    owner = Submission(match, opened.tokens["owner"])
    joiner = {"name": "Cosimo", "entropy": "ab" * 8}

    _, first_token = lobby.join(ctx, nobody, 1, joiner)
    lobby.leave(ctx, Submission(match, first_token), 1)

    _, token = lobby.join(ctx, nobody, 1, joiner)
    lobby.start(ctx, owner)
    return token


def _play_out(ctx: Context, opened: Opened, tokens: dict[int, str | None]) -> None:
    """Play a match until all is revealed; tokens: of the humans' seats."""
    match_id = opened.loaded.id
    while True:
        match = load(ctx, match_id).match
        if match.revealed:
            return

        if match.status.awaiting == "house":
            automation.act(ctx, match_id)
        elif match.status.worker == "bots":
            automation.play_bots(ctx, match_id, choose)
        elif match.status.name == "running":
            _swap(ctx, opened, match, tokens)


def _swap(ctx: Context, opened: Opened, match: Match, tokens: dict[int, str | None]) -> None:
    """Let the seat whose turn it is swap; a bot stands in for the first seat afterwards."""
    match_id = opened.loaded.id
    owner = Submission(match_id, opened.tokens["owner"])
    seat = match.state.turn
    mover = Submission(match_id, tokens[seat])

    moves.move(ctx, mover, {"type": "swap", "why": "hope"})
    if seat == 0:
        lobby.replace(ctx, owner, 0, "greedy")
        lobby.restore(ctx, owner, 0)
