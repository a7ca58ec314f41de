"""The tools for the past, and help: story, advice, verify."""

from typing import Annotated, Literal, TypedDict

from domain.json_types import Json
from service.api import links
from service.api.http.context import enter
from service.base import answers
from service.capabilities.advice import use_cases as advice_use_cases
from service.capabilities.advice.routes import advice_for
from service.capabilities.agents.tools.arguments import OfMatch, number_field
from service.capabilities.agents.tools.standing import (
    More,
    Story,
    enter_at_head,
    story_lines,
)
from service.capabilities.agents.tools.tool import tool
from service.capabilities.audits.routes import audit_of
from service.matches import views

MOST_COMMITS = 50  # in one answer


class StorySchema(OfMatch):
    """Which part of the story."""

    after = number_field("Only what happened after this version.", 0, load_default=0)
    limit = number_field("How many commits at most.", 1, MOST_COMMITS, load_default=MOST_COMMITS)


class StoryPart(TypedDict):
    """A part of a match's story."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "How many commits the match has."]
    story: Story
    more: More


@tool("story", "Read what happened", StorySchema)
def read_story(match: str, after: int, limit: int) -> StoryPart:
    """Read what happened in a match in English, as your seat may know it, with the numbers of the
    rules that decided.
    """
    access, loaded = enter_at_head(match)
    wanted = views.page_range(access, after, limit)
    is_whole = wanted.until == loaded.version
    return {
        "match": match,
        "version": loaded.version,
        "story": story_lines(loaded, access.caller, wanted),
        "more": "" if is_whole else f"Go on with after={wanted.until}.",
    }


class AdviceSchema(OfMatch):
    """Nothing else has to be said."""


class AdvisedMove(TypedDict):
    """A move that was weighed."""

    move: Annotated[Json, "The move, as `move` takes it."]
    win_chance: Annotated[float | None, "How likely you win after it, 0 to 1; null: no choice."]


class Advised(TypedDict):
    """What a strong bot would do."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "The version that it is for."]
    status: Annotated[Literal["thinking", "ready"], "thinking: ask again in a second."]
    best: Annotated[list[AdvisedMove], "The best moves, the one to make first."]


@tool("advice", "Ask for advice", AdviceSchema)
def get_advice(match: str) -> Advised:
    """Ask what a strong bot would do now in your place, in a match that was opened with `advice`
    (M14). It thinks for about a second: ask again until it is ready.
    """
    access, loaded = enter_at_head(match)
    seat = advice_use_cases.seat_of(access.caller)
    advice_use_cases.check_advised(loaded, seat)
    advised = advice_for(loaded, seat)
    return {
        "match": match,
        "version": loaded.version,
        "status": advised["status"],
        "best": [{"move": one["move"], "win_chance": one["win_chance"]} for one in advised["best"]],
    }


class VerifySchema(OfMatch):
    """Nothing else has to be said."""


class Verified(TypedDict):
    """What checking a match has found."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "Up to which version."]
    status: Annotated[Literal["checking", "done"], "checking: ask again in a second."]
    checked: Annotated[answers.Count, "How many commits were checked so far."]
    verdict: Annotated[str | None, "right, partly_checked or wrong; null until it is done."]
    wrong: Annotated[str | None, "What is wrong; null: nothing is, as far as it was checked."]
    unchecked: Annotated[list[str], "What could not be checked, why."]
    record: Annotated[str, "Where the record is, which anybody can check offline."]


@tool("verify", "Check a match", VerifySchema)
def verify_match(match: str) -> Verified:
    """Have the whole history of a match checked: the chain of its commits, every move decided
    again, every draw. A worker does it: ask again until it is done.
    """
    access = enter(match)
    found = audit_of(access, access.version)
    report = found["report"]
    fault = report["wrong"] if report is not None else None
    return {
        "match": match,
        "version": found["version"],
        "status": "checking" if report is None else "done",
        "checked": found["done"] if report is None else report["commits"],
        "verdict": None if report is None else report["verdict"],
        "wrong": None if fault is None else f"commit {fault['commit']}: {fault['detail']}",
        "unchecked": [] if report is None else report["unchecked"],
        "record": f"{links.match(match)}/record",
    }
