"""Proofs and policies: right ones are read, and wrong ones are refused."""

import base64
from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.record.tlog import checkpoint, proof, tree
from service.record.tlog.checkpoint import COSIGNATURE, ED25519, Checkpoint, Signature, Verifier
from service.record.tlog.proof import (
    BadProof,
    Policy,
    Proof,
    Trusted,
    cosigned,
    holds,
    read_policy,
    read_proof,
)
from service.store.tlog.entries import leaf_of_commit

ORIGIN = "games.example/log"
SECONDS = 1_790_000_000
KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)) for number in range(1, 6)]
LEAVES = [leaf_of_commit("m", version, f"{version:064x}", private=False) for version in range(1, 8)]
HASHES = [tree.leaf_hash(leaf) for leaf in LEAVES]


def verifier(number: int, kind: int = COSIGNATURE) -> Verifier:
    """Return a public key with its name. The log's key has the number 0."""
    name = ORIGIN if number == 0 else f"witness.example/{number}"
    return Verifier(name, kind, KEYS[number].public_key().public_bytes_raw())


LOG = verifier(0, ED25519)
WITNESSES = "".join(f"witness w{number} {verifier(number)}\n" for number in (1, 2, 3))
POLICY = f"log {LOG}\n{WITNESSES}group all-of-them 2 w1 w2 w3\nquorum all-of-them\n"


def note(*cosigners: int, log: int = 0, seconds: int = SECONDS) -> bytes:
    """Return the checkpoint over all leaves, signed by a log's key and by witnesses."""
    at_end = Checkpoint(ORIGIN, len(LEAVES), tree.root_of(HASHES))
    written = checkpoint.signed(at_end, LOG.public, KEYS[log].sign)
    for number in cosigners:
        written += cosignature(number, at_end.text(), seconds)
    return written


def cosignature(number: int, text: str, seconds: int = SECONDS) -> bytes:
    """Return the line of a witness's signature of a checkpoint's text."""
    key = verifier(number)
    signature = KEYS[number].sign(cosigned(text, seconds))
    line = Signature(key.name, key.key_id, seconds.to_bytes(8, "big") + signature).line()
    return line.encode()


def proof_of(position: int, *cosigners: int) -> Proof:
    """Return the proof of a leaf."""
    nodes = tree.Nodes(len(LEAVES), lambda *_tile: tree.pyramid_of(tuple(HASHES)))
    hashes = tree.inclusion(position, len(LEAVES), nodes)
    return Proof(position, tuple(hashes), note(*cosigners))


def test_every_leaf_is_proven_and_no_other() -> None:
    """A proof that was written and read holds only for its own leaf and position."""
    policy = read_policy(POLICY.encode())
    for position, leaf in enumerate(LEAVES):
        leaf_proof = read_proof(proof_of(position, 1, 3).written())
        trusted = Trusted.of(leaf_proof.checkpoint, policy)
        assert trusted.seen_by == ("w1", "w3")
        assert [holds(leaf_proof, trusted, other) for other in LEAVES] == [
            other == leaf for other in LEAVES
        ]
        assert not holds(replace(leaf_proof, position=position ^ 1), trusted, leaf)
        assert not holds(replace(leaf_proof, hashes=leaf_proof.hashes[:-1]), trusted, leaf)


def test_the_leaf_of_a_private_match_is_its_hash() -> None:
    """The leaf of a private match names neither match nor version."""
    assert leaf_of_commit("m", 7, "ab", private=True) == b'{"hash":"ab"}'
    assert leaf_of_commit("m", 7, "ab", private=False) == b'{"hash":"ab","match":"m","version":7}'


def test_extra_data_is_passed_over() -> None:
    """Unsigned extra data of a proof is ignored."""
    written = proof_of(3).written()
    with_extra = written.replace(b"\nindex", b"\nextra " + base64.b64encode(b"x") + b"\nindex")
    assert read_proof(with_extra) == read_proof(written)


Change = Callable[[bytes], bytes]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace(b"@v1", b"@v2"), "first line"),
        (lambda text: text.replace(b"index 3", b"index 03"), "position"),
        (lambda text: text.replace(b"index 3", b"index -3"), "position"),
        (lambda text: text.replace(b"index 3\n", b""), "position"),
        (lambda text: text.replace(b"index 3\n", b"index 3\nAAAA\n"), "SHA-256"),
        (lambda text: text.replace(b"=\n", b"\n", 1), "SHA-256"),
        (lambda text: text.replace(b"index 3\n", b"index 3\n" + 64 * (43 * b"A" + b"=\n")), "63"),
        (lambda text: text.replace(b"\n\n", b"\n"), "not a proof"),
        (lambda _: b"", "not a proof"),
        (lambda _: b"\xff" * 200, "not a proof"),
        (lambda text: text + b" " * 200_000, "not a proof"),
    ],
)
def test_a_malformed_proof_is_refused(change: Change, reason: str) -> None:
    """The error names the fault of a malformed proof."""
    with pytest.raises(BadProof, match=reason):
        read_proof(change(proof_of(3).written()))


