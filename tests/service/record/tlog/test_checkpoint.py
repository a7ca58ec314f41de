"""Signed notes and checkpoints, against the published example and forged ones."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.record.tlog.checkpoint import (
    ED25519,
    BadNote,
    Checkpoint,
    Note,
    Verifier,
    read_checkpoint,
    read_note,
    read_verifier,
    signed,
)

# The example of C2SP signed-note and of golang.org/x/mod/sumdb/note.
KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n\n"
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSN"
    "XgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
).encode()

PRIVATE = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
PUBLIC = PRIVATE.public_key().public_bytes_raw()
OURS = Verifier("example.org/log", ED25519, PUBLIC)
CHECKPOINT = Checkpoint("example.org/log", 7, b"r" * 32)
SIGNED = signed(CHECKPOINT, PUBLIC, PRIVATE.sign)


def test_the_published_example_is_right() -> None:
    """The example is verified by its key alone and for its text alone, and is written unchanged."""
    verifier, note = read_verifier(KEY), read_note(NOTE)
    assert str(verifier) == KEY
    assert note.written() == NOTE
    assert verifier.is_on(note)
    assert not OURS.is_on(note)
    assert not verifier.is_on(Note(note.text + "x\n", note.signatures))


def test_a_checkpoint_is_read_as_it_was_signed() -> None:
    """A checkpoint has a line each for origin, size and root."""
    note = read_note(SIGNED)
    root = base64.b64encode(b"r" * 32).decode()
    assert note.text == f"example.org/log\n7\n{root}\n"
    assert OURS.is_on(note)
    assert read_checkpoint(note) == CHECKPOINT
    assert read_verifier(str(OURS)) == OURS


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"text\n",
        b"text\n\n",
        SIGNED.removesuffix(b"\n"),
        SIGNED.replace("\u2014".encode(), b"-"),
        SIGNED.replace(b"example.org/log ", b""),
        SIGNED + b"\xff",
        SIGNED + b"\xe2\x80\x94 name !!\n",
        SIGNED + b"\xe2\x80\x94 name AAAA\n",
        SIGNED + SIGNED.split(b"\n\n")[1] * 64,
        b"x" * 70_000,
    ],
)
def test_a_malformed_note_is_refused(text: bytes) -> None:
    """A malformed note raises BadNote."""
    with pytest.raises(BadNote):
        read_checkpoint(read_note(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "o\n",
        "o\n1\n",
        "o\n01\nAAAA\n",
        "o\n-1\nAAAA\n",
        "\n1\nAAAA\n",
        "o\n1\nAAAA\n",
        "o\nx\n?\n",
    ],
)
def test_a_malformed_checkpoint_is_refused(text: str) -> None:
    """A malformed checkpoint raises BadNote, even if it is a note."""
    with pytest.raises(BadNote):
        read_checkpoint(Note(text, read_note(SIGNED).signatures))


@pytest.mark.parametrize(
    "text",
    ["", "name", "name+00000000+", KEY.replace("c74f", "c74e"), KEY[:-4], "a b" + KEY, "é" * 9],
)
def test_a_malformed_verifier_key_is_refused(text: str) -> None:
    """A malformed verifier key raises BadNote."""
    with pytest.raises(BadNote):
        read_verifier(text)
