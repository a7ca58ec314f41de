"""Tools of a forger who knows a match's secret, as everybody does after its end.

Such a forger can mend everything derived from the secret. A forgery changes some entries of a
record. `mended` then makes everything fit that can be made to fit without playing the match
again: numbers, salts, digests, the revelation's parts, the commitment, the chain.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from domain.chance import bound_key
from service.record import record
from service.record.codec import salt
from service.record.commit import Content, Json, StoredCommit, digest, parse_object

Entries = list[StoredCommit]

# A container in a JSON value, and a step into it: a name or an index.
Step = tuple[Any, Any]

# Parts for `mended` to leave as they are, if they are the forgery itself.
SALTS = "salts"
DIGESTS = "digests"
PARTS = "parts"
COMMITMENT = "commitment"
NUMBERS = "numbers"


# Values other than a secret part, and other than an object.
NO_PARTS: list[Any] = [[], ["salt"], "salt", None, 1, True]


class Forged(NamedTuple):
    """Forged entries, and the parts not to be mended, as they are the forgery."""

    entries: Entries
    leave: Sequence[str] = ()


def entries_of(lines: Sequence[bytes]) -> Entries:
    """Return the entries of a record, to be changed at will."""
    return [parse_object(line)["data"] for line in lines]


def steps(value: Any) -> Iterator[Step]:
    """Yield every container in a JSON value with every step into it, outermost first."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in list(items):
        yield value, step
        if isinstance(inner, dict | list):
            yield from steps(inner)


def opening_messages(entries: Entries) -> list[Json]:
    """Return the public parts of the opening command and its event."""
    commit = entries[0]["commit"]
    return [commit["command"], commit["events"][0]]


def secret_of(entries: Entries) -> bytes:
    """Return the secret in a record's revelation."""
    return bytes.fromhex(entries[-1]["commit"]["events"][-1]["secret"])


def set_secret(entries: Entries, secret: bytes) -> None:
    """Seal and reveal another secret in place of the match's own."""
    sealed = entries[0]["secrets"]["house"]
    last = entries[-1]["commit"]

    told_in = [
        sealed["command"],
        sealed["0"],
        last["command"],
        last["events"][-1],
    ]
    for fields in told_in:
        fields["secret"] = secret.hex()


def key_of(entries: Entries, secret: bytes) -> bytes:
    """Return the key from a secret, in the match named by the opening."""
    _command, opened = opening_messages(entries)
    bound_to = opened.get("match")
    if bound_to is None:
        return secret
    return bound_key(secret, str(bound_to))


def mended(entries: Entries, leave: Sequence[str] = ()) -> list[bytes]:
    """Return the lines of a forged record. All fits but the play and the parts in `leave`."""
    if NUMBERS not in leave:
        for number, entry in enumerate(entries, 1):
            entry["commit"]["version"] = number

    key = key_of(entries, secret_of(entries))
    if COMMITMENT not in leave:
        for message in opening_messages(entries):
            message["commitment"] = hashlib.sha256(key).hexdigest()

    if SALTS not in leave:
        _salt(entries, key)
    if PARTS not in leave:
        _reveal(entries)
    return chained(entries, leave)


def chained(entries: Entries, leave: Sequence[str] = ()) -> list[bytes]:
    """Return the lines of a forged record with the digests of its parts and its chain made anew."""
    hash_before = ""
    for entry in entries:
        content = entry["commit"]
        if DIGESTS not in leave:
            parts = entry["secrets"]
            content["secrets"] = {audience: digest(part) for audience, part in parts.items()}

        content["prev"] = hash_before
        entry["hash"] = digest(content)
        hash_before = entry["hash"]

    return [record.line(entry) for entry in entries]


def _salt(entries: Entries, key: bytes) -> None:
    """Give every secret part its salt from the key."""
    for entry in entries:
        version = entry["commit"]["version"]
        for audience, part in entry["secrets"].items():
            part["salt"] = salt(key, version, audience)


def _reveal(entries: Entries) -> None:
    """Let the revelation tell the parts of the forged entries."""
    parts = {}
    for entry in entries:
        if entry["secrets"]:
            version = str(entry["commit"]["version"])
            parts[version] = entry["secrets"]

    last = entries[-1]["commit"]
    for message in (last["command"], last["events"][-1]):
        message["parts"] = parts


def misshapen(lines: Sequence[bytes], part: Any) -> list[bytes]:
    """Return an ended record with a value in place of the house's first part in the revelation.

    The record leaves its secret parts to the revelation, and its digests fit.
    """
    entries = entries_of(lines)
    for entry in entries:
        entry["secrets"] = {}

    last = entries[-1]["commit"]
    for message in (last["command"], last["events"][-1]):
        message["parts"]["1"]["house"] = part
    entries[0]["commit"]["secrets"]["house"] = digest(part)
    return chained(entries, leave=[DIGESTS])


def cut(entries: Entries, length: int) -> Entries:
    """Return a match that is told as aborted after some of its commits.

    The record is right, and yet it is not the truth.
    """
    last_kept = entries[length - 1]["commit"]
    abort: Content = {
        **last_kept,
        "actor": "owner",
        "command": {"type": "abort"},
        "events": [{"type": "match_aborted"}],
    }
    aborted: StoredCommit = {"commit": abort, "hash": "", "secrets": {}}

    revelation = entries[-1]
    revelation["commit"]["view"] = last_kept["view"]
    return [*entries[:length], aborted, revelation]


RELABELLINGS = ("envelope", "field", "commitment", "key", "unbound")

# Relabellings with salts and commitment as they were under the old id.
_LEFT_UNMENDED = {"envelope": [SALTS, COMMITMENT], "field": [SALTS, COMMITMENT]}


def relabelled(lines: Sequence[bytes], match: str, how: str) -> list[bytes]:
    """Return the record of a bound match under another id, all hashes mended.

    envelope: the commits alone are relabelled. field: so is the opening's `match`. commitment: so
    is the opening's `match`, and the commitment fits. key: it is told as an unbound match with the
    bound one's key as its secret. unbound: it is told as an unbound match of the same secret.
    """
    entries = entries_of(lines)
    key = key_of(entries, secret_of(entries))

    for entry in entries:
        entry["commit"]["match"] = match

    for message in opening_messages(entries):
        if how in ("field", "commitment"):
            message["match"] = match
        elif how in ("key", "unbound"):
            del message["match"]

    if how == "key":
        set_secret(entries, key)
    return mended(entries, leave=_LEFT_UNMENDED.get(how, []))
