"""Those who take a seat and move it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from service.errors import NotFound, Unauthorized
from service.matches import lobby, playing
from service.matches.access import Entered
from service.matches.desk import Desk
from service.matches.submitting import Made, Submission
from tests.simulation.members import Member, Place

if TYPE_CHECKING:
    from tests.simulation.world import World

QUICK_MS = 1000  # how long a player thinks at most
SLOW_MS = 3000  # how long one waits at most who is not awaited
MOST_LOOKS = 30


class Joiner(Member):
    """Somebody who takes an open seat, and then plays, or leaves it again."""

    def __init__(self, world: "World", name: str, place: Place, seat: int) -> None:
        super().__init__(world, name, place)
        self._seat = seat

    def live(self) -> None:
        """Join, and play."""
        self.think(2000)
        token = self._join()
        if token is None:
            return
        self.place = Place(self.place.match, token, f"seat:{self._seat}")
        if self.random.random() < 0.15:
            self._leave()
        else:
            Player(self.world, f"{self.name}/joined", self.place).begin()

    def _join(self) -> str | None:
        tokens: list[str] = []

        def join(desk: Desk, submission: Submission) -> Made:
            made, token = lobby.join(desk, submission, self._seat, {"name": "Piero", "entropy": ""})
            tokens.append(token)
            return made

        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        answer = self.submit({"type": "join", "seat": self._seat}, submission, join)
        return tokens[-1] if answer.value is not None else None

    def _leave(self) -> None:
        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        self.submit(
            {"type": "leave", "seat": self._seat},
            submission,
            lambda desk, one: lobby.leave(desk, one, self._seat),
        )


class Player(Member):
    """Somebody who holds a seat and moves it, up to a number of moves."""

    def live(self) -> None:
        """Look, and move when it is this seat's turn."""
        moves_left = self.random.choice((2, 8, 8, 8))
        patience_ms = QUICK_MS
        for _ in range(MOST_LOOKS):
            self.think(patience_ms)
            answer = self.look()
            if isinstance(answer.refusal, (NotFound, Unauthorized)):
                return
            if answer.value is None:
                continue
            standing = answer.value.loaded.standing
            if standing.status in ("finished", "aborted") or moves_left == 0:
                return
            is_awaited = self.place.seat in standing.seats and standing.status == "running"
            patience_ms = QUICK_MS if is_awaited else SLOW_MS
            if is_awaited:
                moves_left -= 1
                self._move(answer.value)

    def _move(self, entered: Entered) -> None:
        seat = self.place.seat
        assert seat is not None
        moves = playing.legal_moves(entered.loaded, seat)
        if not moves:
            return  # a bot stands in
        posted = self.random.choice(moves)
        if posted["type"] == "swap" and self.random.random() < 0.5:
            posted = {**posted, "why": self.new_key()}

        version = entered.loaded.version if self.random.random() < 0.5 else None
        key = self.new_key() if self.random.random() < 0.7 else ""
        submission = Submission(self.place.match, self.place.token, version, key)

        def move(desk: Desk, one: Submission) -> Made:
            return playing.move(desk, one, posted)

        is_sent_twice = key != "" and self.random.random() < 0.15
        if is_sent_twice:
            again = Repeater(self.world, f"{self.name}/{key[-2:]}", self.place, submission, posted)
            again.begin()
        self.submit({**posted, "seat": seat}, submission, move, is_sent_twice=is_sent_twice)


class Repeater(Member):
    """A client's second connection, which sends the same request at the same time."""

    def __init__(
        self,
        world: "World",
        name: str,
        place: Place,
        submission: Submission,
        posted: Mapping[str, Any],
    ) -> None:
        super().__init__(world, name, place)
        self._submission = submission
        self._posted = posted

    def live(self) -> None:
        """Send the request once."""
        answer = self.ask(
            f"{self._posted['type']} (at the same time)",
            lambda desk: playing.move(desk, self._submission, self._posted),
        )
        if answer.value is not None:
            self.check_made(answer.value, self._submission.key, answer.began)
