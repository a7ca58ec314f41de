"""The page's check of proofs agrees with the service's, for right and for forged proofs."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from service.record.tlog import tree
from service.record.tlog.checkpoint import (
    ED25519,
    Checkpoint,
    Verifier,
    read_note,
    signed as signed_note,
)
from service.record.tlog.proof import BadProof, Proof, Trusted, holds, read_policy, read_proof
from service.store.tlog.entries import leaf_of_commit
from tests.service.record.tlog.test_proof import (
    HASHES,
    KEYS,
    LEAVES,
    LOG,
    NO_POLICIES,
    ORIGIN,
    POLICY,
    QUORUMS,
    WITNESSES,
    note,
    proof_of,
    verifier,
)
from tests.service.record.verify.node import judged, with_node
from tests.service.record.verify.small_order import encodings

pytestmark = with_node

JUDGE = Path(__file__).with_name("judge.mjs")

UNSIGNED = "no log of the policy has signed the checkpoint"
ELSEWHERE = "its hashes do not lead from the commit to the root of the checkpoint"
NO_PROOF = "it is not a proof: lines with the proof, an empty line, and a checkpoint"
NO_HASH = "a line of it is not a SHA-256 in base64"
NO_SIGNATURES = "the note has no signatures"

PLACE = 3
RIGHT = proof_of(PLACE, 1, 2)
WRITTEN = RIGHT.written()

Verdict = list[str | int]


class Case(NamedTuple):
    """A proof to check by the log's key or a policy.

    match, version, is_private: the commit that the proof should be for.
    """

    file: bytes
    key: str = str(LOG)
    policy: str | None = None
    match: str = "m"
    version: int = PLACE + 1
    is_private: bool = False

    @property
    def commit(self) -> tuple[str, int, str, bool]:
        """The parts of the commit's leaf."""
        return (self.match, self.version, f"{self.version:064x}", self.is_private)


def said_by_page(directory: Path, cases: Sequence[Case]) -> list[Verdict]:
    """Return the verdicts of the page's module. directory: for its input file."""
    listed = [
        {
            "file": base64.b64encode(case.file).decode(),
            "key": case.key,
            "policy": case.policy,
            "commit": case.commit,
        }
        for case in cases
    ]
    verdicts: list[Verdict] = judged(JUDGE, directory, listed)
    return verdicts


def said_by_program(case: Case) -> Verdict:
    """Return the verdict of the service's check."""
    match, version, commit_hash, is_private = case.commit
    text = case.policy if case.policy is not None else f"log {case.key}\nquorum none\n"
    try:
        policy = read_policy(text.encode())
        proof = read_proof(case.file)
        trusted = Trusted.of(proof.checkpoint, policy)
    except BadProof as error:
        message = str(error)
        return ["wrong", message if case.policy else message.removeprefix("line 1 of the policy: ")]

    if not holds(proof, trusted, leaf_of_commit(match, version, commit_hash, private=is_private)):
        return ["wrong", ELSEWHERE]
    signatures = len(read_note(proof.checkpoint).signatures)
    unchecked = signatures - 1 - len(trusted.seen_by)
    return ["right", proof.position, trusted.size, unchecked, *trusted.seen_by]


def checkpoint_of(size: int, root: bytes, origin: str = ORIGIN) -> bytes:
    """Return a checkpoint with a signature of the log's key."""
    return signed_note(Checkpoint(origin, size, root), LOG.public, KEYS[0].sign)


def with_note(written: bytes) -> Case:
    """Return the right proof with another checkpoint."""
    return Case(replace(RIGHT, checkpoint=written).written())


def edited(change: Callable[[bytes], bytes]) -> Case:
    """Return the right proof, changed."""
    changed = change(WRITTEN)
    assert changed != WRITTEN
    return Case(changed)


