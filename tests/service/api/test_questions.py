"""What a request costs: questions to the journal, and commits that are folded."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from service.matches import automation
from service.matches.context import MatchCache
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.repository import load
from tests.service.api.conftest import Door
from tests.service.matches.conftest import first_move, humans, play_on

HEAD = 60  # the version of the match
PAST = 57  # a version beyond the checkpoint at 50


@dataclass
class Counted:
    """A journal, or a part of it, that notes what it is asked."""

    wrapped: Any
    questions: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.wrapped, name)
        if not callable(found):
            return Counted(found, self.questions)

        def asked(*arguments: Any, **named: Any) -> Any:
            self.questions.append(name)
            return found(*arguments, **named)

        return asked


@dataclass
class Counter:
    """A door to a long match, and what its requests cost."""

    door: Door
    opened: Opened
    journal: Counted
    headers: dict[str, str]

    def forget(self) -> None:
        """Let the process remember nothing."""
        self.door.ctx = replace(self.door.ctx, cache=MatchCache())
        self.door.change(ctx=self.door.ctx)

    def cost(self, path: str, method: str = "GET", **request: Any) -> tuple[int, int]:
        """Return how many questions a request asks, and how many commits it folds."""
        self.journal.questions.clear()
        before = folded()
        url = path if path.startswith("/") else f"/v1/matches/{self.opened.loaded.id}/{path}"
        answer = self.door.client.open(url, method=method, headers=self.headers, **request)
        assert answer.status_code in (200, 201), answer.data
        return len(self.journal.questions), folded() - before


def folded() -> int:
    """Return how many commits this process has folded."""
    return int(REGISTRY.get_sample_value("giornale_replayed_commits_total") or 0)


@pytest.fixture
def counter(door: Door) -> Counter:
    """A match of three humans at the version HEAD, asked for by one of them."""
    opened = open_new(door.ctx, OpenRequest("calimala", humans(3)))
    play_on(door.ctx, opened, until=HEAD)

    journal: Any = Counted(door.ctx.journal)
    door.ctx = replace(door.ctx, journal=journal)
    headers = {"Authorization": f"Bearer {opened.tokens['seat:0']}"}
    counted = Counter(door, opened, journal, headers)
    counted.forget()
    return counted


@pytest.mark.parametrize(
    ("path", "method", "questions", "commits"),
    [
        pytest.param("state", "GET", 2, HEAD, id="state-at-head"),
        pytest.param(f"state?version={PAST}", "GET", 2, PAST, id="past-state"),
        pytest.param("states?after=20&limit=10", "GET", 4, 30, id="states"),
        pytest.param("commits?limit=20", "GET", 2, 0, id="commits"),
        pytest.param("commits/7", "GET", 2, 0, id="one-commit"),
        pytest.param("record", "GET", 2, 0, id="record"),
        pytest.param("stream", "HEAD", 1, 0, id="stream"),
        pytest.param("/v1/matches", "GET", 3, 0, id="list"),
    ],
)
def test_a_process_that_knows_nothing(
    counter: Counter, path: str, method: str, questions: int, commits: int
) -> None:
    """Access is one question, whose token it is included; no commit is folded twice."""
    asked, was_folded = counter.cost(path, method)

    assert was_folded == commits
    assert asked <= questions, counter.journal.questions


def test_the_present_state_known_before(counter: Counter) -> None:
    """The head confirms it."""
    counter.cost("state")
    assert counter.cost("moves") == (1, 0)


def test_a_past_state_near_a_checkpoint(counter: Counter) -> None:
    """The commits after the checkpoint confirm it, and are all that is folded."""
    counter.cost(f"state?version={PAST}")
    asked, was_folded = counter.cost(f"state?version={PAST - 2}")

    assert (asked, was_folded) == (2, PAST - 2 - 50)


def test_a_move_that_is_known_to_fit(counter: Counter) -> None:
    """The append is the only question."""
    ctx = counter.door.ctx
    match = counter.opened.loaded.id
    while not (seats := load(ctx, match).status.seats):
        automation.act(ctx, match)
    seat = seats[0]
    move = first_move(ctx, counter.opened, seat)
    token = counter.opened.tokens[f"seat:{seat}"]
    counter.headers = {"Authorization": f"Bearer {token}"}
    counter.cost("state")

    assert counter.cost("moves", "POST", json=move) == (1, 0)
