"""A witness signs extensions of its last checkpoint and nothing else, even after a crash."""

import base64
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.base import private_files
from service.record.tlog import checkpoint, tree
from service.record.tlog.checkpoint import ED25519, Checkpoint, Note, Signature, Verifier, read_note
from service.record.tlog.proof import cosigned, has_cosigned, read_policy
from service.store.tlog import witness as module
from service.store.tlog.witness import KEY_FILE, MOST_BYTES, STATE_FILE, Witness, WitnessUnusable

ORIGIN = "games.example/log"
NOW = 1_790_000_000_500
KEY = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(b"\2" * 32)
LEAVES = [tree.leaf_hash(b"%d" % number) for number in range(20)]
FORK = [*LEAVES[:3], *(tree.leaf_hash(b"fork %d" % number) for number in range(17))]


def log_key(key: Ed25519PrivateKey = KEY, name: str = ORIGIN) -> Verifier:
    """Return the verifier key of a log."""
    return Verifier(name, ED25519, key.public_key().public_bytes_raw())


def made(data: Path, name: str = "") -> Witness:
    """Return a directory's witness for the log."""
    return Witness(data, name, [log_key()], lambda: NOW)


def signed(
    size: int, leaves: Sequence[bytes] = LEAVES, key: Ed25519PrivateKey = KEY, origin: str = ORIGIN
) -> bytes:
    """Return the checkpoint of a log."""
    at_end = Checkpoint(origin, size, tree.root_of(leaves[:size]))
    return checkpoint.signed(at_end, key.public_key().public_bytes_raw(), key.sign)


def proof(old: int, size: int, leaves: Sequence[bytes] = LEAVES) -> list[str]:
    """Return the lines of a consistency proof."""
    nodes = tree.Nodes(size, lambda *_tile: tree.pyramid_of(tuple(leaves[:size])))
    hashes = tree.consistency(old, size, nodes) if old else []
    return [base64.b64encode(one).decode() for one in hashes]


def body(old: int, lines: Sequence[str], note: bytes) -> bytes:
    """Return the body of a request."""
    return "\n".join([f"old {old}", *lines, "", ""]).encode() + note


def asked(old: int, size: int, leaves: Sequence[bytes] = LEAVES) -> bytes:
    """Return the body of a request with the proof for it."""
    return body(old, proof(old, size, leaves), signed(size, leaves))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The directory of a witness."""
    return tmp_path / "witness"


@pytest.fixture
def witness(data: Path) -> Witness:
    """A new witness."""
    return made(data)


def is_signed(witness: Witness, answer: bytes, note: bytes) -> bool:
    """Return True if an answer is one cosignature of a checkpoint, with the time."""
    text = read_note(note).text
    [one] = read_note(f"{text}\n".encode() + answer).signatures
    seconds = int.from_bytes(one.signature[:8], "big")
    assert seconds == NOW // 1000
    assert cosigned(text, seconds).startswith(
        b"cosignature/v1\ntime 1790000000\n" + ORIGIN.encode()
    )
    return has_cosigned(witness.verifier, Note(text, (one,)))


# ---- what is signed ------------------------------------------------------------------------------


def test_each_step_of_a_log_is_signed_from_nothing_on(witness: Witness) -> None:
    """A log is signed from no size on, step by step, and at the same size again."""
    for old, size in ((0, 1), (1, 2), (2, 3), (3, 3), (3, 8), (8, 13), (13, 20), (20, 20)):
        reply = witness.add_checkpoint(asked(old, size))
        assert reply.status == 200, (old, size, reply.body)
        assert is_signed(witness, reply.body, signed(size))


def test_an_empty_log_is_signed(witness: Witness) -> None:
    """An empty log is signed at size 0, and then at a later size."""
    assert witness.add_checkpoint(asked(0, 0)).status == 200
    assert witness.add_checkpoint(asked(0, 5)).status == 200


def test_a_log_is_taken_at_any_size_without_a_proof_at_first(witness: Witness) -> None:
    """A first checkpoint needs no proof. With hashes the request is refused."""
    refused = witness.add_checkpoint(body(0, proof(3, 7), signed(7)))
    assert refused.status == 422
    assert witness.add_checkpoint(asked(0, 7)).status == 200


def test_signatures_of_strangers_are_passed_over(witness: Witness) -> None:
    """One signature of the log is enough. Others are not checked."""
    stranger = Signature("other.example", b"abcd", b"x" * 72).line().encode()
    note = signed(4) + stranger
    reply = witness.add_checkpoint(body(0, [], note))
    assert reply.status == 200
    assert is_signed(witness, reply.body, signed(4))


def test_lines_beyond_the_root_are_signed_too(witness: Witness) -> None:
    """The signature is over the whole text, as the log has signed it."""
    text = signed(4).decode().partition("\n\n")[0] + "\nmore 7\n"
    key = log_key()
    note = Note(text, (Signature(key.name, key.key_id, KEY.sign(text.encode())),)).written()
    assert is_signed(witness, witness.add_checkpoint(body(0, [], note)).body, note)


def test_the_printed_key_is_one_for_a_policy(witness: Witness) -> None:
    """The printed key is valid in a policy."""
    policy = read_policy(f"witness w {witness.verifier}\nquorum w\n".encode())
    assert policy.witnesses["w"] == witness.verifier


# ---- what is not ---------------------------------------------------------------------------------


def test_a_log_with_another_size_is_told_the_witnesss_size(witness: Witness) -> None:
    """The answer is 409 with the witness's size, in the form of C2SP, even for a smaller size."""
    witness.add_checkpoint(asked(0, 7))
    for old, size in ((0, 9), (5, 5), (5, 7), (3, 4), (9, 12)):
        reply = witness.add_checkpoint(asked(old, size))
        assert (reply.status, reply.body) == (409, b"7\n"), (old, size)
        assert reply.media_type == "text/x.tlog.size"

    assert witness.add_checkpoint(body(7, [], signed(5))).status == 400
    assert witness.add_checkpoint(asked(7, 9)).status == 200


