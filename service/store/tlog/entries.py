"""Entries: what the log holds at each position, and the lines in which it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from service.record.commit import canonical
from service.store.journal.errors import JournalUnavailable


class LogUnavailable(JournalUnavailable):
    """The log cannot be read or written now, or its files are not what they must be."""


class LogForked(LogUnavailable):
    """A file of the log holds something else than what was decided."""


class NotIndexed(LogUnavailable):
    """Positions are still being indexed, so nobody knows whether this one is there."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What the log holds at a position.

    leaf: the canonical JSON that the tree is over: `hash`, `match` and `version` of a commit, of
        private matches `hash` alone; or `generation` and `gone_back`, which say that the journal
        had lost commits by then, and an operator has accepted it.
    hash: of the commit, "" for the latter; then all that follow are "" and 0.
    match, version: of the commit.   time: of the commit.
    game: its key.   status: of the match when the commit was sequenced.
    is_private: the leaf names neither match nor version. Only who holds a token of the match may
        learn more than the hash.
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


# ---- lines: how the order and the bundles hold entries ------------------------------------------


def leaf_of_commit(match: str, version: int, commit_hash: str, *, private: bool) -> bytes:
    """Return the leaf of a commit; private: of a private match."""
    if private:
        return canonical({"hash": commit_hash})
    return canonical({"hash": commit_hash, "match": match, "version": version})


def commit_line(
    match: str, version: int, commit_hash: str, beside: Sequence[str], *, private: bool
) -> bytes:
    """Return the line of a commit; beside: time, game and status.

    Match and version of a private match stand beside the leaf, too, and not in it.
    """
    leaf = leaf_of_commit(match, version, commit_hash, private=private)
    shown_to_players = (match, str(version)) if private else ()
    return leaf + b"\n" + "|".join((*beside, *shown_to_players)).encode()


def gone_back_line(generation: str, time: str) -> bytes:
    """Return the line that says that the journal had gone back when it got a generation."""
    return canonical({"generation": generation, "gone_back": time}) + b"\n"


def leaf_of(line: bytes) -> bytes:
    """Return the leaf that a line holds."""
    return line[: line.index(b"\n")]


def read_line(position: int, line: bytes) -> LogEntry:
    """Return the entry that a line holds."""
    leaf, _, beside = line.partition(b"\n")
    fields = orjson.loads(leaf)
    if "hash" not in fields:
        return LogEntry(position, leaf, "")

    commit_hash = fields["hash"]
    time, game, status, *of_private = beside.decode().split("|")
    if not of_private:
        return LogEntry(
            position, leaf, commit_hash, fields["match"], fields["version"], time, game, status
        )
    match, version = of_private
    return LogEntry(
        position, leaf, commit_hash, match, int(version), time, game, status, is_private=True
    )
