"""The form of a record: canonical bytes, hashes, one commit after the other, secret parts that fit their digests.

No game is known here and no secret is needed: a redacted record is checked the same.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from service.ledger import record
from service.ledger.canonical import Json, canonical, digest
from service.ledger.commit import Content, StoredCommit, parse_commit
from service.ledger.ids import is_match_id
from service.ledger.writing import stored_bytes
from service.verify.report import Wrong

_ENTRY = {"commit": dict, "hash": str, "secrets": dict}
_COMMIT = {
    "match": str, "version": int, "time": str, "actor": str, "command": dict, "events": list, "prev": str, "view": str,
    "secrets": dict,
}  # fmt: skip
_TIME = re.compile(r"2\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII)
_PLACE = re.compile(r"command|0|[1-9]\d*")


Read = tuple[StoredCommit, bytes]


def read_record(lines: Iterable[bytes]) -> Iterator[Read]:
    """Yield the entries of a record's lines with their CONTENT's bytes; raises Wrong at the first uncanonical one."""
    for number, data in enumerate(lines, 1):
        try:
            yield record.read_line(data)
        except record.NotALine as error:
            raise Wrong(number, "not_canonical", f"the line cannot be taken: {error}") from None


def read_stored(entries: Iterable[bytes]) -> Iterator[Read]:
    """Yield the entries of a journal with their CONTENT's bytes; raises Wrong at the first uncanonical one."""
    for number, data in enumerate(entries, 1):
        try:
            entry = parse_commit(data)
            body = canonical(entry["commit"])
            written = stored_bytes(body, entry["hash"], entry["secrets"])
        except (ValueError, TypeError, KeyError):
            raise Wrong(number, "not_canonical", "the stored bytes are no commit") from None
        if written != data:
            raise Wrong(number, "not_canonical", "the stored commit is not in canonical form")
        yield entry, body


def check(entries: Iterable[Read]) -> list[StoredCommit]:
    """Return the entries if each follows the one before and is what its hash says; raises Wrong at the first fault."""
    checked: list[StoredCommit] = []
    for number, (entry, body) in enumerate(entries, 1):
        _check_shape(number, entry)
        if hashlib.sha256(body).hexdigest() != entry["hash"]:
            raise Wrong(number, "hash_differs", "the commit is not the one its hash was made of")
        _check_follows(number, entry["commit"], checked[-1] if checked else None)
        check_parts(number, entry["commit"]["secrets"], entry["secrets"])
        checked.append(entry)
    if not checked:
        raise Wrong(0, "empty", "there is not one commit in it")
    return checked


def check_parts(number: int, digests: Mapping[str, str], parts: Mapping[str, Json]) -> None:
    """Check that every secret part given is the one its commit holds the digest of."""
    for audience, part in parts.items():
        if audience not in digests:
            raise Wrong(
                number,
                "secret_unknown",
                f"there is a secret part for {audience}, but no digest of it",
            )
        if digest(part) != digests[audience]:
            raise Wrong(
                number, "secret_differs", f"the secret part for {audience} does not fit its digest"
            )


def _check_shape(number: int, entry: StoredCommit) -> None:
    _check_fields(number, entry, _ENTRY)
    _check_fields(number, entry["commit"], _COMMIT)
    commit = entry["commit"]
    if not all(isinstance(message, dict) for message in commit["events"]):
        raise Wrong(number, "bad_shape", "an event must be an object")
    for part in entry["secrets"].values():
        _check_part(number, part, len(commit["events"]))


def _check_fields(number: int, value: object, fields: Mapping[str, type]) -> None:
    if not isinstance(value, dict) or value.keys() != fields.keys():
        raise Wrong(number, "bad_shape", f"a commit must have the fields {', '.join(fields)}")
    for name, kind in fields.items():
        if type(value[name]) is not kind:
            raise Wrong(number, "bad_shape", f"the field {name} is of another kind")


def _check_part(number: int, part: object, events: int) -> None:
    good = isinstance(part, dict) and isinstance(part.get("salt"), str)
    for place, fields in part.items() if isinstance(part, dict) else ():
        if place != "salt":
            known = _PLACE.fullmatch(place) and (place == "command" or int(place) < events)
            good = good and bool(known) and isinstance(fields, dict)
    if not good:
        raise Wrong(
            number,
            "bad_shape",
            "a secret part must hold a salt, and fields by command or number of event",
        )


def _check_follows(number: int, commit: Content, before: StoredCommit | None) -> None:
    if commit["version"] != number:
        raise Wrong(
            number,
            "out_of_order",
            f"commit {commit['version']} stands where commit {number} belongs",
        )
    if commit["prev"] != (before["hash"] if before else ""):
        raise Wrong(number, "chain_broken", "it does not name the hash of the commit before it")
    if before and commit["match"] != before["commit"]["match"]:
        raise Wrong(number, "other_match", "it is of another match than the commit before it")
    if not before and not is_match_id(commit["match"]):
        raise Wrong(number, "bad_shape", "no match has such an id")
    if not _is_time(commit["time"]) or (before and commit["time"] < before["commit"]["time"]):
        raise Wrong(
            number,
            "time_wrong",
            "its time is not in UTC with milliseconds, or before the last commit's",
        )


def _is_time(text: str) -> bool:
    """Whether a text is a moment that there was, as a commit writes it."""
    try:
        return bool(_TIME.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False
