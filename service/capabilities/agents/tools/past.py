"""The tools for the past of a match, and for help: story, advice, verify."""

from typing import Annotated, Literal, TypedDict

from domain.json_types import Json
from service.api import links
from service.api.contract.fields import whole_number
from service.api.http.context import enter
from service.base import answers
from service.capabilities.advice import use_cases as advice_use_cases
from service.capabilities.advice.routes import start as start_advice
from service.capabilities.agents.tools.arguments import OfMatch
from service.capabilities.agents.tools.standing import (
    More,
    Story,
    enter_at_head,
    story_lines,
)
from service.capabilities.agents.tools.tool import tool
from service.capabilities.audits.routes import start as start_audit
from service.matches import views

MOST_COMMITS = 50  # in one answer


class StorySchema(OfMatch):
    """A part of the story."""

    after = whole_number("Only the story after this version.", 0, load_default=0)
    limit = whole_number("Largest number of commits.", 1, MOST_COMMITS, load_default=MOST_COMMITS)


class StoryPart(TypedDict):
    """A part of a match's story."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "Number of commits of the match."]
    story: Story
    more: More


@tool("story", "Read the story", StorySchema)
def read_story(match: str, after: int, limit: int) -> StoryPart:
    """Read the story of a match in English, as your seat may know it, with the numbers of the rules
    that decided.
    """
    access, loaded = enter_at_head(match)
    page = views.page_range(access, after, limit)
    is_whole = page.until == loaded.version
    return {
        "match": match,
        "version": loaded.version,
        "story": story_lines(loaded, access.caller, page),
        "more": "" if is_whole else f"Go on with after={page.until}.",
    }


class AdviceSchema(OfMatch):
    """No further arguments."""


class AdvisedMove(TypedDict):
    """A weighed move."""

    move: Annotated[Json, "The move, as `move` takes it."]
    win_chance: Annotated[
        float | None, "Your chance to win after the move, 0 to 1. Null: no choice."
    ]


class Advised(TypedDict):
    """The advice of a strong bot."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "Version of the match at which the advice applies."]
    status: Annotated[Literal["thinking", "ready"], "thinking: ask again in a second."]
    best: Annotated[list[AdvisedMove], "The best moves, the advised one first."]


@tool("advice", "Ask for advice", AdviceSchema)
def get_advice(match: str) -> Advised:
    """Ask a strong bot for advice on your seat, in a match opened with `advice` (M14). The
    bot thinks for about a second: ask again until the advice is ready.
    """
    access, loaded = enter_at_head(match)
    seat = advice_use_cases.seat_of(access.caller)
    advised = start_advice(loaded, seat)
    return {
        "match": match,
        "version": loaded.version,
        "status": advised["status"],
        "best": [{"move": one["move"], "win_chance": one["win_chance"]} for one in advised["best"]],
    }


class VerifySchema(OfMatch):
    """No further arguments."""


class Verified(TypedDict):
    """The result of checking a match."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "Last audited version."]
    status: Annotated[Literal["checking", "done"], "checking: ask again in a second."]
    checked: Annotated[answers.Count, "Number of commits checked so far."]
    verdict: Annotated[str | None, "right, partly_checked or wrong. Null until the check is done."]
    wrong: Annotated[str | None, "The first fault. Null: none, as far as checked."]
    unchecked: Annotated[list[str], "Unchecked parts, with the reasons."]
    record: Annotated[str, "Address of the record. Anybody can check it offline."]


@tool("verify", "Check a match", VerifySchema)
def verify_match(match: str) -> Verified:
    """Have the whole history of a match checked: the chain of its commits, every move decided
    again, every draw. A worker does the check: ask again until it is done.
    """
    audit = start_audit(enter(match))
    report = audit["report"]
    fault = report["wrong"] if report is not None else None
    return {
        "match": match,
        "version": audit["version"],
        "status": "checking" if report is None else "done",
        "checked": audit["done"] if report is None else report["commits"],
        "verdict": None if report is None else report["verdict"],
        "wrong": None if fault is None else f"commit {fault['commit']}: {fault['detail']}",
        "unchecked": [] if report is None else report["unchecked"],
        "record": f"{links.match(match)}/record",
    }