@pytest.mark.parametrize("size", [8, 9, 16, 20])
def test_a_fork_is_not_signed(
    witness: Witness, caplog: pytest.LogCaptureFixture, size: int
) -> None:
    """A fork is not signed with any proof.

    Two roots of one size convict the log. A wrong proof is its sender's fault.
    """
    caplog.set_level(logging.WARNING)
    witness.add_checkpoint(asked(0, 8))
    other = signed(size, FORK)
    status = 409 if size == 8 else 422
    for lines in (proof(8, size), proof(8, size, FORK), [], proof(3, size, FORK)):
        reply = witness.add_checkpoint(body(8, lines, other))
        assert reply.status == status
        assert "\u2014" not in reply.body.decode()

    accusations = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert len(accusations) == (4 if size == 8 else 0)
    assert all(one.__dict__["checkpoint"] == other.decode() for one in accusations)
    assert len(caplog.records) == 4
    assert witness.add_checkpoint(asked(8, 20)).status == 200


@pytest.mark.parametrize("lines", [["A" * 43 + "="], ["A" * 43 + "="] * 3])
def test_a_made_up_proof_accuses_no_log(
    witness: Witness, caplog: pytest.LogCaptureFixture, lines: list[str]
) -> None:
    """An invented proof is no evidence against a log: anybody can send one with its checkpoint."""
    caplog.set_level(logging.WARNING)
    witness.add_checkpoint(asked(0, 8))
    for size in (8, 12):
        assert witness.add_checkpoint(body(8, lines, signed(size))).status == 422
    assert {one.levelname for one in caplog.records} == {"WARNING"}
    assert witness.add_checkpoint(asked(8, 20)).status == 200


def test_the_key_of_the_log_must_be_known(witness: Witness) -> None:
    """Another origin is 404. A checkpoint without a signature of a known key is 403."""
    unknown = signed(4, origin="other.example/log")
    assert witness.add_checkpoint(body(0, [], unknown)).status == 404
    assert witness.add_checkpoint(body(0, [], signed(4, key=OTHER_KEY))).status == 403

    [good] = read_note(signed(4)).signatures
    moved = Note(read_note(signed(5)).text, (good,)).written()
    assert witness.add_checkpoint(body(0, [], moved)).status == 403


NOTE = signed(4)
HASH = base64.b64encode(LEAVES[0]).decode()
ROOT = NOTE.split(b"\n")[2]
OTHER_ROOT = ROOT[:-2] + bytes([ROOT[-2] + 1]) + b"="  # the same hash for a reader that is lax
BODIES = {
    "nothing": b"",
    "no old size": b"\n\n" + NOTE,
    "a leading zero": b"old 00\n\n" + NOTE,
    "a sign": b"old +0\n\n" + NOTE,
    "other digits": "old \u0664\n\n".encode() + NOTE,
    "two spaces": b"old  0\n\n" + NOTE,
    "carriage returns": b"old 0\r\n\r\n" + NOTE,
    "a size beyond all": b"old 9999999999999999999\n\n" + NOTE,
    "no note": b"old 0\n\n",
    "no empty line": b"old 0\n" + NOTE.partition(b"\n\n")[0],
    "a hash that is short": body(0, [HASH[:-4]], NOTE),
    "a hash with spaces": body(0, [f" {HASH}"], NOTE),
    "a hash with other last bits": body(0, [f"{HASH[:-2]}{chr(ord(HASH[-2]) + 1)}="], NOTE),
    "64 hashes": body(0, [HASH] * 64, NOTE),
    "a size with a zero before it": body(0, [], NOTE.replace(b"\n4\n", b"\n04\n")),
    "a root with other last bits": body(0, [], NOTE.replace(ROOT, OTHER_ROOT)),
    "no UTF-8": body(0, [], NOTE.replace(b"\n4\n", b"\n4\xff\n")),
    "no signature": body(0, [], NOTE.partition(b"\n\n")[0] + b"\n\n"),
    "65 signatures": body(0, [], NOTE + b"".join(NOTE.partition(b"\n\n")[2:]) * 64),
}


