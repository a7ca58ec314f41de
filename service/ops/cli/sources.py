"""Sources of records, and the witnesses to check a record against.

A source is a file, standard input, or a server's URL. Witnesses are receipts, public keys, records
of bases, proofs, and the match as the record's server shows it.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import orjson

from service.base import fetch
from service.ops.cli.output import with_token
from service.record.commit import MATCH_ID, Json
from service.record.tlog.proof import BadProof, Policy, Trusted, holds, read_policy, read_proof
from service.record.verify import receipts as verify_receipts
from service.record.verify.audit import FindBase, RecordAudit, verify_record
from service.record.verify.files import MOST_BYTES, Unreadable, lines_of, unpacked
from service.record.verify.report import Wrong
from service.store.tlog.entries import leaf_of_commit

_TIMEOUT_SECONDS = 30  # longest time without a byte
_MOST_SECONDS = 300  # longest time for one answer, from the lookup of the host to the last byte
_MOST_ANSWER = 1024 * 1024  # bytes of any answer but a record
_PIECE = 100
_KEY_MEMBERS = {"id", "public", "until"}
_OF_MATCH = re.compile(rf"/v1/matches/{MATCH_ID}$")

# Meaning of a server's refusals to show a match or the log.
_REFUSALS = {
    401: "the server does not know the token",
    403: "this token may not read it",
    404: "not found. A private match needs a token (--token)",
    410: "the match was deleted by its operator",
    421: "the server does not serve this host",
    429: "too many requests. Try again later",
    503: "the server cannot answer now. Try again later",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A record and its origin.

    content: the record.   document: the match as its server shows it.   keys: keys of that server.
    `document` and `keys` are None if the record is not from a server.
    """

    content: bytes
    document: Json | None = None
    keys: list[Json] | None = None


def is_url(text: str) -> bool:
    """Return True if a text is a web address."""
    return urlsplit(text).scheme in fetch.PORTS


def of_file(name: str) -> Source:
    """Read a file, or standard input for "-". Unpack a file of gzip. Raises Unreadable."""
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}") from None
    return Source(unpacked(content, name))


def of_match(url: str, token: str | None) -> Source:
    """Fetch the match at `.../v1/matches/ID`, then its record and its server's keys.

    Raises Unreadable.
    """
    url = match_url(url)

    # Fetch the document first: the later record must have at least the commits of the document.
    document = document_of(url, token)
    content = _fetch(f"{url}/record", token, MOST_BYTES)
    return Source(content, document, keys_of(url))


def document_of(url: str, token: str | None) -> Json:
    """Return the match at `.../v1/matches/ID` as a server shows it. Raises Unreadable."""
    return _fetch_object(url, token)


def match_url(url: str) -> str:
    """Return the URL of a match, from this URL or that of its record."""
    return url.rstrip("/").removesuffix("/record")


@contextmanager
def asked_for_match(url: str) -> Iterator[None]:
    """If a request to an unusual address fails, add the usual form of a match's address.

    An unusual address is allowed, since a server may redirect it to a match.
    """
    try:
        yield
    except Unreadable as error:
        if _OF_MATCH.search(match_url(url)):
            raise
        raise Unreadable(f"{error}. The address of a match ends in /v1/matches/ID") from None


def versions_of(url: str, member: str, token: str | None, last: int) -> list[Json]:
    """Fetch a list of a match, with one entry for each version up to `last`.

    url: URL of the list, such as ".../states".   member: name of the entries in an answer.
    Raises Unreadable.
    """
    entries: list[Json] = []
    while len(entries) < last:
        more = _fetch_object(f"{url}?after={len(entries)}&limit={_PIECE}", token).get(member)
        if not isinstance(more, list) or not more or not all(isinstance(one, dict) for one in more):
            raise Unreadable(f"{url} does not list the versions up to {last}")
        entries += more
    return entries[:last]


def keys_of(where: str) -> list[Json]:
    """Return the public keys listed in a file, or by the server of a URL. Raises Unreadable."""
    if is_url(where):
        listed = _fetch_object(_keys_url(where), None)
    else:
        listed = parsed(of_file(where).content, where)

    keys = listed.get("keys")
    if not isinstance(keys, list) or not all(map(_is_key, keys)):
        raise Unreadable(f"{where} does not list public keys")
    return keys


def parsed(content: bytes, name: str) -> Json:
    """Return the JSON object in some content. Raises Unreadable."""
    try:
        value: object = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        reason = "does not answer with JSON" if is_url(name) else f"is not JSON: {error}"
        raise Unreadable(f"{name} {reason}") from None

    if not isinstance(value, dict):
        raise Unreadable(f"{name} is not a JSON object")
    return value


def _is_key(value: object) -> bool:
    return isinstance(value, dict) and value.keys() >= _KEY_MEMBERS


def _keys_url(url: str) -> str:
    """Return the URL of the key list at the server of a URL."""
    parts = urlsplit(url)

    # A path before /v1/ is the mount path of the server.
    mount_path, version_path, _rest = parts.path.partition("/v1/")
    prefix = mount_path if version_path else ""
    return f"{parts.scheme}://{parts.netloc}{prefix}/v1/keys"


