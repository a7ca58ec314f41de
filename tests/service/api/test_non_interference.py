"""What a seat may not see changes nothing that the seat is answered, on any endpoint, stream or error.

Two matches differ only in the secret choices of seat 0. Everything that seat 1, a spectator or nobody in particular is
answered must be the same to the byte, but for the digests that bind the hidden choices to the chain: hashes and the
signatures over them. They are salted (docs/fairness.md), so they tell nothing; here they are masked.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from domain import wire
from domain.games import GAMES
from domain.wire import HOUSE
from service.journal.memory import MemoryJournal
from service.journal.wakes import Channel
from service.matches.desk import Desk
from tests.service.api.conftest import KEY, Door, json, opened
from tests.service.api.recording import quiet_app

_DIGEST = re.compile(r"[0-9a-f]{32,128}")
READS = (
    *(
        "",
        "state",
        "moves",
        "commits",
        "commits?limit=2",
        "commits/1",
        "commits/2",
        "state?version=2",
        "record",
    ),
    *(
        "diff?from=1&to=4",
        "state?version=99",
        "commits/99",
        "state?at=2020-01-01T00:00:00Z",
        "nothing",
    ),
)
WRITES: tuple[dict[str, Any], ...] = (
    {"type": "castle"}, {"type": "place_disc"}, {"type": "end_activation"}, {"type": "end_activation", "seat": 0},
)  # fmt: skip
GAMES_WITH_SECRETS = [
    key for key, game in GAMES.items() if any(map(wire.secret_fields, game.commands.values()))
]


class Still:
    """Nobody publishes anything."""

    stopped = False

    @contextmanager
    def follow(self, _match: str) -> Iterator[Channel]:
        """Follow a match of which nothing new is heard."""
        yield Channel()


def played(game: str, choice: int) -> Door:
    """Play the first rounds of a match; seat 0 chooses differently where only it may see what it chose."""
    app = quiet_app()
    ticks: Iterator[int] = count(1_772_388_000_000, 1000)
    app.extensions["desk"] = Desk(
        MemoryJournal(), b"s" * 32, lambda: next(ticks), lambda *_: None, allow_seed=True
    )
    app.extensions["wakes"] = Still()
    door = opened(Door(app.test_client(), app.extensions["desk"]), game, key=KEY)
    for _ in range(12):
        waiting = json(door.get())["waiting_for"]["seats"]
        if not waiting or waiting == [HOUSE]:
            break
        moves = door.moves(f"seat:{waiting[0]}")
        kind = GAMES[game].commands[moves[0]["type"]]
        secret = waiting[0] == 0 and bool(wire.secret_fields(kind))
        door.move(f"seat:{waiting[0]}", choice if secret else 0)
    return door


def seen(door: Door, who: str) -> dict[str, str]:
    """Return everything that a caller is answered, by request."""
    told = {path: door.get(path, who) for path in READS}
    told |= {f"POST {number}": door.post("moves", move, who) for number, move in enumerate(WRITES)}
    told |= {
        "stale": door.post("moves", {"type": "end_activation"}, who, headers={"If-Match": '"2"'})
    }
    told |= {"dry run": door.post("moves?dry_run=true", {"type": "end_activation"}, who)}
    told |= {"lines": door.get("commits", who, headers={"Accept": "application/x-ndjson"})}
    stream = door.get("stream?after=0", who, buffered=False)
    lines: Iterator[Any] = iter(stream.response)
    told_live = {"stream": masked(next(lines).decode() + next(lines).decode())}
    stream.close()
    return told_live | {
        path: f"{answer.status} {masked(str(sorted(answer.headers.items())))} {masked(answer.text)}"
        for path, answer in told.items()
    }


def masked(text: str) -> str:
    """Return a text without digests, signatures and request ids."""
    return _DIGEST.sub("#", re.sub(r"\('X-Request-Id', '[^']*'\)", "", text))


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
@pytest.mark.parametrize("who", ["seat:1", "owner", ""])
def test_what_is_hidden_changes_no_answer(game: str, who: str) -> None:
    """Byte for byte the same, whatever seat 0 keeps to itself (C43)."""
    one, other = played(game, 0), played(game, 1)
    assert one.tokens == other.tokens
    assert seen(one, who) == seen(other, who)


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
def test_the_two_matches_do_differ(game: str) -> None:
    """The seat itself sees another hand; otherwise the test above would prove nothing."""
    one, other = played(game, 0), played(game, 1)
    assert seen(one, "seat:0")["state"] != seen(other, "seat:0")["state"]