# ---- policies ------------------------------------------------------------------------------------


# The required witnesses, the actual ones, and True if they are enough.
QUORUMS: list[tuple[str, list[int], bool]] = [
    ("quorum none", [], True),
    ("quorum w2", [2], True),
    ("quorum w2", [1, 3], False),
    ("group g all w1 w2\nquorum g", [1, 2], True),
    ("group g all w1 w2\nquorum g", [1, 3], False),
    ("group g any w1 w2\nquorum g", [2], True),
    ("group g any w1 w2\nquorum g", [3], False),
    ("group g 2 w1 w2 w3\nquorum g", [3, 1], True),
    ("group g any w1 w2\ngroup h all g w3\nquorum h", [2, 3], True),
    ("group g any w1 w2\ngroup h all g w3\nquorum h", [1, 2], False),
]


@pytest.mark.parametrize(("quorum", "cosigners", "is_met"), QUORUMS)
def test_a_quorum_follows_the_policy(quorum: str, cosigners: list[int], is_met: bool) -> None:
    """A quorum is met by witnesses and groups as C2SP tlog-policy defines."""
    policy = read_policy(f"# trust\n\nlog {LOG}\n{WITNESSES}\t {quorum}\n".encode())
    if is_met:
        assert len(Trusted.of(note(*cosigners), policy).seen_by) == len(cosigners)
    else:
        with pytest.raises(BadProof, match="have signed"):
            Trusted.of(note(*cosigners), policy)


# Malformed policies, and the messages about them.
NO_POLICIES = [
    ("", "no line: quorum"),
    (f"log {LOG}\n", "no line: quorum"),
    ("quorum none\nquorum none", "line 2"),
    ("quorum w1", "line 1 .* w1"),
    (f"log {LOG}\nlog {LOG}\nquorum none", "line 2 .* twice"),
    (f"log {verifier(1)}\nquorum none", "line 1 .* kind"),
    (f"witness w {LOG}\nquorum none", "line 1 .* kind"),
    (f"{WITNESSES}witness w1 {verifier(4)}\nquorum none", "line 4 .* taken"),
    (f"{WITNESSES}witness w4 {verifier(1)}\nquorum none", "line 4 .* twice"),
    (f"{WITNESSES}group w1 any w2\nquorum none", "line 4 .* taken"),
    (f"{WITNESSES}group none any w2\nquorum none", "line 4 .* taken"),
    (f"{WITNESSES}group g 4 w1 w2 w3\nquorum g", "line 4 .* 1 to 3"),
    (f"{WITNESSES}group g 0 w1\nquorum g", "line 4"),
    (f"{WITNESSES}group g any w1\ngroup h any w1\nquorum h", "line 5 .* member twice"),
    (f"{WITNESSES}group g any\nquorum g", "line 4"),
    ("log nonsense\nquorum none", "line 1"),
    ("trust everybody\nquorum none", "line 1"),
    ("\n" * 2000, "lines"),
]


@pytest.mark.parametrize(("text", "reason"), NO_POLICIES)
def test_a_malformed_policy_is_refused(text: str, reason: str) -> None:
    """The error names the wrong line of a policy."""
    with pytest.raises(BadProof, match=reason):
        read_policy(text.encode())


def test_only_right_signatures_count() -> None:
    """A signature by another key, for another time or of another log does not count."""
    policy = read_policy(POLICY.encode())
    with pytest.raises(BadProof, match="no log"):
        Trusted.of(note(1, 2, log=4), policy)
    with pytest.raises(BadProof, match="no log"):
        Trusted.of(note(1, 2), replace(policy, logs=()))
    with pytest.raises(BadProof, match="note"):
        Trusted.of(b"nothing", policy)

    written = note(1, 2)
    first, second = written.splitlines(keepends=True)[-2:]
    swapped = written.replace(second, second.replace(b"/2 ", b"/3 "))
    assert swapped != written
    moved = bytearray(base64.b64decode(second.split(b" ")[2]))
    moved[11] ^= 1  # the last byte of the time
    at_another_time = written.replace(second.split(b" ")[2], base64.b64encode(moved) + b"\n")
    for forged in (swapped, at_another_time, written.replace(second, first)):
        with pytest.raises(BadProof, match="1 of the policy's witnesses"):
            Trusted.of(forged, policy)


def test_a_policy_names_the_addresses_of_witnesses() -> None:
    """The line of a witness may have an address after the key."""
    text = f"witness w {verifier(1)} http://127.0.0.1:7000/\nquorum w\n"
    policy: Policy = read_policy(text.encode())
    assert policy.urls == {"w": "http://127.0.0.1:7000/"}
    assert proof.NONE not in policy.witnesses
