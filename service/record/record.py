"""What leaves the service for ever: records of matches, and receipts of commits and their check.

A record is a whole match as NDJSON: one commit a line, each a CloudEvents 1.0 event in canonical
JSON. Every attribute of the envelope follows from the commit, so a check of the line checks all of
it. A record carries no names: it may be kept for ever, and a name must remain erasable.

A receipt is the server's word that a commit was accepted, signed with Ed25519 (RFC 8032):
`{"match","version","hash","time","key","signature"}`. The signature, in hex, is over the canonical
JSON of the other five. `time` is the commit's own, `key` names the key.
`service.store.keys.signer` signs receipts.
"""

from collections.abc import Sequence

import orjson

from service.record import commit, signatures
from service.record.codec import stored_bytes

TYPE = "giornale.commit"
MEDIA_TYPE = "application/x-ndjson"

# What a commit stands between in its line.
_BEFORE_COMMIT = b'{"data":'
_AFTER_COMMIT = b',"datacontenttype":'

SIGNED = ("match", "version", "hash", "time", "key")


class NotALine(Exception):
    """A line is no commit in canonical form; the message says why."""


def line(stored: commit.StoredCommit) -> bytes:
    """Return a stored commit as a line of a record, line feed included."""
    return _enveloped(stored["commit"], commit.canonical(stored))


def read_line(line_bytes: bytes) -> tuple[commit.StoredCommit, bytes]:
    """Return the stored commit of a line and its CONTENT's bytes.

    Raises NotALine unless `line` writes these very bytes.
    """
    try:
        stored = _stored_in(line_bytes)
        content = stored["commit"]
        content_bytes = commit.canonical(content)
        commit_bytes = stored_bytes(content_bytes, stored["hash"], stored["secrets"])
        written = _enveloped(content, commit_bytes)
    except orjson.JSONDecodeError:
        raise NotALine("it is not JSON") from None
    except commit.NotCanonical as error:
        raise NotALine(str(error)) from None
    except (KeyError, TypeError):
        raise NotALine("it is not a CloudEvents envelope around a commit") from None

    if written != line_bytes:
        raise NotALine("its bytes are not the canonical form of the commit in its envelope")
    return stored, content_bytes


def _stored_in(line_bytes: bytes) -> commit.StoredCommit:
    """Return the stored commit of a line whose values are those of canonical JSON.

    Raises NotALine, JSONDecodeError, NotCanonical, KeyError and TypeError.
    """
    envelope = orjson.loads(line_bytes)
    commit.check_values(envelope)
    stored: commit.StoredCommit = envelope["data"]

    # The envelope repeats these two in other words, which would differ from language to language
    # for values of other kinds.
    content = stored["commit"]
    if type(content["match"]) is not str or type(content["version"]) is not int:
        raise NotALine("its commit names no match by a text, or no version by a number")
    return stored


def commit_in(line_bytes: bytes) -> bytes:
    """Return the stored commit's bytes in a line that `line` has written; nothing is checked."""
    return line_bytes[len(_BEFORE_COMMIT) : line_bytes.rindex(_AFTER_COMMIT)]


def recognised(lines: Sequence[bytes]) -> bool:
    """Return whether lines begin as a record does, be it right or wrong.

    A record begins with a CloudEvents line of a commit.
    """
    if not lines:
        return False
    try:
        envelope = orjson.loads(lines[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(envelope, dict) and envelope.get("type") == TYPE and "specversion" in envelope


def _enveloped(content: commit.Content, commit_bytes: bytes) -> bytes:
    attributes: commit.Json = {
        "specversion": "1.0",
        "type": TYPE,
        "source": f"/v1/matches/{content['match']}",
        "subject": content["match"],
        "id": str(content["version"]),
        "time": content["time"],
        "datacontenttype": "application/json",
    }
    # Names are sorted, and "data" comes before all others.
    without_brace = commit.canonical(attributes)[1:]
    return b"%s%s,%s\n" % (_BEFORE_COMMIT, commit_bytes, without_brace)


def lines(content: bytes) -> list[bytes]:
    """Return the lines of a record, line feeds included."""
    return content.splitlines(keepends=True)


def redact(stored: commit.StoredCommit, audiences: Sequence[str]) -> commit.StoredCommit:
    """Return a commit with the secret parts of the audiences alone; it verifies as it stands."""
    kept = {name: part for name, part in stored["secrets"].items() if name in audiences}
    return {"commit": stored["commit"], "hash": stored["hash"], "secrets": kept}


# ---- receipts ------------------------------------------------------------------------------------


class BadReceipt(Exception):
    """A receipt that proves nothing; the message says why."""


def check_receipt(receipt: object, keys: Sequence[object]) -> commit.Json:
    """Return a receipt that was checked against public keys as `GET /v1/keys` lists them.

    Its version is an int, also where it was written as 6.0. Raises BadReceipt.
    """
    checked = _well_formed(receipt)
    key = _listed_key(checked["key"], keys)
    _check_signature(checked, key["public"])

    until = key["until"]
    if until is not None and checked["time"] > until:
        raise BadReceipt(f"its key counts until {until} only")
    return checked


def _well_formed(receipt: object) -> commit.Json:
    """Return a receipt that has all its fields and no others; raises BadReceipt."""
    if not isinstance(receipt, dict) or receipt.keys() != {*SIGNED, "signature"}:
        raise BadReceipt(f"a receipt has the fields {', '.join(SIGNED)} and signature")

    version = commit.whole_number(receipt["version"])
    texts = [receipt[name] for name in ("match", "hash", "time", "key")]
    if version is None or version < 1 or not all(isinstance(text, str) for text in texts):
        raise BadReceipt("its version must be a whole number from 1, its other fields texts")
    if not commit.is_time(receipt["time"]):
        raise BadReceipt("its time is not one in UTC with milliseconds")
    return {**receipt, "version": version}


def _listed_key(key_id: str, keys: Sequence[object]) -> commit.Json:
    """Return the key that a receipt names; raises BadReceipt if it is not listed as a key is."""
    for key in keys:
        if isinstance(key, dict) and key.get("id") == key_id:
            break
    else:
        raise BadReceipt(f"it is signed with the key {key_id}, which is not listed")

    public = key.get("public")
    if not commit.is_digest(public):
        raise BadReceipt(f"its key {key_id} is not 32 bytes in lower-case hex")
    if not signatures.is_key(public):
        raise BadReceipt(f"its key {key_id} is one that fits more than its holder has signed")

    until = key.get("until", "")
    if until is not None and not commit.is_time(until):
        raise BadReceipt(f"its key {key_id} does not say until when it counts: a time, or null")
    return key


def _check_signature(receipt: commit.Json, public: str) -> None:
    """Check the signature of a receipt; public: the key, in hex. Raises BadReceipt."""
    signed = commit.canonical({name: receipt[name] for name in SIGNED})
    if not signatures.fits(public, receipt["signature"], signed):
        raise BadReceipt("its signature is not right")
