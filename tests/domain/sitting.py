"""A match that is played commit by commit, each with its time: for clocks and take-back."""

from collections.abc import Sequence
from copy import copy
from typing import Any

from domain.chance import Draws
from domain.game import HOUSE, AnyGame, Message
from domain.match.match_rules import NEWEST
from domain.match.messages import DRAWS_BY_MOVES, ClockPlan, Open, SeatPlan
from domain.match.play import decide, open_match
from domain.match.state import Stamp
from domain.seats import HOUSE_ACTOR, seat_actor

HUMAN = SeatPlan("human")
BOT = SeatPlan("bot", "random")
BEGIN = 1_000_000  # when a match is opened, in milliseconds


class CountedDraws:
    """Draws that count how often they were asked."""

    def __init__(self, seed: bytes) -> None:
        self._draws = Draws(seed)
        self.asked = 0

    def below(self, limit: int, /) -> int:
        """Return a number below the limit."""
        self.asked += 1
        return self._draws.below(limit)


class Sitting:
    """A match under way, and the clock on the wall.

    match: after its last commit.   version, now: of the last commit.
    matches: the match at each version, from 1 on.   events: of the last commit.
    has_drawn: True if the last commit has drawn from chance.
    stamps, history: the stamp and the events of each commit, by version.
    """

    def __init__(
        self,
        game: AnyGame,
        seats: Sequence[SeatPlan],
        clock: ClockPlan | None = None,
        take_back: str | None = None,
        match_rules: int | None = NEWEST,
    ) -> None:
        command = Open(
            game=game.key,
            rules=game.rules,
            views=game.view_version,
            options=game.read_options({}),
            seats=tuple(seats),
            visibility="public",
            commitment="c",
            secret="00" * 32,
            clock=clock,
            take_back=take_back,
            draws=DRAWS_BY_MOVES,
            match_rules=match_rules,
        )
        self.has_drawn = True
        self.version = 1
        self.now = BEGIN
        stamp = Stamp(1, "owner", BEGIN)
        self.match, self.events = open_match(command, Draws(bytes(32)), stamp=stamp)
        self.matches = {1: self.match}
        self.stamps = {1: stamp}
        self.history: dict[int, Sequence[Message]] = {1: self.events}

    def do(self, command: Any, actor: str = "", seconds: float = 0) -> list[Message]:
        """Commit a command some time after the last commit. Return its events.

        actor: by default the seat that the command names, else the house.
        """
        seat = getattr(command, "seat", HOUSE)
        by_default = HOUSE_ACTOR if seat == HOUSE else seat_actor(seat)
        now = self.now + round(seconds * 1000)
        stamp = Stamp(self.version + 1, actor or by_default, now)
        chance = CountedDraws(repr(("draw", self.version)).encode())
        self.match, self.events = decide(self.match, command, chance, stamp=stamp)

        self.has_drawn = chance.asked > 0
        self.version += 1
        self.now = now
        self.matches[self.version] = self.match
        self.stamps[self.version] = stamp
        self.history[self.version] = self.events
        return self.events

    def branch(self) -> "Sitting":
        """Return a copy that goes on alone."""
        other = copy(self)
        for name in ("matches", "stamps", "history"):
            setattr(other, name, dict(getattr(self, name)))
        return other

    def move(self, seconds: float = 0) -> list[Message]:
        """Commit the first legal move of the first awaited actor, the house or a seat."""
        return self.do(self.first_move(), seconds=seconds)

    def first_move(self) -> Any:
        """Return the first legal move of the first awaited actor."""
        game = self.match.game
        actor = self.match.status.actors[0]
        return game.legal_moves(self.match.state, actor)[0]
