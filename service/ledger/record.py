"""A whole match as NDJSON: one commit a line, each a CloudEvents 1.0 event in canonical JSON.

Every attribute of the envelope follows from the commit, so whoever checks a line checks all of it. A record carries no
names: it may be kept for ever, and a name must remain erasable.
"""

from collections.abc import Sequence

import orjson

from service.ledger import codec
from service.ledger.codec import Json

TYPE = "giornale.commit"
MEDIA_TYPE = "application/x-ndjson"


class NotALine(Exception):
    """A line is no commit in canonical form; the message says why."""


def line(entry: Json) -> bytes:
    """Return an entry as a line of a record, line feed included."""
    return _enveloped(entry["commit"], codec.canonical(entry))


def read_line(data: bytes) -> tuple[Json, bytes]:
    """Return the entry of a line and its CONTENT's bytes; raises NotALine unless `line` writes these very bytes."""
    try:
        entry: Json = orjson.loads(data)["data"]
        body = codec.canonical(entry["commit"])
        written = _enveloped(entry["commit"], codec.joined(body, entry["hash"], entry["secrets"]))
    except orjson.JSONDecodeError:
        raise NotALine("it is not JSON") from None
    except (KeyError, TypeError):
        raise NotALine("it is not a CloudEvents envelope around a commit") from None
    if written != data:
        raise NotALine("its bytes are not the canonical form of the commit in its envelope")
    return entry, body


def recognised(lines: Sequence[bytes]) -> bool:
    """Return whether lines begin as a record does: with a CloudEvents line of a commit, be it right or wrong."""
    try:
        envelope = orjson.loads(lines[0]) if lines else None
    except orjson.JSONDecodeError:
        return False
    return isinstance(envelope, dict) and envelope.get("type") == TYPE and "specversion" in envelope


def _enveloped(commit: Json, entry: bytes) -> bytes:
    attributes = {
        "specversion": "1.0", "type": TYPE, "source": f"/v1/matches/{commit['match']}", "subject": commit["match"],
        "id": str(commit["version"]), "time": commit["time"], "datacontenttype": "application/json",
    }  # fmt: skip
    return b'{"data":%s,%s\n' % (
        entry,
        codec.canonical(attributes)[1:],
    )  # "data" comes first of all names


def lines(content: bytes) -> list[bytes]:
    """Return the lines of a record, line feeds included."""
    return content.splitlines(keepends=True)


def redact(entry: Json, audiences: Sequence[str]) -> Json:
    """Return an entry with the secret parts of the audiences alone; it verifies as it stands."""
    return {
        **entry,
        "secrets": {name: part for name, part in entry["secrets"].items() if name in audiences},
    }
