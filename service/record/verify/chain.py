"""Checks of the form of a record: canonical bytes, hashes, order, and digests of secret parts.

The checks need no game and no secret, so they apply to redacted records, too.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping

from service.record import commit, record
from service.record.codec import stored_bytes
from service.record.verify.report import Wrong

# A stored commit and the canonical bytes of its CONTENT.
Read = tuple[commit.StoredCommit, bytes]

_STORED_FIELDS = {"commit": dict, "hash": str, "secrets": dict}
_CONTENT_FIELDS = {
    "match": str,
    "version": int,
    "time": str,
    "actor": str,
    "command": dict,
    "events": list,
    "prev": str,
    "view": str,
    "secrets": dict,
}
_SIGNED_FIELDS = {**_CONTENT_FIELDS, "signature": str}
# Nine digits at most, since `int` refuses very long texts.
_EVENT_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")


def read_record(lines: Iterable[bytes]) -> Iterator[Read]:
    """Yield the commits in a record's lines.

    Raises Wrong at the first line that is not canonical.
    """
    for number, line in enumerate(lines, 1):
        try:
            yield record.read_line(line)
        except record.NotALine as error:
            raise Wrong(number, "not_canonical", f"the line is not valid: {error}") from None


def read_stored(many_commit_bytes: Iterable[bytes]) -> Iterator[Read]:
    """Yield the stored commits of a match. Raises Wrong at the first that is not canonical."""
    for number, commit_bytes in enumerate(many_commit_bytes, 1):
        try:
            stored = commit.parse_commit(commit_bytes)
            commit.check_values(stored)
            content_bytes = commit.canonical(stored["commit"])
            written = stored_bytes(content_bytes, stored["hash"], stored["secrets"])
        except commit.NotCanonical as error:
            raise Wrong(number, "not_canonical", f"the stored bytes: {error}") from None
        except (ValueError, TypeError, KeyError):
            raise Wrong(number, "not_canonical", "the stored bytes are no commit") from None

        if written != commit_bytes:
            raise Wrong(number, "not_canonical", "the stored commit is not in canonical form")
        yield stored, content_bytes


def check(commits: Iterable[Read]) -> list[commit.StoredCommit]:
    """Check form, hashes, order and secret parts of commits, and return the commits.

    Raises Wrong at the first fault, and if there are no commits.
    """
    checked: list[commit.StoredCommit] = []
    for number, (stored, content_bytes) in enumerate(commits, 1):
        _check_shape(number, stored)
        if hashlib.sha256(content_bytes).hexdigest() != stored["hash"]:
            raise Wrong(number, "hash_differs", "the commit does not fit its hash")

        content = stored["commit"]
        if checked:
            _check_follows(number, content, checked[-1])
        else:
            _check_begins(content)
        check_parts(number, content["secrets"], stored["secrets"])
        checked.append(stored)

    if not checked:
        raise Wrong(0, "empty", "it has no commits")
    return checked


def check_parts(number: int, digests: Mapping[str, str], parts: Mapping[str, commit.Json]) -> None:
    """Check that every secret part fits its digest in the commit. Raises Wrong."""
    for audience, part in parts.items():
        if audience not in digests:
            detail = f"there is a secret part for {audience}, but no digest of it"
            raise Wrong(number, "secret_unknown", detail)
        if commit.digest(part) != digests[audience]:
            detail = f"the secret part for {audience} does not fit its digest"
            raise Wrong(number, "secret_differs", detail)


def _check_shape(number: int, stored: commit.StoredCommit) -> None:
    """Check that a commit has all fields and no others, each of its type. Raises Wrong.

    Fields of messages are not checked, nor the contents of secret parts.
    """
    _check_fields(number, stored, _STORED_FIELDS)
    content = stored["commit"]
    is_signed = isinstance(content, dict) and "signature" in content
    _check_fields(number, content, _SIGNED_FIELDS if is_signed else _CONTENT_FIELDS)

    events = content["events"]
    if not all(isinstance(message, dict) for message in events):
        raise Wrong(number, "bad_shape", "an event must be an object")
    for part in stored["secrets"].values():
        if not is_part(part, len(events)):
            detail = "a secret part must hold a salt, and fields by command or number of event"
            raise Wrong(number, "bad_shape", detail)


def _check_fields(number: int, value: object, fields: Mapping[str, type]) -> None:
    if not isinstance(value, dict) or value.keys() != fields.keys():
        raise Wrong(number, "bad_shape", f"a commit must have the fields {', '.join(fields)}")
    for name, kind in fields.items():
        # isinstance would accept a bool as a whole number.
        if type(value[name]) is not kind:
            raise Wrong(number, "bad_shape", f"the field {name} has another type")


def is_part(part: object, event_count: int) -> bool:
    """Return True for the form of a secret part of a commit. event_count: events of the commit."""
    if not isinstance(part, dict) or not isinstance(part.get("salt"), str):
        return False
    return all(
        _is_place(place, event_count) and isinstance(fields, dict)
        for place, fields in part.items()
        if place != "salt"
    )


def _is_place(place: str, event_count: int) -> bool:
    """Return True for a name that a secret part may have beside "salt".

    Such a name is "command", "signature" or the number of an event of the commit.
    """
    if place in ("command", "signature"):
        return True
    return _EVENT_NUMBER.fullmatch(place) is not None and int(place) < event_count


def _check_begins(content: commit.Content) -> None:
    """Check number, previous hash, match and time of a first commit. Raises Wrong."""
    _check_number(1, content)
    _check_previous(1, content, "")
    if not commit.is_match_id(content["match"]):
        raise Wrong(1, "bad_shape", "no match has such an ID")
    _check_time(1, content, "")


def _check_follows(number: int, content: commit.Content, before: commit.StoredCommit) -> None:
    """Check number, previous hash, match and time of a later commit. Raises Wrong."""
    _check_number(number, content)
    _check_previous(number, content, before["hash"])
    if content["match"] != before["commit"]["match"]:
        raise Wrong(number, "other_match", "it belongs to another match than the commit before it")
    _check_time(number, content, before["commit"]["time"])


def _check_number(number: int, content: commit.Content) -> None:
    if content["version"] != number:
        detail = f"commit {content['version']} is in the place of commit {number}"
        raise Wrong(number, "out_of_order", detail)


def _check_previous(number: int, content: commit.Content, hash_before: str) -> None:
    if content["prev"] != hash_before:
        raise Wrong(number, "chain_broken", "it does not name the hash of the commit before it")


def _check_time(number: int, content: commit.Content, earliest: str) -> None:
    """Check a commit's time: valid, and not before `earliest`. Raises Wrong.

    Times of this form are compared as texts.
    """
    if not commit.is_time(content["time"]) or content["time"] < earliest:
        detail = "its time is not in UTC with milliseconds, or before the last commit's"
        raise Wrong(number, "time_wrong", detail)
