"""Costs of a request: calls of the journal, and replayed commits."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from service.matches.context import MatchCache
from service.matches.opening import OpenRequest, open_new
from tests.service.api.conftest import Door
from tests.service.matches.conftest import humans, play_on

HEAD = 60  # the version of the match
PAST = 57  # a version beyond the checkpoint at 50


@dataclass
class Counted:
    """A journal, or a part of it, that notes its calls."""

    wrapped: Any
    questions: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.wrapped, name)
        if not callable(attribute):
            return Counted(attribute, self.questions)

        def asked(*arguments: Any, **keywords: Any) -> Any:
            self.questions.append(name)
            return attribute(*arguments, **keywords)

        return asked


@pytest.fixture
def long_match(door: Door) -> Door:
    """A match of three humans at the version HEAD, on a process with an empty cache."""
    opened = open_new(door.ctx, OpenRequest("calimala", humans(3)))
    play_on(door.ctx, opened, until=HEAD)
    door.match, door.tokens = opened.loaded.id, dict(opened.tokens)

    journal: Any = Counted(door.ctx.journal)
    door.change(ctx=replace(door.ctx, journal=journal, cache=MatchCache()))
    return door


def cost(
    door: Door, path: str, who: str = "seat:0", method: str = "GET", **request: Any
) -> tuple[int, int]:
    """Return the number of journal calls of a request, and of commits that it replays."""
    journal: Any = door.ctx.journal
    journal.questions.clear()
    before = folded()
    answer = door.ask(method, path, who, **request)
    assert answer.status_code in (200, 201), answer.data
    return len(journal.questions), folded() - before


def folded() -> int:
    """Return the number of commits replayed by this process."""
    return int(REGISTRY.get_sample_value("giornale_replayed_commits_total") or 0)


@pytest.mark.parametrize(
    ("path", "method", "questions", "commits"),
    [
        pytest.param("state", "GET", 2, HEAD, id="state-at-head"),
        pytest.param(f"state?version={PAST}", "GET", 2, PAST, id="past-state"),
        pytest.param("states?after=20&limit=10", "GET", 4, 30, id="states"),
        pytest.param("commits?limit=20", "GET", 2, 0, id="commits"),
        pytest.param("commits/1", "GET", 2, 0, id="first-commit"),
        pytest.param("commits/7", "GET", 3, 0, id="one-commit"),
        pytest.param("record", "GET", 2, 0, id="record"),
        pytest.param("stream", "HEAD", 1, 0, id="stream"),
        pytest.param("/v1/matches", "GET", 3, 0, id="list"),
    ],
)
def test_a_process_that_knows_nothing(
    long_match: Door, path: str, method: str, questions: int, commits: int
) -> None:
    """A new process checks a caller's access in one call. It replays no commit twice.

    Answers with commits name the match's rules, so the process reads its first commit once.
    """
    number, was_folded = cost(long_match, path, method=method)

    assert was_folded == commits
    assert number <= questions, path


def test_a_process_that_has_seen_the_match(long_match: Door) -> None:
    """A cached state is confirmed by one call. A move is one call, the append.

    A past state replays only the commits after the checkpoint before it.
    """
    assert cost(long_match, f"state?version={PAST}")[1] == PAST
    assert cost(long_match, f"state?version={PAST - 2}") == (2, PAST - 2 - 50)

    while not (seats := long_match.waiting_seats()):
        long_match.house()
    who = f"seat:{seats[0]}"
    cost(long_match, "state", who)
    assert cost(long_match, "moves", who) == (1, 0)
    move = long_match.moves(who)[0]
    assert cost(long_match, "moves", who, "POST", json=move) == (1, 0)


def test_later_commits_need_the_rules_no_more(long_match: Door) -> None:
    """A process that has read the first commit of a match remembers its rules."""
    assert cost(long_match, "commits/7") == (3, 0)
    assert cost(long_match, "commits/8") == (2, 0)
    assert cost(long_match, "commits?after=20&limit=20") == (2, 0)


@pytest.mark.parametrize(
    ("after", "questions"),
    [
        pytest.param(0, ["overview", "tail"], id="from-the-first-commit"),
        pytest.param(HEAD - 1, ["overview", "read", "tail", "read"], id="from-a-later-commit"),
    ],
)
def test_a_stream_takes_the_rules_from_its_commits(
    long_match: Door, after: int, questions: list[str]
) -> None:
    """A stream that begins after the first commit reads it for the names of the rules."""
    journal: Any = long_match.ctx.journal
    with long_match.get(f"stream?after={after}", "seat:0", buffered=False) as stream:
        assert any(b"event: commit" in piece for piece in stream.iter_encoded())
        assert journal.questions == questions


def test_an_agent_asks_the_journal_no_more_than_a_program(long_match: Door) -> None:
    """A tool reads the head by one call. `moves` and `view` make a second call."""
    while not (seats := long_match.waiting_seats()):
        long_match.house()
    who = f"seat:{seats[0]}"
    cost(long_match, "state", who)

    assert cost_of_tool(long_match, "wait", who, seconds=0) == (1, 0)
    assert cost_of_tool(long_match, "moves", who) == (2, 0)
    assert cost_of_tool(long_match, "view", who) == (2, 0)


def cost_of_tool(door: Door, tool: str, who: str, **more: Any) -> tuple[int, int]:
    """Return the cost of a tool's call."""
    params = {"name": tool, "arguments": {"match": door.match, **more}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    version = {"MCP-Protocol-Version": "2025-11-25"}
    return cost(door, "/mcp", who, "POST", json=message, headers=version)
