"""`giornale log` and `giornale verify --proof`: proofs of a server's log, and its extension."""

from pathlib import Path
from urllib.request import urlopen

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.record.tlog import checkpoint, tree
from service.record.tlog.checkpoint import ED25519, Checkpoint, Verifier
from tests.service.ops.cli.conftest import Run, Seal
from tests.service.ops.cli.site import Pages
from tests.service.toy_matches import opened, play_on

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
LOG = Verifier("games.example/log", ED25519, KEY.public_key().public_bytes_raw())


@pytest.fixture
def match(here: Context, seal: Seal) -> NewMatch:
    """An ended match in the log."""
    new_match = opened(here)
    play_on(here, new_match)
    seal()
    return new_match


@pytest.fixture
def policy(here: Context, match: NewMatch, tmp_path: Path) -> Path:
    """A policy that trusts the log's key."""
    assert here.log is not None
    path = tmp_path / "trust.policy"
    path.write_text(f"log {here.log.state().key}\nquorum none\n")
    return path


def test_a_record_is_checked_with_a_proof(
    run_alone: Run, match: NewMatch, url: str, policy: Path, tmp_path: Path
) -> None:
    """The proof is fetched, and checked without a server. The report tells the position."""
    address = f"{url}/v1/matches/{match.loaded.id}"
    proof, record = tmp_path / "p.tlog-proof", tmp_path / "r.ndjson"
    assert run_alone("log", "prove", address, "--version", "3", "-o", proof).exit_code == 0
    record.write_bytes(fetched(address))

    checked = run_alone("verify", record, "--proof", proof, "--policy", policy)
    assert checked.exit_code == 0
    assert "commit 3 is in the log giornale-" in checked.output
    assert " at 2 of " in checked.output


def fetched(address: str) -> bytes:
    """Return the record of a match on a server."""
    with urlopen(f"{address}/record") as answer:  # noqa: S310 - on loopback
        content: bytes = answer.read()
    return content


def test_a_proof_of_something_else_proves_nothing(
    run_alone: Run,
    here: Context,
    match: NewMatch,
    file: Path,
    url: str,
    policy: Path,
    tmp_path: Path,
) -> None:
    """A proof of another match, of another log, or cut short is refused with its fault."""
    proof = tmp_path / "p.tlog-proof"
    run_alone("log", "prove", f"{url}/v1/matches/{match.loaded.id}", "-o", proof)

    wrong = run_alone("verify", file, "--proof", proof, "--policy", policy)
    assert wrong.exit_code == 1
    assert "not this commit" in wrong.output

    stranger = tmp_path / "other.policy"
    stranger.write_text(f"log {LOG}\nquorum none\n")
    wrong = run_alone("verify", file, "--proof", proof, "--policy", stranger)
    assert wrong.exit_code == 1
    assert "no log of the policy" in wrong.output

    proof.write_bytes(proof.read_bytes()[:40])
    wrong = run_alone("verify", file, "--proof", proof, "--policy", policy)
    assert wrong.exit_code == 1
    assert "proves nothing" in wrong.output


def test_proofs_need_a_policy_that_can_be_read(run_alone: Run, file: Path, tmp_path: Path) -> None:
    """The message names the missing option, or the wrong line of the policy."""
    missing = run_alone("verify", file, "--proof", file)
    assert missing.exit_code == 2
    assert "give --policy FILE" in missing.output

    policy = tmp_path / "trust.policy"
    policy.write_text("quorum everybody\n")
    unreadable = run_alone("verify", file, "--proof", file, "--policy", policy)
    assert unreadable.exit_code == 2
    assert "line 1 of the policy" in unreadable.output


def test_a_log_that_goes_on_is_followed(
    run_alone: Run,
    here: Context,
    match: NewMatch,
    seal: Seal,
    url: str,
    policy: Path,
    tmp_path: Path,
) -> None:
    """The first checkpoint is saved. Each later one extends and replaces it."""
    checkpoint_file = tmp_path / "checkpoint"
    first = run_alone("log", "consistency", url, checkpoint_file, "--policy", policy)
    assert (first.exit_code, "checkpoint saved" in first.output) == (0, True)
    before = checkpoint_file.read_bytes()

    for seed in ("one", "two"):
        wish = OpenRequest("toy", [{"kind": "human"}] * 2, {"rounds": 2}, seed=seed)
        play_on(here, open_new(here, wish))
        seal()
        more = run_alone("log", "consistency", url, checkpoint_file, "--policy", policy)
        assert (more.exit_code, "extend the old" in more.output) == (0, True)
    assert checkpoint_file.read_bytes() != before


