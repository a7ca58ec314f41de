"""Attacks on private matches: without a token of one nobody learns that it is there, or was."""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.journal.port import Journal
from service.matches.cache import MatchCache
from tests.attacks.operators import OPERATOR, delete_match
from tests.attacks.test_deleted import ASKED
from tests.service.api.conftest import THREE, Door, json, opened, problem
from tests.service.journal.ports import journal_of_calls

NEVER = "a" * 26  # the id of a match that never was
OF_THE_REQUEST = {"X-Request-Id", "RateLimit"}


def noting(journal: Journal, questions: list[str]) -> Journal:
    """Return a journal that notes what it is asked, one name of a method after another."""

    def noted(name: str, *arguments: Any, **named: Any) -> Any:
        questions.append(name)
        return attrgetter(name)(journal)(*arguments, **named)

    return journal_of_calls(noted)


def left_alone(_door: Door) -> None:
    """Leave a match as it is: this process has it in its memory."""


def forgotten(door: Door) -> None:
    """Let this process forget everything, as one that has just started."""
    put_context(door, cache=MatchCache())


def put_context(door: Door, **changed: Any) -> None:
    """Let the application work with another context."""
    door.change(ctx=replace(door.ctx, **changed))


HIDDEN: dict[str, Callable[[Door], None]] = {
    "remembered": left_alone,
    "not-remembered": forgotten,
    "deleted": delete_match,
}


@pytest.fixture(params=list(HIDDEN))
def hidden(operated: Door, request: pytest.FixtureRequest) -> Door:
    """A private match that somebody plays, or played until it was deleted."""
    opened(operated, seats=[*THREE[1:], {"kind": "open"}], visibility="private", seed=None)
    assert operated.get("state", "owner").status_code == 200
    HIDDEN[request.param](operated)
    return operated


@pytest.mark.parametrize("with_token", [False, True], ids=["no-token", "made-up-token"])
@pytest.mark.parametrize(("method", "path", "body"), ASKED)
def test_a_private_match_is_answered_as_one_that_never_was(
    hidden: Door, method: str, path: str, body: Any, with_token: bool
) -> None:
    """The answer is the same to the byte, after the same questions to the journal.

    So the time tells no more than the answer. The match itself is not read for it.
    """
    questions: list[str] = []
    put_context(hidden, journal=noting(hidden.ctx.journal, questions))

    told = []
    for match in (hidden.match, NEVER):
        token = f"gio_{match}_{'a' * 43}" if with_token else ""
        questions.clear()
        answer = hidden.ask(method, f"/v1/matches/{match}/{path}", token, json=body)
        told.append((without(match, answer), list(questions)))

    of_the_match, of_none = told
    assert of_the_match == of_none
    assert {"events.tail", "events.read", "metadata.snapshot"}.isdisjoint(of_none[1])


def without(match: str, answer: TestResponse) -> tuple[int, str, dict[str, str]]:
    """Return an answer without the id of the match and what each request has of its own."""
    headers = {name: text for name, text in answer.headers if name not in OF_THE_REQUEST}
    return answer.status_code, answer.text.replace(match, "MATCH"), headers


def test_a_private_match_that_was_deleted_is_not_told_of(operated: Door) -> None:
    """A stranger gets 404, its token 401, and only the operator is told that it was deleted."""
    opened(operated, visibility="private", seed=None)
    delete_match(operated)

    assert problem(operated.get("state")) == (404, "not-found")
    assert problem(operated.get("state", "seat:0")) == (401, "unauthorized")
    assert problem(operated.delete("", OPERATOR)) == (410, "match-deleted")


def test_who_may_see_a_private_match_sees_it(hidden: Door) -> None:
    """Its tokens open it as long as it is there, in a process that knows nothing of it, too."""
    seen = hidden.get("", "owner")

    is_there = hidden.ctx.journal.events.head(hidden.match) is not None
    assert seen.status_code == (200 if is_there else 401)
    assert not is_there or json(seen)["id"] == hidden.match
