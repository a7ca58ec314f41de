"""Parts of the answers of many tools: the standing of a match, and its story."""

from typing import Annotated, TypedDict

from service.api.http.context import ctx, enter
from service.base import answers
from service.matches import moves as match_moves, stories, views
from service.matches.access import Access
from service.matches.repository import load_head
from service.record.replay import Loaded, outcome
from service.store.journal.values import Range
from service.store.keys.tokens import Caller

Story = Annotated[list[str], "The story, a sentence a line behind the version."]
More = Annotated[str, "The way to get the rest. Empty: nothing is left out."]


class Standing(TypedDict):
    """The standing of a match."""

    match: Annotated[answers.MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    version: Annotated[
        answers.Version, "Number of commits of the match, in all or up to the requested version."
    ]
    status: Annotated[answers.MatchStatus, "open, running, ended or aborted."]
    waiting_for: Annotated[answers.WaitingFor, "Parties awaited."]
    seat: Annotated[int | None, "Your seat. Null: your token is no seat's."]
    your_turn: Annotated[bool, "True if you may move."]
    outcome: Annotated[answers.Outcome | None, "The result. Null if there is none."]


class News(Standing):
    """The standing of a match, and the story since."""

    story: Story
    more: More


def standing(loaded: Loaded, caller: Caller) -> Standing:
    """Return the standing of a match for a caller."""
    seat = caller.seat
    return {
        "match": loaded.id,
        "game": loaded.match.game.key,
        "version": loaded.version,
        "status": loaded.status.name,
        "waiting_for": views.waiting_for(loaded),
        "seat": seat,
        "your_turn": seat is not None and match_moves.may_move(loaded, seat),
        "outcome": outcome(loaded),
    }


def story_lines(loaded: Loaded, caller: Caller, versions: Range) -> list[str]:
    """Return the story of a range of commits. loaded: the match at its head."""
    if versions.after >= versions.until:
        return []
    names = stories.names_of(ctx(), loaded)
    return list(stories.text_lines(stories.story(ctx(), loaded, caller, names, versions)))


def enter_at_head(match: str) -> tuple[Access, Loaded]:
    """Enter a match with the token of the request. Return the access and the state at the head."""
    access = enter(match)
    return access, load_head(ctx(), access)
