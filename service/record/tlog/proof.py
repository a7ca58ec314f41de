"""Proofs that a commit is in the log (C2SP tlog-proof), and policies that name the trusted keys.

A policy (C2SP tlog-policy) names logs and witnesses by their keys, and the witnesses that must have
seen a checkpoint. A witness signs a checkpoint with the time (C2SP tlog-cosignature, Ed25519).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from service.record.signatures import is_key
from service.record.tlog import tree
from service.record.tlog.checkpoint import (
    COSIGNATURE,
    ED25519,
    BadNote,
    Note,
    Verifier,
    from_base64,
    read_checkpoint,
    read_note,
    read_verifier,
    to_base64,
)

_FIRST_LINE = "c2sp.org/tlog-proof@v1"
_INDEX = re.compile("index (0|[1-9][0-9]{0,17})", re.ASCII)
_MOST_BYTES = 128 * 1024
_MOST_LINES = 1000  # lines of a policy
_ADDRESS = re.compile(r"https?://([\w.\-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?(/[\w.~\-/]*)?", re.ASCII)
_TIME_BYTES = 8
_SIGNATURE_BYTES = 64

MOST_HASHES = 63  # hashes of a proof: enough for a tree of 2^63 leaves
NONE = "none"  # quorum without witnesses


class BadProof(ValueError):
    """The proof or the policy is invalid. The message gives the reason."""


# ---- proofs --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that an entry is at a position of the log with this checkpoint.

    hashes: the inclusion proof, from the leaf's sibling up.   checkpoint: a signed note.
    """

    position: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes

    def written(self) -> bytes:
        """Return the proof as a text file."""
        hashes = map(to_base64, self.hashes)
        lines = [_FIRST_LINE, f"index {self.position}", *hashes, ""]
        return "\n".join(lines).encode() + b"\n" + self.checkpoint


def read_proof(content: bytes) -> Proof:
    """Parse the proof in a file. The proof is not checked. Raises BadProof."""
    head, separator, note = content.partition(b"\n\n")
    if not separator or len(content) > _MOST_BYTES:
        raise BadProof("it is not a proof: lines with the proof, an empty line, and a checkpoint")

    first, *rest = head.decode(errors="replace").split("\n")
    if first != _FIRST_LINE:
        raise BadProof(f"its first line is not {_FIRST_LINE}")
    if rest and rest[0].startswith("extra "):
        rest = rest[1:]  # this line is not signed

    index = _INDEX.fullmatch(rest[0]) if rest else None
    if index is None:
        raise BadProof("it has no position: index and a number")
    if len(rest) - 1 > MOST_HASHES:
        raise BadProof(f"it has more than {MOST_HASHES} hashes")
    return Proof(int(index[1]), tuple(map(read_hash, rest[1:])), note)


def read_hash(text: str) -> bytes:
    """Parse the hash in a line of a proof. Raises BadProof."""
    try:
        hash_ = from_base64(text)
    except BadNote:
        hash_ = b""
    if len(hash_) != tree.HASH_BYTES:
        raise BadProof("a line of it is not a SHA-256 in base64")
    return hash_


