"""Those who take a seat and move it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from service.errors import NotFound, Unauthorized
from service.matches import lobby
from service.matches import moves as match_moves
from service.matches.command_handler import Committed, Submission
from service.matches.context import Context
from tests.simulation.members import Entered, Member, Place

if TYPE_CHECKING:
    from tests.simulation.world import World

QUICK_MS = 1000  # how long a player thinks at most
SLOW_MS = 3000  # how long one waits at most who is not awaited
MOST_LOOKS = 30
GUEST = {"name": "Piero", "entropy": ""}  # whom a joiner gives out to be


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
        """Join; return the token of the seat, None if that did not succeed."""
        tokens: list[str] = []

        def join(ctx: Context, submission: Submission) -> Committed:
            made, token = lobby.join(ctx, submission, self._seat, GUEST)
            tokens.append(token)
            return made

        command = {"type": "join", "seat": self._seat}
        submission = self._new_submission()
        answer = self.submit(command, submission, join)

        if answer.value is None:
            return None
        return tokens[-1]  # of the last try: that one was answered

    def _leave(self) -> None:
        def leave(ctx: Context, submission: Submission) -> Committed:
            return lobby.leave(ctx, submission, self._seat)

        command = {"type": "leave", "seat": self._seat}
        submission = self._new_submission()
        self.submit(command, submission, leave)

    def _new_submission(self) -> Submission:
        """Return a submission with a new key."""
        return Submission(self.place.match, self.place.token, key=self.new_key())


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

            status = answer.value.loaded.status
            if status.name in ("finished", "aborted") or moves_left == 0:
                return

            is_awaited = self.place.seat in status.seats and status.name == "running"
            patience_ms = QUICK_MS if is_awaited else SLOW_MS
            if is_awaited:
                moves_left -= 1
                self._choose_and_move(answer.value)

    def _choose_and_move(self, entered: Entered) -> None:
        """Make a legal move, with or without a key and an expected version."""
        posted = self._chosen_move(entered)
        if posted is None:
            return

        is_expecting = self.random.random() < 0.5
        version = entered.loaded.version if is_expecting else None
        has_key = self.random.random() < 0.7
        key = self.new_key() if has_key else ""
        submission = Submission(self.place.match, self.place.token, version, key)

        is_sent_twice = has_key and self.random.random() < 0.15
        if is_sent_twice:
            name = f"{self.name}/{key[-2:]}"
            Repeater(self.world, name, self.place, submission, posted).begin()
        self._move(posted, submission, is_sent_twice)

    def _chosen_move(self, entered: Entered) -> Mapping[str, Any] | None:
        """Return a legal move, None if there is none because a bot stands in."""
        seat = self.place.seat
        assert seat is not None
        moves = match_moves.legal_moves(entered.loaded, seat)
        if not moves:
            return None

        posted = self.random.choice(moves)
        has_secret_field = posted["type"] == "swap"
        if has_secret_field and self.random.random() < 0.5:
            reason = self.new_key()
            return {**posted, "why": reason}
        return posted

    def _move(self, posted: Mapping[str, Any], submission: Submission, is_sent_twice: bool) -> None:
        def move(ctx: Context, one: Submission) -> Committed:
            return match_moves.move(ctx, one, posted)

        command = {**posted, "seat": self.place.seat}
        self.submit(command, submission, move, is_sent_twice=is_sent_twice)


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
            lambda ctx: match_moves.move(ctx, self._submission, self._posted),
        )
        if answer.value is not None:
            self.check_made(answer.value, self._submission.key, answer.began)
