"""Those who open matches and look after them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from service.matches import lobby
from service.matches.command_handler import Committed, Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from tests.simulation.kernel import SECOND
from tests.simulation.members import Member, Place
from tests.simulation.players import Joiner, Player
from tests.simulation.readers import Reader

if TYPE_CHECKING:
    from tests.simulation.world import World

KINDS = ("human", "human", "bot", "open")
BOT = {"kind": "bot", "level": "random"}
SEATS = {
    "human": {"kind": "human", "name": "Ginevra"},
    "bot": BOT,
    "open": {"kind": "open"},
}
PLAYERS_COME_AFTER = SECOND // 10
READERS_COME_AFTER = SECOND // 2


class Owner(Member):
    """Somebody who opens a match and looks after it."""

    def __init__(self, world: "World", name: str, game: str) -> None:
        super().__init__(world, name, Place("", None, "owner"))
        self._game = game

    def live(self) -> None:
        """Open a match, let the others in, and sometimes interfere."""
        opened = self._open()
        if opened is None:
            return

        match_id = opened.loaded.id
        self.place = Place(match_id, opened.tokens["owner"], "owner")
        self._invite(opened)
        self._start()

        faults_end = self.world.plan.chaos
        while self.world.kernel.now < faults_end and self.random.random() < 0.5:
            self.think(8000)
            self._interfere()

    def _open(self) -> Opened | None:
        """Open a match; None if that did not succeed or nobody knows."""
        checker = self.world.checker
        wish = OpenRequest(self._game, self._seats(), self._options(), self._visibility())
        has_key = self.random.random() < 0.8
        key = self.new_key() if has_key else ""
        checker.intends("", "owner", {"type": "open"})

        def open_match(ctx: Context) -> Opened:
            return open_new(ctx, wish, key)

        ask = self.insist if has_key else self.ask
        answer = ask(f"open {wish.game}", open_match)
        opened = answer.value
        if opened is not None:
            loaded = opened.loaded
            checker.acknowledges(loaded.id, loaded.version, loaded.hash, answer.began)
        return opened

    def _seats(self) -> list[dict[str, str]]:
        if self._game != "toy":
            return [{"kind": "human"}, BOT, BOT]
        kinds = [self.random.choice(KINDS) for _ in range(self.random.choice((2, 2, 3)))]
        return [SEATS[kind] for kind in kinds]

    def _options(self) -> dict[str, Any]:
        return {"rounds": self.random.choice((1, 2, 3))} if self._game == "toy" else {}

    def _visibility(self) -> str:
        return self.random.choice(("public", "public", "private"))

    def _invite(self, opened: Opened) -> None:
        """Let those with a token play, and others join the open seats."""
        for number, seat in enumerate(opened.loaded.match.seats):
            name = f"{self.name}/{number}"
            if seat.kind == "human":
                place = _place_of(opened, f"seat:{number}")
                Player(self.world, name, place).begin(PLAYERS_COME_AFTER)
            elif seat.kind == "open":
                place = _place_of(opened, "invitation")
                Joiner(self.world, name, place, number).begin(PLAYERS_COME_AFTER)

        reader_count = self.random.choice((0, 1, 2))
        for number in range(reader_count):
            name = f"{self.name}/reader-{number}"
            place = _place_of(opened, "spectator")
            Reader(self.world, name, place).begin(READERS_COME_AFTER)

    def _start(self) -> None:
        """Start the match once no seat is open; put bots where nobody came."""
        for _ in range(10):
            answer = self.look()
            if answer.refusal is not None:
                return
            if answer.value is None:
                continue

            match = answer.value.loaded.match
            if match.status.name != "open":
                return

            open_seats = [number for number, seat in enumerate(match.seats) if seat.kind == "open"]
            if not open_seats:
                self._do({"type": "start"}, lobby.start)
            elif self.random.random() < 0.3:
                self._replace(open_seats[0])
            self.think(1500)

    def _interfere(self) -> None:
        """Abort the match, or let a bot stand in for a human and go again."""
        draw = self.random.random()
        if draw < 0.3:
            self._do({"type": "abort"}, lobby.abort)
        elif draw < 0.8:
            self._replace(0)
            self.think(4000)
            self._restore(0)

    def _replace(self, seat: int) -> None:
        """Let a bot have a seat."""

        def replace(ctx: Context, submission: Submission) -> Committed:
            return lobby.replace(ctx, submission, seat, BOT["level"])

        self._do({"type": "replace", "seat": seat}, replace)

    def _restore(self, seat: int) -> None:
        """Give a seat back to its human."""

        def restore(ctx: Context, submission: Submission) -> Committed:
            return lobby.restore(ctx, submission, seat)

        self._do({"type": "restore", "seat": seat}, restore)

    def _do(
        self, command: Mapping[str, Any], request: Callable[[Context, Submission], Committed]
    ) -> None:
        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        self.submit(command, submission, request)


def _place_of(opened: Opened, holder: str) -> Place:
    """Return a match with the token of a holder; the public's place if there is none."""
    token = opened.tokens.get(holder)
    actor = holder if token else "public"
    return Place(opened.loaded.id, token, actor)
