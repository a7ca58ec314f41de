"""Records of matches and receipts of commits, the documents that leave the service for ever.

A record is a match as NDJSON: one line for each commit. A line is a CloudEvents 1.0 event in
canonical JSON. Every attribute of this envelope follows from the commit, so a check of the line
covers the envelope. A record carries no names, since a record may be stored for ever and a name
must remain erasable.

A receipt is the server's word that a commit was accepted, signed with Ed25519 (RFC 8032):
`{"match","version","hash","time","key","signature"}`. The signature, in hex, is over the canonical
JSON of the other five members. `time` is the time of the commit, `key` the ID of the signing key.
`service.store.keys.signer` signs receipts.
"""

from collections.abc import Sequence

import orjson

from service.record import commit, signatures
from service.record.codec import stored_bytes

TYPE = "giornale.commit"
MEDIA_TYPE = "application/x-ndjson"

# The bytes of a line before and after its stored commit.
_BEFORE_COMMIT = b'{"data":'
_AFTER_COMMIT = b',"datacontenttype":'

SIGNED = ("match", "version", "hash", "time", "key")


class NotALine(Exception):
    """The line is no commit in canonical form. The message gives the reason."""


def line(stored: commit.StoredCommit) -> bytes:
    """Return a stored commit as a line of a record, line feed included."""
    return _envelope(stored["commit"], commit.canonical(stored))


def read_line(line_bytes: bytes) -> tuple[commit.StoredCommit, bytes]:
    """Return the stored commit of a line and its CONTENT's bytes.

    Raises NotALine unless `line` would write exactly these bytes.
    """
    try:
        stored = _stored_in(line_bytes)
        content = stored["commit"]
        content_bytes = commit.canonical(content)
        commit_bytes = stored_bytes(content_bytes, stored["hash"], stored["secrets"])
        written = _envelope(content, commit_bytes)
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
    """Parse the stored commit of a line, and check that its values are canonical.

    Raises NotALine, JSONDecodeError, NotCanonical, KeyError and TypeError.
    """
    envelope = orjson.loads(line_bytes)
    commit.check_values(envelope)
    stored: commit.StoredCommit = envelope["data"]

    # The envelope repeats match and version as texts. Other types would have other texts in another
    # programming language.
    content = stored["commit"]
    if type(content["match"]) is not str or type(content["version"]) is not int:
        raise NotALine("its commit has no match as a text, or no version as a number")
    return stored


def commit_in(line_bytes: bytes) -> bytes:
    """Return the stored commit's bytes in a line from `line`, unchecked."""
    return line_bytes[len(_BEFORE_COMMIT) : line_bytes.rindex(_AFTER_COMMIT)]


def recognised(lines: Sequence[bytes]) -> bool:
    """Return True if the first line is a CloudEvents line of a commit, right or wrong."""
    if not lines:
        return False
    try:
        envelope = orjson.loads(lines[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(envelope, dict) and envelope.get("type") == TYPE and "specversion" in envelope


def _envelope(content: commit.Content, commit_bytes: bytes) -> bytes:
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
    """Return a commit with only the secret parts of some audiences. The result still verifies."""
    secrets = {name: part for name, part in stored["secrets"].items() if name in audiences}
    return {"commit": stored["commit"], "hash": stored["hash"], "secrets": secrets}


# ---- receipts ------------------------------------------------------------------------------------


class BadReceipt(Exception):
    """The receipt proves nothing. The message gives the reason."""


def check_receipt(receipt: object, keys: Sequence[object]) -> commit.Json:
    """Check a receipt against public keys in the form of `GET /v1/keys`, and return it.

    The version in the result is an int, even if the receipt has 6.0. Raises BadReceipt.
    """
    checked = _check_form(receipt)
    key = _find_key(checked["key"], keys)
    _check_signature(checked, key["public"])

    until = key["until"]
    if until is not None and checked["time"] > until:
        raise BadReceipt(f"its key was valid only until {until}")
    return checked


def _check_form(receipt: object) -> commit.Json:
    """Check the fields of a receipt, and return it with its version as an int.

    Raises BadReceipt.
    """
    if not isinstance(receipt, dict) or receipt.keys() != {*SIGNED, "signature"}:
        raise BadReceipt(f"a receipt has the fields {', '.join(SIGNED)} and signature")

    version = commit.whole_number(receipt["version"])
    texts = [receipt[name] for name in ("match", "hash", "time", "key")]
    if version is None or version < 1 or not all(isinstance(text, str) for text in texts):
        raise BadReceipt("its version must be a whole number from 1, its other fields texts")
    if not commit.is_time(receipt["time"]):
        raise BadReceipt("its time is not in UTC with milliseconds")
    return {**receipt, "version": version}


def _find_key(key_id: str, keys: Sequence[object]) -> commit.Json:
    """Return the listed key with an ID. Raises BadReceipt if it is missing or invalid."""
    for key in keys:
        if isinstance(key, dict) and key.get("id") == key_id:
            break
    else:
        raise BadReceipt(f"its signing key {key_id} is not listed")

    public = key.get("public")
    if not commit.is_digest(public):
        raise BadReceipt(f"its key {key_id} is not 32 bytes in lower-case hex")
    if not signatures.is_key(public):
        raise BadReceipt(f"its key {key_id} fits signatures that its holder never made")

    until = key.get("until", "")
    if until is not None and not commit.is_time(until):
        raise BadReceipt(f"its key {key_id} must state its end of validity: a time, or null")
    return key


def _check_signature(receipt: commit.Json, public: str) -> None:
    """Raise BadReceipt unless a key has signed a receipt. public: the key, in hex."""
    signed = commit.canonical({name: receipt[name] for name in SIGNED})
    if not signatures.fits(public, receipt["signature"], signed):
        raise BadReceipt("its signature is wrong")
