"""The errors of a journal.

JournalError
├── Conflict              another version, or another state, than the required one
│   └── Deleted           the operator has deleted the match
├── KeyReused             a command id with another command
├── ChainBroken           another predecessor than the last commit
├── HeadDamaged           the head of one match cannot be read
└── JournalUnavailable    no answer, or a refusal
    ├── JournalFull       no memory left
    ├── TooFewReplicas    no writes for want of replicas, or of room on the disk
    ├── JournalUnusable   the server cannot hold a journal, or its journal does not fit
    ├── Unconfirmed       the request is done, but not confirmed in time
    └── ArchiveUnavailable  an archived match cannot be read or written
        ├── ArchiveDamaged  the file, its marker or the match is missing or damaged
        └── FileLeft      a file that no match needs is still there
"""


class JournalError(Exception):
    """The root of all errors of a journal."""


class Conflict(JournalError):
    """The match is not as the request requires, for example at another version.

    version: the version of the match, 0 for an unknown match.
    """

    def __init__(self, version: int) -> None:
        super().__init__(f"the match is at version {version}")
        self.version = version


class Deleted(Conflict):
    """The operator has deleted the match. Its id is never used again."""

    def __init__(self) -> None:
        super().__init__(0)


class KeyReused(JournalError):
    """The command id was used before for another command, with another fingerprint."""

    def __init__(self, command_id: str) -> None:
        super().__init__(f"the command id {command_id} was used before for another command")


class ChainBroken(JournalError):
    """The commit does not name the hash of its predecessor, or the match is archived."""


class HeadDamaged(JournalError):
    """The stored head of one match cannot be read.

    Methods that read many heads return it in place of the head.
    """

    def __init__(self, match_id: str) -> None:
        super().__init__(f"the head of match {match_id} is damaged")
        self.match = match_id


class JournalUnavailable(JournalError):
    """The journal cannot be reached, or refuses the request.

    After a broken connection the outcome of a request is unknown. Unconfirmed and FileLeft mean
    that the request is done.
    """


class JournalFull(JournalUnavailable):
    """The store has no memory left. It refuses new commits, and can still be read."""


class TooFewReplicas(JournalUnavailable):
    """The server takes no writes (NOREPLICAS), and can still be read.

    Fewer replicas are connected than `min-replicas-to-write` demands. The bundled server has no
    replicas. Its supervisor sets this setting to 1 while the disk is nearly full.
    """


class JournalUnusable(JournalUnavailable):
    """The server takes no writes or is too old, or the journal does not fit this process.

    The journal does not fit if a later release has written it, or if it has another number of
    partitions. Each line of the message tells one fault.
    """


class Unconfirmed(JournalUnavailable):
    """The request is done, but the server's disk or enough replicas did not confirm it in time.

    The effect of the request lasts unless the server is lost before the replicas confirm. A
    repeated request with the same command id is done once, and the replicas are asked again.
    """


class ArchiveUnavailable(JournalUnavailable):
    """An archived match cannot be read or written.

    The message is for the operator. It names the match and the fault.
    """

    def __init__(self, match_id: str, detail: str) -> None:
        super().__init__(detail)
        self.match = match_id


class ArchiveDamaged(ArchiveUnavailable):
    """The file, its marker or the match is missing or damaged. A retry does not help."""


class FileLeft(ArchiveUnavailable):
    """The request is done, but a file could not be removed. No match needs it."""
