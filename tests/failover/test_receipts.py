"""A failover that has lost moves is found out by the receipts of those who made them."""

import signal
from itertools import count
from pathlib import Path

import pytest

from service.journal.redis import open_journal
from service.keys.signer import Signer
from service.ledger.commit import Json
from service.matches import moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.records import export
from service.verify.audit import verify_record
from service.verify.receipts import check_receipts
from service.verify.report import Wrong
from tests import toy
from tests.redis_node import HOST
from tests.redis_sentinel import running_pair
from tests.service.toy_matches import START

PARTITIONS = 16
HUMANS = [{"kind": "human", "name": name} for name in ("Ada", "Bea")]


def context_at(url: str, keys: Path) -> Context:
    """Return a desk over the server at a URL, whose receipts are signed."""
    ticks = count(START)
    return Context(
        open_journal(url, PARTITIONS),
        b"s" * 32,
        lambda: next(ticks),
        lambda *_: None,
        allow_seed=True,
        signer=Signer(keys, lambda: next(ticks)),
    )


def keep(ctx: Context, match: Opened, seat: int) -> Json:
    """Make a move, and return its receipt."""
    token = match.tokens[f"seat:{seat}"]
    made = moves.move(ctx, Submission(match.loaded.id, token), {"type": "keep"})
    assert made.receipt is not None
    return dict(made.receipt)


def test_a_receipt_names_the_move_that_a_failover_has_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Receipts of before the cut are vouched for; that of a move made after it is not."""
    toy.install(monkeypatch)
    with running_pair(tmp_path, watched=False) as pair:
        ctx = context_at(pair.plain_url, tmp_path / "keys.json")
        match = open_new(ctx, OpenRequest("toy", HUMANS, {"rounds": 2}, seed="toy"))
        copied = keep(ctx, match, 0)
        pair.nodes[0].ask("WAIT", 1, 5000)

        pair.nodes[1].signal(signal.SIGSTOP)
        pair.nodes[0].ask("CLIENT", "KILL", "TYPE", "replica")
        lost = keep(ctx, match, 1)
        pair.nodes[0].kill()
        pair.nodes[1].signal(signal.SIGCONT)
        pair.nodes[1].ask("REPLICAOF", "NO", "ONE")

        after = context_at(f"redis://{HOST}:{pair.nodes[1].port}/0", tmp_path / "keys.json")
        audit = verify_record(export(after, match.loaded.id, None))
        signer = after.signer
        assert signer is not None
        check_receipts(audit, [copied], signer.keys())

        with pytest.raises(Wrong) as found:
            check_receipts(audit, [lost], signer.keys())

    assert found.value.code == "cut_short"