def test_a_log_without_a_checkpoint_is_no_match(
    run_alone: Run, pages: Pages, site: str, tmp_path: Path
) -> None:
    """The message says "not found". No file is left."""
    policy, checkpoint_file = tmp_path / "trust.policy", tmp_path / "checkpoint"
    policy.write_text(f"log {LOG}\nquorum none\n")
    missing = run_alone("log", "consistency", site, checkpoint_file, "--policy", policy)
    assert missing.exit_code == 2
    assert "/v1/log/checkpoint: not found" in missing.stderr
    assert not checkpoint_file.exists()


class Forger:
    """Shows a log of a few leaves at the pages of a server."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages

    def show(self, *leaves: bytes) -> None:
        """Show the log of these leaves."""
        hashes = [tree.leaf_hash(leaf) for leaf in leaves]
        at_end = Checkpoint(LOG.name, len(leaves), tree.root_of(hashes))
        self.pages["/v1/log/checkpoint"] = checkpoint.signed(at_end, LOG.public, KEY.sign)
        for width in range(1, len(leaves) + 1):
            self.pages[f"/v1/log/tile/0/000.p/{width}"] = b"".join(hashes[:width])


def test_a_log_with_two_histories_is_convicted(
    run_alone: Run, pages: Pages, site: str, tmp_path: Path
) -> None:
    """Both checkpoints are saved. An older or unreadable log does not replace the first one."""
    policy, checkpoint_file = tmp_path / "trust.policy", tmp_path / "checkpoint"
    policy.write_text(f"log {LOG}\nquorum none\n")
    forger = Forger(pages)
    forger.show(b"a", b"b", b"c")
    assert run_alone("log", "consistency", site, checkpoint_file, "--policy", policy).exit_code == 0
    before = checkpoint_file.read_bytes()

    empty = tmp_path / "empty"
    nothing = Checkpoint(LOG.name, 0, tree.EMPTY_ROOT)
    empty.write_bytes(checkpoint.signed(nothing, LOG.public, KEY.sign))
    assert run_alone("log", "consistency", site, empty, "--policy", policy).exit_code == 0

    for leaves in ([b"a", b"x", b"c", b"d"], [b"a", b"b", b"x"]):
        forger.show(*leaves)
        convicted = run_alone("log", "consistency", site, checkpoint_file, "--policy", policy)
        assert convicted.exit_code == 1
        assert "together convict it" in convicted.stderr
        assert checkpoint_file.read_bytes() == before
        evidence = tmp_path / "checkpoint.fork"
        assert evidence.read_bytes() == pages["/v1/log/checkpoint"]

    forger.show(b"a", b"b")
    older = run_alone("log", "consistency", site, checkpoint_file, "--policy", policy)
    assert (older.exit_code, "shows a checkpoint of 2" in older.stderr) == (2, True)

    forger.show(b"a", b"b", b"c", b"d", b"e")
    pages["/v1/log/tile/0/000.p/5"] = b"short"
    cut = run_alone("log", "consistency", site, checkpoint_file, "--policy", policy)
    assert (cut.exit_code, "does not have 5 hashes" in cut.stderr) == (2, True)
    assert checkpoint_file.read_bytes() == before


def test_a_proof_is_checked_with_a_receipt_alone(
    run_alone: Run, match: NewMatch, url: str, policy: Path, tmp_path: Path
) -> None:
    """A receipt names its commit. It does not fit the proof of another commit."""
    address = f"{url}/v1/matches/{match.loaded.id}"
    proof, receipt = tmp_path / "p.tlog-proof", tmp_path / "receipt.json"
    run_alone("log", "prove", address, "-o", proof)
    with urlopen(address) as answer:  # noqa: S310 - on loopback
        receipt.write_bytes(answer.read())
    arguments = ("log", "verify", proof, "--receipt", receipt, "--policy", policy)

    checked = run_alone(*arguments)
    assert checked.exit_code == 0
    assert checked.output.startswith(f"right: match {match.loaded.id}, commit ")

    run_alone("log", "prove", address, "--version", "1", "-o", proof, "--replace")
    wrong = run_alone(*arguments)
    assert (wrong.exit_code, "wrong: " in wrong.output) == (1, True)

    receipt.write_text("{}")
    unreadable = run_alone(*arguments)
    assert (unreadable.exit_code, "is not a receipt" in unreadable.stderr) == (2, True)
