"""The answers about the log."""

from typing import Annotated, NotRequired, TypedDict

from service.base.answers import Count, Digest, LogId, MatchId, MatchStatus, Time, Version


class LoggedCommit(TypedDict):
    """A commit in the order of the log. Others' private matches show only hashes.

    If an operator accepted a loss of commits in the journal, an entry for the loss has `gone_back`
    and no commit.
    """

    log: Annotated[LogId, "ID of the log."]
    position: Annotated[Count, "Position in the log, from 0. A position never changes."]
    hash: NotRequired[Annotated[Digest, "The hash of the commit."]]
    match: NotRequired[Annotated[MatchId, "The match's id."]]
    version: NotRequired[Annotated[Version, "Version of the commit."]]
    time: NotRequired[Annotated[Time, "Time of the commit."]]
    game: NotRequired[Annotated[str, "The game's key."]]
    status: NotRequired[
        Annotated[MatchStatus, "Phase of the match when the commit got its position."]
    ]
    generation: NotRequired[Annotated[str, "Generation of the journal after the loss."]]
    gone_back: NotRequired[Annotated[Time, "Time when the log went on after the loss."]]


class RewrittenLog(TypedDict):
    """The log of this server, for a reader of another log. The stream ends with this event."""

    log: Annotated[LogId, "ID of the log."]


class Feed(TypedDict):
    """A page of all commits."""

    commits: Annotated[list[LoggedCommit], "The commits."]
    next: Annotated[
        str,
        "URL to go on with, relative to this server, also at the end. The header Link has it, too.",
    ]
    log: Annotated[LogId | None, "ID of the log. Null until its first entry."]
