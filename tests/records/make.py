"""`python -m tests.records.make`: play the golden records that are missing, 20 for each number of seats of each game.

A record follows from its name alone: clock, secret and players are fixed. Records of rules that are released are never
made anew, since they prove that old matches still fold; `--anew` is for rules that nobody has played yet.

Those 20 are of the first kind of commitment, which binds no match's id; three more, "bound", are of the kind that does.
"""

import gzip
import hashlib
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from domain import wire
from domain.chance import Light
from domain.game import Game
from domain.games import GAMES
from domain.match.state import actors, status, work
from domain.options import Choice, Data, Flag, Number, Option
from service.journal.memory import MemoryJournal
from service.ledger.replay import Loaded
from service.matches import house, lobby, playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from service.matches.records import export
from tests.domain.laws import hooks
from workers.bots import choose

HOME = Path(__file__).parent
EACH = 20
BOUND = (0, 3, 9)  # the numbers of which there is a record of a bound match, too
START = 1_767_225_600_000  # 2026-01-01T00:00:00Z
LEVELS = ("random", "greedy")


class Name(NamedTuple):
    """What a record is called, and what follows from that. bound: its secret is bound to its match's id (M10)."""

    path: Path
    seats: int
    number: int
    bound: bool


def names(game: Game[Any]) -> Iterator[Name]:
    """Yield the names of all records of a game's newest rules."""
    version = game.rules.rpartition("/")[2]
    for seats in game.seats:
        for number in range(EACH):
            yield Name(
                HOME / game.key / f"{version}-{seats}-{number:02}.ndjson.gz",
                seats,
                number,
                bound=False,
            )
        for number in BOUND:
            yield Name(
                HOME / game.key / f"{version}-{seats}-bound-{number:02}.ndjson.gz",
                seats,
                number,
                bound=True,
            )


def play(
    game: Game[Any], seats: int, number: int, seed: str, *, bound: bool = False
) -> Iterator[bytes]:
    """Return the lines of one match. Its number says who plays: every fifth begins in the lobby, every tenth aborts."""
    ticks = count(START, 1000)
    desk = Desk(
        MemoryJournal(), b"golden" * 6, lambda: next(ticks), lambda *_: None, allow_seed=True
    )
    opened = _open(desk, game, seats, number, seed, bound)
    match = opened.loaded.id
    thought = Light(seed.encode())
    while True:
        loaded = load(desk, match)
        if work(loaded.match) == "house":
            house.act(desk, match)
        elif work(loaded.match) == "bots":
            house.play_bots(desk, match, choose)
        elif status(loaded.match) == "running":
            _act(desk, opened, loaded, number, thought)
        else:
            return export(desk, match, None)


def _open(desk: Desk, game: Game[Any], seats: int, number: int, seed: str, bound: bool) -> Opened:
    """Open a match with humans and bots of both levels, its options those of its number; through the lobby or not."""
    plans = [
        {"kind": "human", "entropy": f"{seat:02x}" * 16}
        if (seat + number) % 3 == 0
        else {"kind": "bot", "level": LEVELS[(seat + number) % 2]}
        for seat in range(seats)
    ]
    if number % 5 == 0:
        plans[-1] = {"kind": "open"}
    wish = Wish(game.key, plans, options(game, number), seed=None if bound else seed)
    secret = hashlib.sha256(f"secret|{seed}".encode()).digest()
    with patch("service.matches.opening.secrets.token_bytes", lambda _length: secret):
        opened = open_new(desk, wish, key=f"golden|{seed}")
    if number % 5 == 0:
        _gather(desk, opened, seats - 1)
    return opened


def _gather(desk: Desk, opened: Opened, seat: int) -> None:
    """Let a human come, go and come again, a bot stand in, and the owner start."""
    match, owner = opened.loaded.id, opened.tokens["owner"]
    wish = {"name": "", "entropy": "ab" * 16}
    _, token = lobby.join(desk, match, None, seat, wish, expected=None, key="")
    lobby.leave(desk, match, token, seat, expected=None)
    lobby.join(desk, match, None, seat, wish, expected=None, key="")
    lobby.replace(desk, match, owner, seat, "random", expected=None, key="")
    lobby.start(desk, match, owner, expected=None, key="")


def _act(desk: Desk, opened: Opened, loaded: Loaded, number: int, thought: Light) -> None:
    """Make the move of a human, thought up as a random bot would; or what the owner does at a version of its own."""
    match, owner = loaded.id, opened.tokens["owner"]
    seat = actors(loaded.match)[0]
    if number % 10 == 9 and loaded.version > 60:
        lobby.abort(desk, match, owner, expected=None, key="")
    elif number % 4 == 3 and loaded.version % 16 == 0:
        lobby.replace(desk, match, owner, seat, "greedy", expected=None, key="")
        lobby.restore(desk, match, owner, seat, expected=None, key="")
    else:
        game = loaded.match.game
        command = game.random_move(game.imagine(loaded.match.state, seat, thought), seat, thought)
        move = {name: value for name, value in wire.encode(command).items() if name != "seat"}
        playing.move(desk, match, opened.tokens[f"seat:{seat}"], move)


def options(game: Game[Any], number: int) -> dict[str, Any]:
    """Return the options of a record: its number counts through all plain values, then through typed-in data."""
    chosen = {}
    for option in (*plain(game), *(option for option in game.options if isinstance(option, Data))):
        values = variants(game, option)
        number, index = divmod(number, len(values))
        chosen[option.name] = values[index]
    return chosen


def plain(game: Game[Any]) -> list[Option]:
    """Return the options of a game that are no data."""
    return [option for option in game.options if not isinstance(option, Data)]


def variants(game: Game[Any], option: Option) -> list[Any]:
    """Return the values of an option that records must show."""
    match option:
        case Choice():
            return list(option.choices)
        case Flag():
            return [True, False]
        case Number():
            return [option.default, option.least]
        case Data():
            return [option.default, option.read(hooks(game).typed_in(option.default))]


def main(arguments: list[str]) -> None:
    """Make the records of all games, or of those named, that are not there."""
    chosen = [argument for argument in arguments if argument != "--anew"] or list(GAMES)
    for key in chosen:
        for path, seats, number, bound in names(GAMES[key]):
            if "--anew" in arguments or not path.exists():
                seed = f"{GAMES[key].rules}|{path.name.partition('.')[0]}"
                lines = play(GAMES[key], seats, number, seed, bound=bound)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(gzip.compress(b"".join(lines), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
