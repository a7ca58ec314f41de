"""What a command causes, compared with what its commit has recorded, byte for byte."""

from collections.abc import Sequence
from typing import Any, NoReturn

from domain import wire
from service.ledger.canonical import Json, canonical
from service.ledger.commit import Commit, Content, StoredCommit
from service.ledger.secrets import Split, salt, split
from service.ledger.upcasting import UPCASTERS
from service.verify.report import Wrong


def check_events(stored: StoredCommit, commit: Commit, caused_events: Sequence[Any]) -> None:
    """Check that a commit has recorded the events that its command causes and hides the same.

    Old events are compared in today's terms. Raises Wrong.
    """
    content = stored["commit"]
    if _has_old_events(content):
        caused = _open(commit.command, caused_events)
        recorded = _open(commit.command, commit.events)
    else:
        caused = split(commit.command, caused_events)
        recorded = Split(
            command=content["command"],
            events=content["events"],
            parts=stored["secrets"],
        )

    if _public_bytes(caused) != _public_bytes(recorded):
        _tell_difference(commit.version, caused, recorded)
    if caused.parts or recorded.parts:
        _check_parts(commit.version, caused.parts, recorded.parts)


def check_salts(stored: StoredCommit, key: bytes) -> None:
    """Check that the salts of a commit's secret parts follow from the match's key (M10).

    Raises Wrong.
    """
    version = stored["commit"]["version"]
    for audience, part in stored["secrets"].items():
        if part["salt"] != salt(key, version, audience):
            detail = f"the salt of the part for {audience} does not follow (M10)"
            raise Wrong(version, "salt_wrong", detail)


def _has_old_events(content: Content) -> bool:
    return any(event["type"] in UPCASTERS for event in content["events"])


def _open(command: Any, events: Sequence[Any]) -> Split:
    """Return command and events as they would be written today, nothing hidden."""
    return Split(
        command=wire.encode(command),
        events=[wire.encode(event) for event in events],
        parts={},
    )


def _public_bytes(messages: Split) -> bytes:
    return canonical([messages.command, messages.events])


def _tell_difference(version: int, caused: Split, recorded: Split) -> NoReturn:
    if canonical(caused.command) != canonical(recorded.command):
        raise Wrong(version, "command_differs", "its command is not written as it would be")
    raise Wrong(version, "events_differ", _difference(caused.events, recorded.events))


def _difference(caused: Sequence[Json], recorded: Sequence[Json]) -> str:
    """Return a sentence about the first event that differs, or about their number."""
    for index, (caused_event, recorded_event) in enumerate(zip(caused, recorded, strict=False)):
        if canonical(caused_event) != canonical(recorded_event):
            kind = recorded_event["type"]
            return f"its event {index} ({kind}) is not the one that its command causes"
    return f"its command causes {len(caused)} events, and it has {len(recorded)}"


def _check_parts(version: int, caused: dict[str, Json], recorded: dict[str, Json]) -> None:
    """Check that the same is hidden for the same audiences; salts are another check's."""
    for audience in sorted(caused.keys() | recorded.keys()):
        if _without_salt(caused.get(audience)) != _without_salt(recorded.get(audience)):
            detail = f"its secret part for {audience} is not the one that its command causes"
            raise Wrong(version, "secrets_differ", detail)


def _without_salt(part: Json | None) -> bytes | None:
    """Return the canonical bytes of a secret part without its salt; None for no part."""
    if part is None:
        return None
    return canonical({name: fields for name, fields in part.items() if name != "salt"})