@pytest.mark.parametrize("content", BODIES.values(), ids=BODIES)
def test_a_body_that_is_no_canonical_request_is_refused(witness: Witness, content: bytes) -> None:
    """A body in another form is refused with 400, and changes nothing."""
    reply = witness.add_checkpoint(content)
    assert reply.status == 400
    assert witness.add_checkpoint(asked(0, 4)).status == 200


def test_a_body_that_is_too_long_is_refused(witness: Witness) -> None:
    """A body that is too long is refused, even if it begins with a right request."""
    assert witness.add_checkpoint(asked(0, 4) + b"x" * MOST_BYTES).status == 413


# ---- what is remembered --------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process."""


def test_killed_before_answering_it_signs_nothing_else(
    witness: Witness, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next witness in the directory goes on from the unanswered checkpoint."""
    witness.add_checkpoint(asked(0, 4))

    def die(_signed: bytes) -> tuple[str, bytes]:
        raise Killed

    monkeypatch.setattr(witness._signer, "sign_bytes", die)
    with pytest.raises(Killed):
        witness.add_checkpoint(asked(4, 9))

    after = made(data)
    assert after.verifier == witness.verifier
    assert after.add_checkpoint(asked(4, 9, FORK)).body == b"9\n"
    assert after.add_checkpoint(asked(9, 9, FORK)).status == 409
    assert after.add_checkpoint(asked(9, 9)).status == 200


def test_killed_before_all_was_saved_it_keeps_its_old_checkpoint(
    witness: Witness, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the witness dies before its state is saved, the old checkpoint stays the last one."""
    witness.add_checkpoint(asked(0, 4))

    def die(*_arguments: object, **_more: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(private_files, "_give_name", die)
        with pytest.raises(Killed):
            witness.add_checkpoint(asked(4, 9))

    assert made(data).add_checkpoint(asked(4, 7)).status == 200


def test_a_disk_that_takes_nothing_has_nothing_signed(
    witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the disk is full, the answer is 500, and the witness's state is unchanged."""

    def fail(*_arguments: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_private", fail)
        reply = witness.add_checkpoint(asked(0, 4))
    assert reply.status == 500
    assert "\u2014" not in reply.body.decode()
    assert witness.add_checkpoint(asked(0, 5)).status == 200


def test_of_many_at_once_one_is_signed(data: Path) -> None:
    """Of eight requests from the same size to two witnesses in one directory, one is signed."""
    both = [made(data), made(data)]
    requests = [asked(0, size) for size in range(3, 11)]

    with ThreadPoolExecutor(8) as pool:
        replies = list(
            pool.map(lambda at: both[at % 2].add_checkpoint(requests[at]), range(len(requests)))
        )
    assert sorted(reply.status for reply in replies) == [200] + [409] * 7


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b'{"logs": {}}',
    b'{"name": "w", "logs": {"games.example/log": {"size": 4}}}',
    b'{"name": "w", "logs": {"games.example/log": {"size": 4, "root": "00"}}}',
    b'{"name": "w", "logs": {"games.example/log": {"size": "four", "root": "00"}}}',
]


@pytest.mark.parametrize("content", [*DAMAGED, None])
def test_with_a_damaged_state_nothing_is_signed(
    witness: Witness, data: Path, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    """With a damaged or missing state neither a running witness nor a new one signs anything."""
    assert witness.add_checkpoint(asked(0, 4)).status == 200
    (data / STATE_FILE).unlink()
    if content is not None:
        (data / STATE_FILE).write_bytes(content)

    assert witness.add_checkpoint(asked(0, 4, FORK)).status == 500
    reason = caplog.records[-1].__dict__["reason"]
    assert ("is missing" if content is None else "is damaged") in reason
    with pytest.raises(WitnessUnusable, match="the last signed size of each log"):
        made(data)


def test_a_lost_key_is_not_replaced(witness: Witness, data: Path) -> None:
    """A witness with a lost key refuses to start. With the old key it goes on."""
    assert witness.add_checkpoint(asked(0, 4)).status == 200
    key = (data / KEY_FILE).read_bytes()
    (data / KEY_FILE).unlink()

    for name in ("", witness.verifier.name):
        with pytest.raises(WitnessUnusable, match=f"{KEY_FILE} is missing.* in an empty directory"):
            made(data, name)
    assert not (data / KEY_FILE).exists()

    (data / KEY_FILE).write_bytes(key)
    assert made(data).verifier == witness.verifier


def test_key_and_state_are_for_their_user_alone(witness: Witness, data: Path) -> None:
    """The key is a secret. The state is not, but nobody else may change it."""
    witness.add_checkpoint(asked(0, 4))
    for name in (KEY_FILE, STATE_FILE):
        assert (data / name).stat().st_mode & 0o777 == 0o600


def test_a_key_keeps_its_name(data: Path) -> None:
    """A cosignature does not hold the name, so one key may not stand for two witnesses."""
    first = made(data, "example.org/witness")
    assert made(data).verifier == first.verifier
    with pytest.raises(WitnessUnusable, match=r"example\.org/witness"):
        made(data, "example.org/other")
    with pytest.raises(WitnessUnusable, match="a space"):
        made(data / "more", "a b")
