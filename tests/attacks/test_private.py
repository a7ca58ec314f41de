"""Attacks on private matches: without a token of one nobody learns that it is there, or was."""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.journal.port import Journal
from service.matches.context import MatchCache
from tests.attacks.conftest import delete_match
from tests.service.api.conftest import OPERATOR, THREE, Door, json, opened, problem
from tests.service.api.test_refusals import OF_A_MATCH, Route, json_of
from tests.service.journal.ports import journal_of_calls

NEVER = "a" * 26  # the id of a match that never was
OF_THE_REQUEST = {"X-Request-Id", "RateLimit"}
READS_OF_THE_MATCH = {"events.tail", "events.read", "metadata.snapshot"}


def noting(journal: Journal, questions: list[str]) -> Journal:
    """Return a journal that notes what it is asked, one name of a method after another."""

    def noted(name: str, *arguments: Any, **named: Any) -> Any:
        questions.append(name)
        return attrgetter(name)(journal)(*arguments, **named)

    return journal_of_calls(noted)


def put_context(door: Door, **changed: Any) -> None:
    """Let the application work with another context."""
    door.change(ctx=replace(door.ctx, **changed))


HIDDEN: dict[str, Callable[[Door], None]] = {
    "remembered": lambda _: None,
    "not-remembered": lambda door: put_context(door, cache=MatchCache()),
    "deleted": delete_match,
}


@pytest.fixture(params=list(HIDDEN))
def hidden(door: Door, request: pytest.FixtureRequest) -> Door:
    """A private match that somebody plays, or played until it was deleted."""
    opened(door, seats=[*THREE[1:], {"kind": "open"}], visibility="private")
    assert door.get("state", "owner").status_code == 200
    HIDDEN[request.param](door)
    return door


@pytest.mark.parametrize("with_token", [False, True], ids=["no-token", "made-up-token"])
def test_a_private_match_is_answered_as_one_that_never_was(hidden: Door, with_token: bool) -> None:
    """The answer is the same to the byte, after the same questions to the journal.

    So the time tells no more than the answer. The match itself is not read for it.
    """
    questions: list[str] = []
    put_context(hidden, journal=noting(hidden.ctx.journal, questions))

    def answer_for(match: str, route: Route) -> tuple[Any, list[str]]:
        token = f"gio_{match}_{'a' * 43}" if with_token else ""
        questions.clear()
        answer = route.send(hidden, token, match=match, json=json_of(route))
        return without(match, answer), list(questions)

    for name, route in OF_A_MATCH.items():
        of_the_match = answer_for(hidden.match, route)
        of_none = answer_for(NEVER, route)

        assert of_the_match == of_none, name
        assert READS_OF_THE_MATCH.isdisjoint(of_none[1]), name


def without(match: str, answer: TestResponse) -> tuple[int, str, dict[str, str]]:
    """Return an answer without the id of the match and what each request has for itself."""
    headers = {name: text for name, text in answer.headers if name not in OF_THE_REQUEST}
    return answer.status_code, answer.text.replace(match, "MATCH"), headers


def test_who_may_see_a_private_match_sees_it(hidden: Door) -> None:
    """Its tokens open it while it is there, also in a process that knows nothing of it.

    After its deletion a stranger gets 404, its token 401, and only the operator learns of it.
    """
    seen = hidden.get("", "owner")

    if hidden.ctx.journal.events.head(hidden.match) is not None:
        assert seen.status_code == 200
        assert json(seen)["id"] == hidden.match
    else:
        assert problem(hidden.get("state")) == (404, "not-found")
        assert problem(seen) == (401, "unauthorized")
        assert problem(hidden.delete("", OPERATOR)) == (410, "match-deleted")
