"""Answers that many tools give: where a match stands, and its story."""

from typing import Annotated, TypedDict

from service.api.http.context import ctx, enter
from service.base import answers
from service.matches import moves as match_moves, stories, views
from service.matches.access import Access
from service.matches.repository import load_head
from service.matches.views import Range
from service.record.replay import Loaded, outcome
from service.store.keys.tokens import Caller

Story = Annotated[list[str], "What happened, a sentence a line behind the version."]
More = Annotated[str, "How to get what is left out here; empty: nothing is."]


class Standing(TypedDict):
    """Where a match stands."""

    match: Annotated[answers.MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    version: Annotated[answers.Version, "How many commits it has, or had at the version asked for."]
    status: Annotated[answers.MatchStatus, "open, running, finished or aborted."]
    waiting_for: Annotated[answers.WaitingFor, "Whom the match waits for."]
    seat: Annotated[int | None, "Your seat; null: your token is no seat's."]
    your_turn: Annotated[bool, "Whether you may move."]
    outcome: Annotated[answers.Outcome | None, "The end; null: there is none yet."]


class News(Standing):
    """Where a match stands, and what has happened."""

    story: Story
    more: More


def standing(loaded: Loaded, caller: Caller) -> Standing:
    """Return where a match stands for a caller."""
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


def story_lines(loaded: Loaded, caller: Caller, wanted: Range) -> list[str]:
    """Return the commits of a range as lines for people; loaded: the match at its head."""
    if wanted.after >= wanted.until:
        return []
    names = stories.names_of(ctx(), loaded)
    return list(stories.text_lines(stories.story(ctx(), loaded, caller, names, wanted)))


def enter_at_head(match: str) -> tuple[Access, Loaded]:
    """Enter a match with the token of the request. Return the access and the state at the head."""
    access = enter(match)
    return access, load_head(ctx(), access)