# ---- witnesses -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The witnesses of a record, as named on the command line.

    receipts: names of files.   keys: a file or a URL, None for the keys of the record's own server.
    bases: files or URLs of the records of a fork's bases.
    proofs: names of files with proofs of commits in the log.
    policy: a file with the trusted logs and witnesses, None without one.
    token: the record at a URL is read as the holder of this token, None for the public.
    """

    receipts: tuple[str, ...] = ()
    keys: str | None = None
    bases: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    policy: str | None = None
    token: str | None = None


def with_witnesses(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options --receipt, --keys, --base, --proof, --policy and --token to a command.

    Their values are passed as `witnesses`.
    """

    @click.option(
        "--receipt",
        "receipts",
        multiple=True,
        metavar="FILE",
        help="Receipt to check the record against. Repeatable.",
    )
    @click.option(
        "--keys",
        metavar="FILE|URL",
        help="Public keys to check receipts against.",
    )
    @click.option(
        "--base",
        "bases",
        multiple=True,
        metavar="FILE|URL",
        help="Record of a fork's base, and of each base below it. Repeatable.",
    )
    @click.option(
        "--proof",
        "proofs",
        multiple=True,
        metavar="FILE",
        help="Proof that a commit of the record is in the log (.tlog-proof). Repeatable.",
    )
    @click.option(
        "--policy",
        metavar="FILE",
        help="Trusted logs and witnesses for proofs (tlog-policy).",
    )
    @with_token("Read the record at the URL as the holder of this token.")
    @wraps(command)
    def called(**arguments: Any) -> None:
        values = {one.name: arguments.pop(one.name) for one in fields(Witnesses)}
        command(**arguments, witnesses=Witnesses(**values))

    return called


def check_witnesses(audit: RecordAudit, source: Source, witnesses: Witnesses) -> None:
    """Check a record against its witnesses, except bases. Raises Wrong and Unreadable."""
    if source.document is not None:
        verify_receipts.check_document(audit, source.document, source.keys or [])

    known_keys = keys_of(witnesses.keys) if witnesses.keys else source.keys
    if witnesses.receipts and known_keys is None:
        raise Unreadable("receipts need public keys: give --keys FILE or URL")

    receipts = [read_receipt(name) for name in witnesses.receipts]
    verify_receipts.check_receipts(audit, receipts, known_keys or [])

    if witnesses.proofs:
        if witnesses.policy is None:
            raise Unreadable("proofs need a policy: give --policy FILE")
        policy = policy_in(witnesses.policy)
        for name in witnesses.proofs:
            _check_proof(audit, name, policy)


def policy_in(name: str) -> Policy:
    """Return the policy in a file. Raises Unreadable."""
    try:
        return read_policy(of_file(name).content)
    except BadProof as error:
        raise Unreadable(f"{name}: {error}") from None


def _check_proof(audit: RecordAudit, name: str, policy: Policy) -> None:
    """Add a note on the proven commit to the report. Raises Wrong and Unreadable."""
    commits = [
        (one["commit"]["match"], one["commit"]["version"], one["hash"])
        for one in reversed(audit.commits)
    ]
    audit.report.notes.append(proven(name, policy, commits))


def proven(name: str, policy: Policy, commits: Iterable[tuple[str, int, str]]) -> str:
    """Check the proof in a file. Return a sentence on the first of the commits that fits.

    commits: match, version and hash of each.
    Raises Wrong if the proof is bad or fits none of them, and Unreadable.
    """
    content = of_file(name).content
    try:
        proof = read_proof(content)
        trusted = Trusted.of(proof.checkpoint, policy)
    except BadProof as error:
        raise Wrong(0, "proof_bad", f"the proof {name} proves nothing: {error}") from None

    cosigners = f"seen by {', '.join(trusted.seen_by)}" if trusted.seen_by else "unwitnessed"
    where = f"in the log {trusted.origin} at {proof.position} of {trusted.size}, {cosigners}"
    for match, version, commit_hash in commits:
        for private in (False, True):
            leaf = leaf_of_commit(match, version, commit_hash, private=private)
            if holds(proof, trusted, leaf):
                return f"commit {version} is {where}"
    detail = f"the proof {name} shows another entry of the log, not this commit"
    raise Wrong(0, "proof_bad", detail)


def bases_at(names: Sequence[str]) -> FindBase:
    """Return a finder of the bases of forks in files and at URLs. Raises Unreadable."""
    return _base_in([_lines_at(name) for name in names])


def _lines_at(name: str) -> list[bytes]:
    """Return the lines of a record in a file, or of a public match at a URL."""
    if is_url(name):
        with asked_for_match(name):
            return lines_of(of_match(name, None).content, name)
    return lines_of(of_file(name).content, name)


def _base_in(records: Sequence[list[bytes]]) -> FindBase:
    """Return a finder of bases among records. No record is used to check itself."""

    def find_base(match: str, _version: int) -> RecordAudit | None:
        candidates = [lines for lines in records if orjson.loads(lines[0]).get("subject") == match]
        if not candidates:
            return None
        others = [lines for lines in records if lines is not candidates[0]]
        return verify_record(candidates[0], find_base=_base_in(others))

    return find_base


def read_receipt(name: str) -> Json:
    """Return the receipt in a file. The file may have the whole answer to a move.

    Raises Unreadable.
    """
    value = parsed(of_file(name).content, name)
    receipt: Json = value.get("receipt", value)
    return receipt


# ---- asking a server -------------------------------------------------------------------------


def fetched(url: str, token: str | None = None) -> bytes:
    """Return the answer to a GET of something small. Raises Unreadable."""
    return _fetch(url, token, _MOST_ANSWER)


def _fetch_object(url: str, token: str | None) -> Json:
    return parsed(fetched(url, token), url)


def _fetch(url: str, token: str | None, most: int) -> bytes:
    """Return the answer to a GET, of at most `most` bytes. Raises Unreadable."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        return fetch.get(url, headers, fetch.Limits(_TIMEOUT_SECONDS, _MOST_SECONDS, most))
    except fetch.StatusRefused as error:
        reason = _REFUSALS.get(error.status)
        raise Unreadable(f"{url}: {reason}" if reason else str(error)) from None
    except fetch.FetchFailed as error:
        raise Unreadable(str(error)) from None