# ---- policies ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """A group of witnesses and other groups. At least `least` must have seen a checkpoint."""

    least: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """The trusted logs, and the witnesses that must have seen a checkpoint.

    logs: keys of the logs.   witnesses: keys of the witnesses by name.   groups: groups by name.
    quorum: name of a witness or a group, or NONE.   urls: addresses of witnesses by name.
    """

    logs: tuple[Verifier, ...]
    witnesses: Mapping[str, Verifier]
    groups: Mapping[str, Group]
    quorum: str
    urls: Mapping[str, str] = field(default_factory=dict)

    def is_met_by(self, signers: Sequence[str]) -> bool:
        """Return True if the witnesses of these names meet the quorum."""
        return self.quorum == NONE or self._has_seen(self.quorum, signers)

    def _has_seen(self, name: str, signers: Sequence[str]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in signers
        return sum(self._has_seen(member, signers) for member in group.members) >= group.least


class _PolicyReader:
    """The lines of a policy read so far."""

    def __init__(self) -> None:
        self.logs: list[Verifier] = []
        self.witnesses: dict[str, Verifier] = {}
        self.groups: dict[str, Group] = {}
        self.urls: dict[str, str] = {}
        self.quorum = ""
        self._members: set[str] = set()

    def take(self, words: Sequence[str]) -> None:
        """Take the words of a line. Raises BadProof and BadNote."""
        match words:
            case ["log", key, *rest] if len(rest) <= 1:
                self._take_log(_verifier(key, ED25519))
            case ["witness", name, key, *rest] if len(rest) <= 1:
                self._take_witness(name, _verifier(key, COSIGNATURE), rest)
            case ["group", name, least, *members] if members:
                self._take_group(name, least, members)
            case ["quorum", name] if not self.quorum:
                self._demand_known(name, also=NONE)
                self.quorum = name
            case _:
                raise BadProof("it is not a line of a policy: log, witness, group, or one quorum")

    def _take_log(self, key: Verifier) -> None:
        if key.public in [one.public for one in self.logs]:
            raise BadProof("the key of a log occurs twice")
        self.logs.append(key)

    def _take_witness(self, name: str, key: Verifier, url: Sequence[str]) -> None:
        self._demand_new(name)
        if key.public in [one.public for one in self.witnesses.values()]:
            raise BadProof("the key of a witness occurs twice")
        self.witnesses[name] = key
        if url:
            self.urls[name] = url[0]

    def _take_group(self, name: str, least: str, members: Sequence[str]) -> None:
        self._demand_new(name)
        for member in members:
            self._demand_known(member)
            if member in self._members:
                raise BadProof(f"{member} is a member twice")
            self._members.add(member)

        count = {"any": 1, "all": len(members)}.get(least)
        if count is None and re.fullmatch("[1-9][0-9]{0,3}", least, re.ASCII):
            count = int(least)
        if count is None or count > len(members):
            raise BadProof(f"a group needs any, all, or 1 to {len(members)} of its members")
        self.groups[name] = Group(count, tuple(members))

    def _demand_new(self, name: str) -> None:
        if name == NONE or name in self.witnesses or name in self.groups:
            raise BadProof(f"the name {name} is taken")

    def _demand_known(self, name: str, also: str = "") -> None:
        if name not in self.witnesses and name not in self.groups and name != also:
            raise BadProof(f"no line before defines a witness or a group {name}")


def read_policy(content: bytes) -> Policy:
    """Parse the policy in a file. Raises BadProof, with the number of a wrong line."""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    if len(lines) > _MOST_LINES:
        raise BadProof(f"the policy has more than {_MOST_LINES} lines")

    reading = _PolicyReader()
    for number, line in enumerate(lines, 1):
        words = line.replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if not words or words[0].startswith("#"):
            continue
        try:
            reading.take(words)
        except (BadProof, BadNote) as error:
            raise BadProof(f"line {number} of the policy: {error}") from None

    if not reading.quorum:
        raise BadProof("the policy has no line: quorum NAME")
    return Policy(
        tuple(reading.logs), reading.witnesses, reading.groups, reading.quorum, reading.urls
    )


def read_policy_to_ask(path: Path) -> Policy:
    """Read a policy from a file. At least one witness must have a URL. Raises BadProof."""
    try:
        policy = read_policy(path.read_bytes())
    except OSError as error:
        raise BadProof(f"{path}: {error.strerror}") from None
    if not policy.urls:
        raise BadProof(f"{path}: no witness has a URL")
    for name, url in policy.urls.items():
        if not _ADDRESS.fullmatch(url):
            raise BadProof(
                f"{path}: the URL of {name} must be http:// or https://, without a query"
            )
    return policy


def _verifier(text: str, kind: int) -> Verifier:
    key = read_verifier(text)
    if key.kind != kind or not is_key(key.public.hex()):
        raise BadProof("the key has the wrong kind")
    return key


# ---- checks --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trusted:
    """A checkpoint that a policy trusts.

    seen_by: names of the policy's witnesses with a signature on it.
    """

    origin: str
    size: int
    root: bytes
    seen_by: tuple[str, ...]

    @classmethod
    def of(cls, written: bytes, policy: Policy) -> Self:
        """Return the checkpoint of a note. Raises BadProof if the policy does not trust it."""
        try:
            note = read_note(written)
            checkpoint = read_checkpoint(note)
        except BadNote as error:
            raise BadProof(str(error)) from None

        signers = [log for log in policy.logs if log.name == checkpoint.origin and log.is_on(note)]
        if not signers:
            raise BadProof("no log of the policy has signed the checkpoint")
        seen_by = tuple(name for name, key in policy.witnesses.items() if has_cosigned(key, note))
        if not policy.is_met_by(seen_by):
            count = f"{len(seen_by)} of the policy's witnesses"
            raise BadProof(f"only {count} have signed the checkpoint")
        return cls(checkpoint.origin, checkpoint.size, checkpoint.root, seen_by)


def has_cosigned(witness: Verifier, note: Note) -> bool:
    """Return True if a note has a valid cosignature of a witness."""
    for one in note.signatures:
        if one.name != witness.name or one.key_id != witness.key_id:
            continue
        if len(one.signature) != _TIME_BYTES + _SIGNATURE_BYTES:
            continue
        seconds = int.from_bytes(one.signature[:_TIME_BYTES], "big")
        if witness.has_signed(cosigned(note.text, seconds), one.signature[_TIME_BYTES:]):
            return True
    return False


def cosigned(text: str, seconds: int) -> bytes:
    """Return the bytes that a witness signs for a checkpoint's text. seconds: since the epoch."""
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def holds(proof: Proof, checkpoint: Trusted, leaf: bytes) -> bool:
    """Return True if a proof shows a leaf in the log of a checkpoint."""
    leaf_hash = tree.leaf_hash(leaf)
    root = tree.root_by_inclusion(leaf_hash, proof.position, checkpoint.size, proof.hashes)
    return root == checkpoint.root
