"""Entries of the log, and the lines that store them."""

from dataclasses import dataclass

import orjson

from service.record.commit import canonical
from service.store.journal.errors import JournalUnavailable
from service.store.journal.stored_status import read_status, stored_status


class LogUnavailable(JournalUnavailable):
    """The log cannot be read or written now, or its files are missing or damaged."""


class LogForked(LogUnavailable):
    """A file of the log differs from the decided lines or the published checkpoint."""


class NotIndexed(LogUnavailable):
    """The index is behind the log, so a missing commit may still be found."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """The content of one position: a commit, or an accepted loss of the journal.

    leaf: canonical JSON, hashed by the tree. A commit has `hash`, `match` and `version`, in a
        private match only `hash`. A loss has `generation`, the one after the loss, and `gone_back`,
        the time of the entry.
    hash: of the commit. For a loss this field and those below are "", 0 and False.
    match, version, time: of the commit.
    game: key of the match's game.   status: of the match when the commit was sequenced.
    is_private: True for a commit of a private match. Only holders of tokens of the match may learn
        more than the hash.
    """

    position: int
    leaf: bytes
    hash: str
    match: str = ""
    version: int = 0
    time: str = ""
    game: str = ""
    status: str = ""
    is_private: bool = False


# ---- lines: entries as the order and the bundles store them -------------------------------------


def leaf_of_commit(match: str, version: int, commit_hash: str, *, private: bool) -> bytes:
    """Return the leaf of a commit.

    private: True for a private match.
    """
    if private:
        return canonical({"hash": commit_hash})
    return canonical({"hash": commit_hash, "match": match, "version": version})


def commit_line(
    match: str, version: int, commit_hash: str, beside: tuple[str, str, str], *, private: bool
) -> bytes:
    """Return the line of a commit: the leaf, and after it members that are not hashed.

    beside: time, game and status. For a private match the line also has match and version there.
    """
    leaf = leaf_of_commit(match, version, commit_hash, private=private)
    time, game, status = beside
    shown_to_players = (match, str(version)) if private else ()
    fields = (time, game, stored_status(status), *shown_to_players)
    return leaf + b"\n" + "|".join(fields).encode()


def gone_back_line(generation: str, time: str) -> bytes:
    """Return the line about an accepted loss of the journal.

    generation: of the journal after the loss.   time: of the entry.
    """
    return canonical({"generation": generation, "gone_back": time}) + b"\n"


def leaf_of(line: bytes) -> bytes:
    """Return the leaf of a line."""
    return line[: line.index(b"\n")]


def read_line(position: int, line: bytes) -> LogEntry:
    """Return the entry of a line."""
    leaf, _, beside = line.partition(b"\n")
    fields = orjson.loads(leaf)
    if "hash" not in fields:
        return LogEntry(position, leaf, "")

    commit_hash = fields["hash"]
    time, game, stored, *of_private = beside.decode().split("|")
    status = read_status(stored)
    if not of_private:
        return LogEntry(
            position, leaf, commit_hash, fields["match"], fields["version"], time, game, status
        )
    match, version = of_private
    return LogEntry(
        position, leaf, commit_hash, match, int(version), time, game, status, is_private=True
    )
