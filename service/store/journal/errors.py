"""What a journal may raise.

JournalError
├── Conflict              another version than the expected one
│   └── Deleted           the operator has deleted the match
├── KeyReused             a command id with another command
├── ChainBroken           another predecessor than the last commit
├── HeadDamaged           the head of one match cannot be read
└── JournalUnavailable    no answer, or an unsafe store
    ├── JournalFull       no memory left
    ├── TooFewReplicas    it takes no writes for want of replicas, or of room on its disk
    ├── JournalUnusable   the server cannot hold a journal, or holds one of a later release
    ├── Unconfirmed       too few replicas have it yet
    └── ArchiveUnavailable  an archived match cannot be read
        ├── ArchiveDamaged  its file is missing, or is not what was written
        └── FileLeft      the file of a deleted match is still there
"""


class JournalError(Exception):
    """The root of all that a journal may raise."""


class Conflict(JournalError):
    """The match is not at the expected version.

    version: where it is; 0 if there is no such match.
    """

    def __init__(self, version: int) -> None:
        super().__init__(f"the match is at version {version}")
        self.version = version


class Deleted(Conflict):
    """The operator has deleted the match; its id is never used again."""

    def __init__(self) -> None:
        super().__init__(0)


class KeyReused(JournalError):
    """The command id was used before for another command, with another fingerprint."""

    def __init__(self, command_id: str) -> None:
        super().__init__(f"the command id {command_id} was used before for another command")


class ChainBroken(JournalError):
    """The commit does not name the hash of its predecessor."""


class HeadDamaged(JournalError):
    """The stored head of a match cannot be read. Other matches are well.

    Where many heads are read, it stands in the place of the head.
    """

    def __init__(self, match_id: str) -> None:
        super().__init__(f"the head of match {match_id} is damaged")
        self.match = match_id


class JournalUnavailable(JournalError):
    """The journal cannot be reached, or refuses; nothing was appended as far as is known."""


class JournalFull(JournalUnavailable):
    """The store has no memory left: it refuses what would add to it, and is still read."""


class TooFewReplicas(JournalUnavailable):
    """The server takes no writes (NOREPLICAS), and is still read.

    Fewer replicas are connected than `min-replicas-to-write` says. The bundled server has none; it
    is set to refuse in this way when its disk is full.
    """


class JournalUnusable(JournalUnavailable):
    """The server takes no writes or is too old, or a later release has written the journal.

    The message holds a sentence a line.
    """


class Unconfirmed(JournalUnavailable):
    """What was asked for is done, but too few replicas have confirmed it in time.

    It lasts unless the server is lost before they do. Done again with the same command id, it is
    done once, and the replicas are asked anew.
    """


class ArchiveUnavailable(JournalUnavailable):
    """An archived match cannot be read, or not be written; the journal itself is well.

    The message says which match, where it should lie and what to do: it is for the operator.
    """

    def __init__(self, match_id: str, detail: str) -> None:
        super().__init__(detail)
        self.match = match_id


class ArchiveDamaged(ArchiveUnavailable):
    """The archive can be reached, but the file is missing or damaged: that does not pass."""


class FileLeft(ArchiveUnavailable):
    """What was asked for is done, but a file that no match needs could not be removed."""