def flipped(hashes: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the hashes with another bit in the first."""
    first, *rest = hashes
    return (bytes([first[0] ^ 1]) + first[1:], *rest)


def other_key(name: str) -> str:
    """Return a verifier key with this name and another one's public key."""
    return str(Verifier(name, LOG.kind, verifier(4).public))


ROOT = tree.root_of(HASHES)

FORGED = {
    "position": (Case(replace(RIGHT, position=PLACE - 1).written()), ELSEWHERE),
    "position beyond": (Case(replace(RIGHT, position=7).written()), ELSEWHERE),
    "hash": (Case(replace(RIGHT, hashes=flipped(RIGHT.hashes)).written()), ELSEWHERE),
    "hash too few": (Case(replace(RIGHT, hashes=RIGHT.hashes[:-1]).written()), ELSEWHERE),
    "hash too many": (Case(replace(RIGHT, hashes=(*RIGHT.hashes, ROOT)).written()), ELSEWHERE),
    "no hashes": (Case(replace(RIGHT, hashes=()).written()), ELSEWHERE),
    "other match": (Case(WRITTEN, match="n"), ELSEWHERE),
    "other commit": (Case(WRITTEN, version=PLACE), ELSEWHERE),
    "as if private": (Case(WRITTEN, is_private=True), ELSEWHERE),
    "root of another tree": (
        with_note(checkpoint_of(7, tree.root_of(HASHES[:-1] + HASHES[:1]))),
        ELSEWHERE,
    ),
    "size of another tree": (with_note(checkpoint_of(9, ROOT)), ELSEWHERE),
    "empty tree": (with_note(checkpoint_of(0, tree.EMPTY_ROOT)), ELSEWHERE),
    "size changed after": (edited(lambda text: text.replace(b"\n7\n", b"\n8\n")), UNSIGNED),
    "root changed after": (
        edited(lambda text: text.replace(base64.b64encode(ROOT), base64.b64encode(HASHES[0]))),
        UNSIGNED,
    ),
    "signed by another": (with_note(note(log=4)), UNSIGNED),
    "another's key": (Case(WRITTEN, key=other_key(ORIGIN)), UNSIGNED),
    "other name": (Case(WRITTEN, key=str(replace(LOG, name="games.example/2"))), UNSIGNED),
    "other origin": (with_note(checkpoint_of(7, ROOT, "games.example/2")), UNSIGNED),
    "only witnesses": (
        with_note(note(1).replace(note().partition(b"\n\n")[2], b"")),
        UNSIGNED,
    ),
    "short signature": (
        with_note(
            note().partition(b"\n\n")[0]
            + f"\n\n\u2014 {ORIGIN} ".encode()
            + base64.b64encode(LOG.key_id + b"short")
            + b"\n"
        ),
        UNSIGNED,
    ),
    "key of a witness": (
        Case(WRITTEN, key=str(verifier(1))),
        "the key has the wrong kind",
    ),
    **{
        f"key of small order {number}": (
            Case(WRITTEN, key=str(Verifier(ORIGIN, ED25519, encoded))),
            "the key has the wrong kind",
        )
        for number, encoded in enumerate(encodings(), 1)
    },
    "id of another key": (
        Case(WRITTEN, key=str(LOG).replace(LOG.key_id.hex(), "00000000")),
        "the ID of the verifier key does not fit its bytes",
    ),
    "no key": (Case(WRITTEN, key="key"), "it is not a verifier key: NAME+ID+KEY"),
    "empty": (Case(b""), NO_PROOF),
    "too long": (edited(lambda text: text + b" " * 200_000), NO_PROOF),
    "no empty line": (edited(lambda text: text.replace(b"\n\n", b"\n")), NO_PROOF),
    "other form": (
        edited(lambda text: text.replace(b"@v1", b"@v2")),
        "its first line is not c2sp.org/tlog-proof@v1",
    ),
    "byte order mark": (
        edited(lambda text: b"\xef\xbb\xbf" + text),
        "its first line is not c2sp.org/tlog-proof@v1",
    ),
    "position with a zero": (
        edited(lambda text: text.replace(b"index 3", b"index 03")),
        "it has no position: index and a number",
    ),
    "no position": (
        edited(lambda text: text.replace(b"index 3\n", b"")),
        "it has no position: index and a number",
    ),
    "hash not padded": (edited(lambda text: text.replace(b"=\n", b"\n", 1)), NO_HASH),
    "hash with a space": (edited(lambda text: text.replace(b"=\n", b"= \n", 1)), NO_HASH),
    "64 hashes": (
        edited(lambda text: text.replace(b"index 3\n", b"index 3\n" + 64 * (43 * b"A" + b"=\n"))),
        "it has more than 63 hashes",
    ),
    "cut in the hashes": (Case(WRITTEN[:90]), NO_PROOF),
    "cut in the checkpoint": (Case(WRITTEN[: WRITTEN.rindex(b"\n\n")]), NO_SIGNATURES),
    "cut before signatures": (Case(WRITTEN[: WRITTEN.rindex(b"\n\n") + 2]), NO_SIGNATURES),
    "cut in the last line": (Case(WRITTEN[:-1]), NO_SIGNATURES),
    "no UTF-8": (with_note(b"\xff" + note()), "the note is not UTF-8"),
    "note too long": (with_note(b"x" * 66_000 + note()), "the note is too long"),
    "65 signatures": (
        with_note(note() + 64 * (note().splitlines(keepends=True)[-1])),
        "the note has too many signatures",
    ),
    "no dash": (
        with_note(note().replace("\u2014 ".encode(), b"")),
        "a signature of the note is malformed: expected a dash, a name, and base64",
    ),
    "signature no base64": (with_note(note() + "\u2014 w !\n".encode()), "it has invalid base64"),
    "signature not canonical": (
        with_note(note() + "\u2014 w AAAAAAB=\n".encode()),
        "it has non-canonical base64",
    ),
    "no checkpoint": (
        with_note(b"text\n\n" + note().partition(b"\n\n")[2]),
        "the note is not a checkpoint: origin, size and root, a line each",
    ),
    "short root": (
        edited(lambda text: text.replace(base64.b64encode(ROOT), b"AAAA")),
        "the root of the checkpoint does not have 32 bytes",
    ),
}


def test_the_page_finds_every_leaf_in_the_log(tmp_path: Path) -> None:
    """The page finds each leaf at its position. It counts unchecked signatures."""
    with_extra = WRITTEN.replace(b"\nindex", b"\nextra AAAA\nindex")
    cases = [
        *(Case(proof_of(at).written(), version=at + 1) for at in range(len(LEAVES))),
        Case(WRITTEN),
        Case(with_extra),
    ]

    verdicts = said_by_page(tmp_path, cases)

    alone: list[Verdict] = [["right", at, len(LEAVES), 0] for at in range(len(LEAVES))]
    assert verdicts == [*alone, ["right", PLACE, 7, 2], ["right", PLACE, 7, 2]]
    assert verdicts == list(map(said_by_program, cases))


def test_the_page_finds_the_commits_of_private_matches(tmp_path: Path) -> None:
    """The leaf of a private match is its hash alone. As a public commit it is not found."""
    leaf = leaf_of_commit("m", 1, f"{1:064x}", private=True)
    proof = Proof(0, (), checkpoint_of(1, tree.leaf_hash(leaf)))
    cases = [Case(proof.written(), version=1, is_private=private) for private in (True, False)]

    verdicts = said_by_page(tmp_path, cases)

    assert verdicts == [["right", 0, 1, 0], ["wrong", ELSEWHERE]]
    assert verdicts == list(map(said_by_program, cases))


def test_the_page_and_the_service_refuse_the_same_proofs(tmp_path: Path) -> None:
    """Both find each forged proof wrong, for the same reason."""
    cases = [case for case, _ in FORGED.values()]

    by_page = dict(zip(FORGED, said_by_page(tmp_path, cases), strict=True))

    assert by_page == {name: said_by_program(case) for name, (case, _) in FORGED.items()}
    for name, (_, reason) in FORGED.items():
        kind, detail = by_page[name]
        assert kind == "wrong", name
        assert reason in str(detail), name


def test_the_page_takes_a_policy_as_the_service_does(tmp_path: Path) -> None:
    """The page and the service find the same quorums met, by the same witnesses."""
    cases = [
        Case(
            proof_of(PLACE, *cosigners).written(),
            policy=f"# trust\n\nlog {LOG}\n{WITNESSES}\t {quorum}\n",
        )
        for quorum, cosigners, _ in QUORUMS
    ]

    verdicts = said_by_page(tmp_path, cases)

    assert verdicts == list(map(said_by_program, cases))
    assert [verdict[0] == "right" for verdict in verdicts] == [is_met for *_, is_met in QUORUMS]
    assert verdicts[1] == ["right", PLACE, len(LEAVES), 0, "w2"]


def test_the_page_refuses_the_policies_that_the_service_refuses(tmp_path: Path) -> None:
    """The page names the same line and the same reason as the service."""
    policies = [text for text, _ in NO_POLICIES]
    cases = [Case(WRITTEN, policy=text) for text in [*policies, POLICY + "log \xff\n"]]

    verdicts = said_by_page(tmp_path, cases)

    assert verdicts == list(map(said_by_program, cases))
    assert {verdict[0] for verdict in verdicts} == {"wrong"}


def test_the_page_counts_only_right_signatures_of_witnesses(tmp_path: Path) -> None:
    """A signature with another name, time or key, cut short, or repeated does not count."""
    written = note(1, 2)
    first, second = written.splitlines(keepends=True)[-2:]
    encoded = second.split()[-1]
    moved = bytearray(base64.b64decode(encoded))
    moved[11] ^= 1  # the last byte of the time
    late = base64.b64encode(moved)
    short = base64.b64encode(base64.b64decode(encoded)[:9])
    forged = [
        written.replace(second, second.replace(b"/2 ", b"/3 ")),
        written.replace(encoded, late),
        written.replace(encoded, short),
        written.replace(second, first),
        note(1, 4),
    ]
    cases = [Case(with_note(one).file, policy=POLICY) for one in forged]

    verdicts = said_by_page(tmp_path, cases)

    assert verdicts == list(map(said_by_program, cases))
    reason = "only 1 of the policy's witnesses have signed the checkpoint"
    assert verdicts == [["wrong", reason]] * len(forged)
