"""Parts cut out of a commit's bytes equal the parts of the parsed commit."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from domain.games import GAMES
from service.matches.opening import OpenRequest, open_new
from service.record import record
from service.record.codec import put_back, stored_bytes
from service.record.commit import Json, canonical, parse_commit
from service.record.replay import events_in, without_messages
from service.store.journal.memory import memory_journal
from tests.records.make import lines_in, signed_path
from tests.service.matches.conftest import bots, context_over, humans, play_on

MATCH = "b4ouyzu26gtfbdb3dmjlpli4xq"
MOVED: Json = {"seat": 1, "type": "moved"}


def commit_of(command: Json, events: list[Json], secrets: Json | None = None, **more: str) -> bytes:
    """Return the bytes of a commit with these messages, which need not belong to a game.

    more: other members of its public part.
    """
    content = {
        **more,
        "actor": "seat:1",
        "command": command,
        "events": events,
        "match": MATCH,
        "prev": "0" * 64,
        "secrets": dict.fromkeys(secrets or {}, "1" * 64),
        "time": "2027-01-15T08:00:01.000Z",
        "version": 2,
        "view": "",
    }
    return stored_bytes(canonical(content), "2" * 64, secrets or {})


COMMITS = {
    "plain": commit_of(MOVED, [MOVED, MOVED]),
    "no-events": commit_of(MOVED, []),
    "no-events-a-secret": commit_of(MOVED, [], {"house": {"command": {"card": 1}, "salt": "3"}}),
    "secrets-of-two": commit_of(
        MOVED,
        [MOVED, MOVED],
        {
            "house": {"0": {"deck": [1, 2]}, "1": {"deck": []}, "salt": "4"},
            "seat:1": {"1": {"card": 7}, "command": {"card": 7}, "salt": "5"},
        },
    ),
    "text-like-a-commit": commit_of(
        {"text": ',"events":[{}],"match":"x","prev":"'},
        [{"text": '],"match":"', "type": ',"events":['}],
    ),
    "events-in-the-command": commit_of({"a": 1, "events": [1, 2], "type": "ask"}, [MOVED]),
    "events-and-match-in-the-command": commit_of(
        {"a": 1, "events": [MOVED], "match": MATCH, "prev": "", "type": "ask"},
        [MOVED, {"seat": 2, "type": "moved"}],
    ),
    "events-and-match-in-an-event": commit_of(
        MOVED, [{"a": 1, "events": [MOVED], "match": MATCH, "prev": "", "type": "told"}]
    ),
    "match-in-a-secret": commit_of(
        MOVED, [MOVED], {"house": {"0": {"cards": [1], "match": "x"}, "salt": "6"}}
    ),
    "events-and-match-in-a-secret": commit_of(
        MOVED, [MOVED], {"house": {"0": {"a": 1, "events": [1], "match": "x"}, "salt": "6"}}
    ),
    "secrets-in-a-secret": commit_of(
        MOVED, [MOVED], {"house": {"0": {"cards": [1], "secrets": {}}, "salt": "7"}}
    ),
    "M18-signed": commit_of(MOVED, [MOVED], signature="8" * 128),
    "M18-signed-a-secret": commit_of(
        MOVED, [MOVED, MOVED], {"seat:1": {"1": {"card": 7}, "salt": "9"}}, signature="8" * 128
    ),
    "M18-signed-in-secret": commit_of(
        MOVED,
        [MOVED],
        {"seat:1": {"command": {"card": 7}, "salt": "9", "signature": {"hex": "8" * 128}}},
    ),
    "another-order": b'{"hash":"","secrets":{},"commit":{"events":[],"command":{},"match":"x"}}',
}


def parsed(commit_bytes: bytes) -> list[Json]:
    """Return the events of a commit that is parsed as a whole."""
    _, events = put_back(parse_commit(commit_bytes))
    return events


def outer(stored: Any) -> list[Any]:
    """Return a commit's members except actor and messages, None for missing ones."""
    content = stored["commit"]
    names = ("match", "prev", "secrets", "time", "version", "view")
    return [stored["hash"], stored["secrets"], *map(content.get, names)]


@pytest.mark.parametrize("commit_bytes", COMMITS.values(), ids=list(COMMITS))
def test_each_commit_gives_its_parts(commit_bytes: bytes) -> None:
    assert events_in([commit_bytes]) == [parsed(commit_bytes)]
    assert outer(without_messages(commit_bytes)) == outer(parse_commit(commit_bytes))


@pytest.mark.parametrize("name", COMMITS)
def test_commits_beside_each_other_do_not_mix(name: str) -> None:
    """The events of several commits are the events of each commit, in any company."""
    assert events_in([]) == []
    for other in COMMITS.values():
        many = [COMMITS["plain"], COMMITS[name], other, COMMITS["secrets-of-two"]]
        assert events_in(many) == list(map(parsed, many))


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_gives_its_parts(game: str) -> None:
    ctx = context_over(memory_journal())
    seats = [*humans(1), *bots(GAMES[game].seats[0] - 1)]
    opened = open_new(ctx, OpenRequest(game, seats, seed="skimming"))
    play_on(ctx, opened)
    entries = ctx.journal.events.read(opened.loaded.id)

    check(entries)


@pytest.mark.parametrize("game", GAMES)
def test_a_signed_match_gives_its_parts(game: str) -> None:
    """M18: parts are right although signatures follow the events, in public or in secret parts."""
    lines = lines_in(signed_path(GAMES[game]))
    check([canonical(record.read_line(line)[0]) for line in lines])


def check(entries: list[bytes]) -> None:
    """Fail unless the parts cut out of each commit are its own."""
    assert events_in(entries) == list(map(parsed, entries))
    for entry in entries:
        assert outer(without_messages(entry)) == outer(parse_commit(entry))


# Objects and lists with the marks of cuts in any place, also within texts.
NAMES = st.sampled_from(["a", "events", "match", "prev", "secrets", "text", "zzz"])
TEXTS = st.sampled_from(["", "x", ',"events":[', '],"match":"', ',"secrets":', "{}}", "\\"])
CRAFTED = st.recursive(
    st.integers(0, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
MESSAGES = st.dictionaries(NAMES, CRAFTED, max_size=4)
PLACES = st.sampled_from(["0", "command"])
SECRETS = st.dictionaries(
    st.sampled_from(["house", "seat:0"]),
    st.dictionaries(PLACES, MESSAGES, max_size=2).map(lambda part: {**part, "salt": "8"}),
    max_size=2,
)
CRAFTED_COMMITS = st.builds(
    commit_of, MESSAGES, st.lists(MESSAGES, min_size=1, max_size=3), SECRETS
)


@pytest.mark.whole
@settings(max_examples=60)
@given(st.lists(CRAFTED_COMMITS, max_size=3))
def test_no_commit_can_be_made_that_gives_something_else(many: list[bytes]) -> None:
    """Random messages, even with the marks of cuts, give the same parts as parsing."""
    assert events_in(many) == list(map(parsed, many))
    for commit_bytes in many:
        assert outer(without_messages(commit_bytes)) == outer(parse_commit(commit_bytes))
