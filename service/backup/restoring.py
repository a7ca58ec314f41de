"""Put a backup into a journal, through the journal's own port: it makes all indexes anew."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from service.backup.form import StoredMatch
from service.backup.reading import Reader, checked
from service.backup.writing import Progress
from service.journal.errors import Conflict, Deleted
from service.journal.port import Journal
from service.journal.values import Entry, Head
from service.ledger.commit import parse_commit
from service.matches.weighing import version_of

_FIELDS = 500  # of a sidecar, set with one commit


class NotEmpty(Exception):
    """The journal holds matches already."""


@dataclass(slots=True)
class Restored:
    """What became of the matches of a backup.

    restored, deleted: how many were put in, and how many tombstones were laid.
    present: how many were there already, at the backup's commit or beyond it, or were deleted here.
    differing: those that are there with other commits, or with fewer; they were left as they are.
    """

    restored: int = 0
    deleted: int = 0
    present: int = 0
    differing: list[str] = field(default_factory=list)


def restore(journal: Journal, reader: Reader, progress: Progress, *, merge: bool) -> Restored:
    """Put the matches of a checked backup into a journal, each whole or not at all.

    Return what was done. When it is cut short, a merge goes on from there.

    merge: add what is not there; else the journal must be empty.
    Raises NotEmpty, BadBackup, JournalUnavailable.
    """
    is_empty = next(journal.matches(), None) is None
    if not merge and not is_empty:
        raise NotEmpty

    done = Restored()
    for stored in reader.stored():
        if stored.metadata.head is None:
            _put_tombstone(journal, stored, done)
        else:
            _put(journal, stored, done)
            progress(len(stored.commits))
    return done


def _put_tombstone(journal: Journal, stored: StoredMatch, done: Restored) -> None:
    assert stored.metadata.tombstone is not None, "a match that is not there was deleted"
    if journal.put_tombstone(stored.match, stored.metadata.tombstone):
        done.deleted += 1
    elif journal.head(stored.match) is None:
        done.present += 1
    else:
        done.differing.append(stored.match)


def _put(journal: Journal, stored: StoredMatch, done: Restored) -> None:
    try:
        journal.restore(_entries(stored))
    except Deleted:
        done.present += 1
    except Conflict:
        if _leads_through(journal, stored):
            done.present += 1
        else:
            done.differing.append(stored.match)
    else:
        done.restored += 1


def _leads_through(journal: Journal, stored: StoredMatch) -> bool:
    """Return whether the journal's match has the last commit of the backup's."""
    head = _head_of(stored)
    here = journal.read(stored.match, head.version - 1, 1)
    if not here:
        return False
    return parse_commit(here[0])["hash"] == head.hash


def _head_of(stored: StoredMatch) -> Head:
    """Return the head of a match that was not deleted."""
    assert stored.metadata.head is not None, "it has commits"
    return stored.metadata.head


def _entries(stored: StoredMatch) -> list[Entry]:
    """Return what the journal is to hold of a match: each commit with the command id that made it.

    The head of each is the last one's, so the indexes are at once as they must be at the end.
    """
    last_head = _head_of(stored)
    made_by = {
        version: (command_id, mark) for command_id, (version, mark) in stored.metadata.ids.items()
    }
    sidecar = _pieces(stored.metadata.sidecar)
    thoughts = {version_of(thought): thought for thought in stored.metadata.thoughts}

    entries = []
    for commit, commit_bytes in zip(checked(stored), stored.commits, strict=True):
        version = commit["commit"]["version"]
        command_id, mark = made_by.get(version, ("", ""))
        entry = Entry(
            match=stored.match,
            expected=version - 1,
            prev=commit["commit"]["prev"],
            commit_bytes=commit_bytes,
            head=replace(last_head, version=version, hash=commit["hash"]),
            command_id=command_id,
            fingerprint=mark,
            sidecar=next(sidecar, {}),
            thought=thoughts.get(version, b""),
        )
        entries.append(entry)

    # A sidecar of more pieces than there are commits: the last commit takes the rest.
    for piece in sidecar:
        last = entries[-1]
        entries[-1] = replace(last, sidecar={**last.sidecar, **piece})
    return entries


def _pieces(sidecar: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield a sidecar in pieces, since a script takes a bounded number of arguments at once."""
    fields = iter(sidecar.items())
    while piece := dict(islice(fields, _FIELDS)):
        yield piece
