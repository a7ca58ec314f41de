"""Checkpoints: length and root of a log, as signed notes (C2SP tlog-checkpoint).

A signed note is a text, an empty line, and a line for each signature (C2SP signed-note). The key of
a log is Ed25519. It is published as the verifier key NAME+ID+BYTES. NAME is the log's origin.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from service.record.signatures import fits, is_key

ED25519 = 1  # kind of a log's key
COSIGNATURE = 4  # kind of a witness's key

MOST_BYTES = 65_536  # largest size of a note to read
MOST_SIGNATURES = 64

_DASH = "\u2014 "  # begins the line of a signature
_ID_BYTES = 4
NAME = r"[^\s+]+"  # pattern of a key's name
_NAME = re.compile(NAME)


class BadNote(ValueError):
    """The text is no note of the expected kind. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The length of a log and its root.

    origin: name of the log.   size: number of leaves.   root: the hash over them.
    """

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """Return the text to sign."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature of a note. `key_id` has four bytes."""

    name: str
    key_id: bytes
    signature: bytes

    def line(self) -> str:
        """Return the line of the signature."""
        return f"{_DASH}{self.name} {to_base64(self.key_id + self.signature)}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A signed note. Its text ends with a line feed."""

    text: str
    signatures: tuple[Signature, ...]

    def written(self) -> bytes:
        """Return the note's bytes."""
        return (self.text + "\n" + "".join(one.line() for one in self.signatures)).encode()


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key with its name. kind: ED25519 or COSIGNATURE.   public: 32 bytes."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The ID of the key in signatures: four bytes."""
        start = self.name.encode() + b"\n"
        return hashlib.sha256(start + bytes([self.kind]) + self.public).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        """Return the verifier key as a text."""
        return f"{self.name}+{self.key_id.hex()}+{to_base64(bytes([self.kind]) + self.public)}"

    def has_signed(self, signed: bytes, signature: bytes) -> bool:
        """Return True if this key is valid and has made a signature of some bytes."""
        key = self.public.hex()
        return is_key(key) and fits(key, signature.hex(), signed)

    def is_on(self, note: Note) -> bool:
        """Return True if this key is of the kind ED25519 and has signed a note."""
        signed = note.text.encode()
        return self.kind == ED25519 and any(
            one.name == self.name
            and one.key_id == self.key_id
            and self.has_signed(signed, one.signature)
            for one in note.signatures
        )


def read_verifier(text: str) -> Verifier:
    """Parse a verifier key. Raises BadNote."""
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    key = from_base64(encoded)
    if not _NAME.fullmatch(name) or len(key) != 33 or key[0] not in (ED25519, COSIGNATURE):
        raise BadNote("it is not a verifier key: NAME+ID+KEY")

    verifier = Verifier(name, key[0], key[1:])
    if verifier.key_id.hex() != key_id:
        raise BadNote("the ID of the verifier key does not fit its bytes")
    return verifier


def signed(checkpoint: Checkpoint, public: bytes, sign: Callable[[bytes], bytes]) -> bytes:
    """Return a checkpoint as a note, signed with the log's key under the log's origin."""
    text = checkpoint.text()
    verifier = Verifier(checkpoint.origin, ED25519, public)
    signature = Signature(verifier.name, verifier.key_id, sign(text.encode()))
    return Note(text, (signature,)).written()


def read_note(written: bytes) -> Note:
    """Parse a signed note. Its signatures are not checked. Raises BadNote."""
    if len(written) > MOST_BYTES:
        raise BadNote("the note is too long")
    try:
        whole = written.decode()
    except UnicodeDecodeError:
        raise BadNote("the note is not UTF-8") from None

    text, separator, lines = whole.rpartition("\n\n")
    if not separator or not lines.endswith("\n"):
        raise BadNote("the note has no signatures")
    each = lines.removesuffix("\n").split("\n")
    if len(each) > MOST_SIGNATURES:
        raise BadNote("the note has too many signatures")
    return Note(text + "\n", tuple(map(_read_signature, each)))


def read_checkpoint(note: Note) -> Checkpoint:
    """Parse the checkpoint in a note's text. Raises BadNote."""
    lines = note.text.split("\n")
    if len(lines) < 4 or not lines[0] or not re.fullmatch("0|[1-9][0-9]{0,18}", lines[1], re.ASCII):
        raise BadNote("the note is not a checkpoint: origin, size and root, a line each")
    root = from_base64(lines[2])
    if len(root) != hashlib.sha256().digest_size:
        raise BadNote("the root of the checkpoint does not have 32 bytes")
    return Checkpoint(lines[0], int(lines[1]), root)


def _read_signature(line: str) -> Signature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    content = from_base64(encoded)
    if not line.startswith(_DASH) or not _NAME.fullmatch(name) or len(content) <= _ID_BYTES:
        raise BadNote("a signature of the note is malformed: expected a dash, a name, and base64")
    return Signature(name, content[:_ID_BYTES], content[_ID_BYTES:])


def to_base64(content: bytes) -> str:
    """Encode bytes for notes and proofs."""
    return base64.b64encode(content).decode()


def from_base64(text: str) -> bytes:
    """Decode canonical base64. Raises BadNote."""
    try:
        content = base64.b64decode(text.encode(), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise BadNote("it has invalid base64") from None
    if to_base64(content) != text:
        raise BadNote("it has non-canonical base64")
    return content
