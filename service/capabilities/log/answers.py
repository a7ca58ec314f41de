"""The answers about the log."""

from typing import Annotated, NotRequired, TypedDict

from service.base.answers import Count, Digest, Form, MatchId, MatchStatus, Time, Version

LogId = Annotated[str, Form(pattern="^[0-9a-f]{8}$")]


class LoggedCommit(TypedDict):
    """A commit in the order of the log. Of a private match there is the hash alone.

    Where an operator has accepted that the journal had lost commits, `gone_back` says when, and
    there is no commit.
    """

    log: Annotated[LogId, "ID of the log."]
    position: Annotated[Count, "Position in the log, from 0. It never changes."]
    hash: NotRequired[Annotated[Digest, "The hash of the commit."]]
    match: NotRequired[Annotated[MatchId, "The match's id."]]
    version: NotRequired[Annotated[Version, "The version that the commit made."]]
    time: NotRequired[Annotated[Time, "When it was made."]]
    game: NotRequired[Annotated[str, "The game's key."]]
    status: NotRequired[
        Annotated[MatchStatus, "Where the match stood when the commit got its position."]
    ]
    generation: NotRequired[Annotated[str, "Of the journal after commits were lost."]]
    gone_back: NotRequired[Annotated[Time, "When the log went on after that."]]


class RewrittenLog(TypedDict):
    """The log of this server, if a reader of another one asks. The stream ends with it."""

    log: Annotated[LogId, "ID of the log."]


class Feed(TypedDict):
    """A page of all commits."""

    commits: Annotated[list[LoggedCommit], "The commits."]
    next: Annotated[Count, "Position to send as `after` to go on, with `log`."]
    log: Annotated[LogId | None, "ID of the log. Null until its first entry."]
