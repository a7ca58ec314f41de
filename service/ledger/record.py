"""A whole match as NDJSON: one commit a line, each a CloudEvents 1.0 event in canonical JSON.

Every attribute of the envelope follows from the commit, so whoever checks a line checks all of it.
A record carries no names: it may be kept for ever, and a name must remain erasable.
"""

from collections.abc import Sequence

import orjson

from service.ledger.canonical import Json, NotCanonical, canonical, check_values
from service.ledger.commit import Content, StoredCommit
from service.ledger.writing import stored_bytes

TYPE = "giornale.commit"
MEDIA_TYPE = "application/x-ndjson"


class NotALine(Exception):
    """A line is no commit in canonical form; the message says why."""


def line(stored: StoredCommit) -> bytes:
    """Return a stored commit as a line of a record, line feed included."""
    return _enveloped(stored["commit"], canonical(stored))


def read_line(line_bytes: bytes) -> tuple[StoredCommit, bytes]:
    """Return the stored commit of a line and its CONTENT's bytes.

    Raises NotALine unless `line` writes these very bytes.
    """
    try:
        stored = _stored_in(line_bytes)
        content = stored["commit"]
        content_bytes = canonical(content)
        commit_bytes = stored_bytes(content_bytes, stored["hash"], stored["secrets"])
        written = _enveloped(content, commit_bytes)
    except orjson.JSONDecodeError:
        raise NotALine("it is not JSON") from None
    except NotCanonical as error:
        raise NotALine(str(error)) from None
    except (KeyError, TypeError):
        raise NotALine("it is not a CloudEvents envelope around a commit") from None

    if written != line_bytes:
        raise NotALine("its bytes are not the canonical form of the commit in its envelope")
    return stored, content_bytes


def _stored_in(line_bytes: bytes) -> StoredCommit:
    """Return the stored commit of a line whose values are those of canonical JSON.

    Raises NotALine, JSONDecodeError, NotCanonical, KeyError and TypeError.
    """
    envelope = orjson.loads(line_bytes)
    check_values(envelope)
    stored: StoredCommit = envelope["data"]

    # The envelope repeats these two in other words, which would differ from language to language
    # for values of other kinds.
    content = stored["commit"]
    if type(content["match"]) is not str or type(content["version"]) is not int:
        raise NotALine("its commit names no match by a text, or no version by a number")
    return stored


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


def _enveloped(content: Content, commit_bytes: bytes) -> bytes:
    attributes: Json = {
        "specversion": "1.0",
        "type": TYPE,
        "source": f"/v1/matches/{content['match']}",
        "subject": content["match"],
        "id": str(content["version"]),
        "time": content["time"],
        "datacontenttype": "application/json",
    }
    # Names are sorted, and "data" comes before all others.
    without_brace = canonical(attributes)[1:]
    return b'{"data":%s,%s\n' % (commit_bytes, without_brace)


def lines(content: bytes) -> list[bytes]:
    """Return the lines of a record, line feeds included."""
    return content.splitlines(keepends=True)


def redact(stored: StoredCommit, audiences: Sequence[str]) -> StoredCommit:
    """Return a commit with the secret parts of the audiences alone; it verifies as it stands."""
    kept = {name: part for name, part in stored["secrets"].items() if name in audiences}
    return {"commit": stored["commit"], "hash": stored["hash"], "secrets": kept}
