"""Proofs over HTTP: every commit is proven, and the log follows C2SP tlog-tiles."""

import struct
from pathlib import Path

import pytest

from service.bootstrap import open_sequencer
from service.capabilities.log.witnesses import Answer, Cosigning
from service.record.tlog import tree
from service.record.tlog.checkpoint import read_checkpoint, read_note, read_verifier
from service.record.tlog.proof import Policy, Trusted, holds, read_policy, read_proof
from service.store.tlog.entries import leaf_of_commit
from service.store.tlog.witness import Witness
from tests.service.api.conftest import SETTINGS, Door, Make, json, opened, problem
from tests.service.store.tlog.conftest import run_out


@pytest.fixture
def house(make_door: Make) -> Door:
    """A public match with some commits in the log."""
    match = opened(make_door(**SETTINGS))
    for _ in range(3):
        match.move(f"seat:{match.waiting_seats()[0]}")
    seal(match)
    return match


def seal(match: Door) -> None:
    """Give all commits positions."""
    run_out(open_sequencer(match.services.config, match.ctx))


def policy_of(match: Door) -> Policy:
    """Return a policy that trusts the log's key as the server lists it."""
    key = json(match.get("/v1/keys"))["log_key"]
    return read_policy(f"log {key}\nquorum none\n".encode())


def test_every_commit_is_proven(house: Door) -> None:
    """The proof of a commit holds for this commit and no other."""
    policy = policy_of(house)
    commits = json(house.get("commits"))["commits"]
    for commit in commits:
        answer = house.get(f"proof?version={commit['version']}")
        assert answer.mimetype == "text/plain"
        assert ".tlog-proof" in answer.headers["Content-Disposition"]
        proof = read_proof(answer.data)
        trusted = Trusted.of(proof.checkpoint, policy)
        for other in commits:
            leaf = leaf_of_commit(house.match, other["version"], other["hash"], private=False)
            assert holds(proof, trusted, leaf) == (other == commit)

    assert house.get("proof").data == house.get(f"proof?version={len(commits)}").data


def test_proofs_of_a_private_match_are_for_its_tokens(house: Door) -> None:
    """Proofs of a private match prove only hashes. Strangers get 404."""
    private = opened(Door.of(house.client.application), visibility="private")
    seal(private)
    assert problem(private.get("proof")) == (404, "not-found")

    proof = read_proof(private.get("proof", "seat:0").data)
    commit_hash = json(private.get("commits", "seat:0"))["commits"][-1]["hash"]
    leaf = leaf_of_commit(private.match, 1, commit_hash, private=True)
    assert holds(proof, Trusted.of(proof.checkpoint, policy_of(house)), leaf)


def test_a_proof_holds_the_newest_checkpoint_of_witnesses(house: Door, tmp_path: Path) -> None:
    """The proof meets a policy that demands a witness.

    Later commits have the log's own checkpoint.
    """
    assert problem(house.get("/v1/log/cosigned")) == (404, "not-found")
    log = house.ctx.log
    assert log is not None
    key = json(house.get("/v1/keys"))["log_key"]
    witness = Witness(tmp_path / "witness", "example.org/w", [read_verifier(key)], lambda: 0)
    lines = f"log {key}\nwitness w {witness.verifier} http://w.example\nquorum w\n"
    policy = read_policy(lines.encode())

    def post(_url: str, body: bytes) -> Answer:
        reply = witness.add_checkpoint(body)
        return Answer(reply.status, reply.body)

    Cosigning(policy, log, lambda _outcome: None, post).round()
    cosigned = house.get("/v1/log/cosigned")
    assert Trusted.of(cosigned.data, policy).seen_by == ("w",)
    versions = len(json(house.get("commits"))["commits"])

    house.move(f"seat:{house.waiting_seats()[0]}")
    seal(house)
    for commit in json(house.get("commits"))["commits"]:
        proof = read_proof(house.get(f"proof?version={commit['version']}").data)
        expected = policy if commit["version"] <= versions else policy_of(house)
        leaf = leaf_of_commit(house.match, commit["version"], commit["hash"], private=False)
        assert holds(proof, Trusted.of(proof.checkpoint, expected), leaf)
        assert (proof.checkpoint == cosigned.data) == (commit["version"] <= versions)


def test_an_unsealed_commit_is_to_be_asked_for_again(house: Door) -> None:
    """The proof of a commit without a position is 503, of a commit that does not exist 404."""
    house.move(f"seat:{house.waiting_seats()[0]}")
    refused = house.get("proof")
    assert problem(refused) == (503, "overloaded")
    assert "Retry-After" in refused.headers

    assert problem(house.get("proof?version=99")) == (404, "not-found")
    assert problem(house.get("proof?version=0")) == (422, "invalid-request")
    seal(house)
    assert house.get("proof").status_code == 200


def test_the_log_can_be_checked_from_its_tiles(house: Door) -> None:
    """Bundles hold the leaves, tiles their hashes, and the checkpoint the root over them."""
    note = house.get("/v1/log/checkpoint")
    assert (note.mimetype, note.headers["Cache-Control"]) == ("text/plain", "no-cache")
    at_end = read_checkpoint(read_note(note.data))

    bundle = house.get(f"/v1/log/tile/entries/000.p/{at_end.size}")
    assert bundle.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    leaves, rest = [], bundle.data
    while rest:
        (length,) = struct.unpack(">H", rest[:2])
        leaves.append(rest[2 : 2 + length])
        rest = rest[2 + length :]
    assert len(leaves) == at_end.size

    hashes = house.get(f"/v1/log/tile/0/000.p/{at_end.size}").data
    assert hashes == b"".join(map(tree.leaf_hash, leaves))
    assert tree.root_of(tree.split(hashes)) == at_end.root


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/000",
        "tile/0/000.p/200",
        "tile/0/001.p/1",
        "tile/0/0.p/1",
        "tile/0/000.p/0",
        "tile/1/000.p/1",
        "tile/64/000.p/1",
        "tile/entries/000",
        "tile/entries/x001/000",
        "tile/entries/soon",
        "tile/0/../../checkpoint",
    ],
)
def test_a_missing_path_of_the_log_is_404(house: Door, path: str) -> None:
    """A path in a form that C2SP does not write is 404, too."""
    assert problem(house.get(f"/v1/log/{path}")) == (404, "not-found")


def test_an_empty_log_has_no_checkpoint_and_no_key(make_door: Make) -> None:
    """Without entries the log has no key, but the keys of receipts are listed."""
    door = make_door(**SETTINGS)
    assert problem(door.get("/v1/log/checkpoint")) == (404, "not-found")
    assert json(door.get("/v1/keys")).keys() == {"keys"}
