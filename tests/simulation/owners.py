"""Those who open matches and look after them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from service.matches import lobby
from service.matches.desk import Desk
from service.matches.opening import Opened, Wish, open_new
from service.matches.submitting import Made, Submission
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
        match = opened.loaded.id
        self.place = Place(match, opened.tokens["owner"], "owner")
        self._invite(opened)
        self._start()

        while self.world.kernel.now < self.world.plan.chaos and self.random.random() < 0.5:
            self.think(8000)
            self._interfere()

    def _open(self) -> Opened | None:
        wish = Wish(self._game, self._seats(), self._options(), self._visibility())
        key = self.new_key() if self.random.random() < 0.8 else ""
        self.world.checker.intends("", "owner", {"type": "open"})

        ask = self.insist if key else self.ask
        answer = ask(f"open {wish.game}", lambda desk: open_new(desk, wish, key))
        opened = answer.value
        if opened is not None:
            loaded = opened.loaded
            checker = self.world.checker
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
        world = self.world
        match = opened.loaded.id
        for number, seat in enumerate(opened.loaded.match.seats):
            name = f"{self.name}/{number}"
            if seat.kind == "human":
                place = Place(match, opened.tokens[f"seat:{number}"], f"seat:{number}")
                Player(world, name, place).begin(SECOND // 10)
            elif seat.kind == "open":
                invitation = opened.tokens.get("invitation")
                actor = "invitation" if invitation else "public"
                Joiner(world, name, Place(match, invitation, actor), number).begin(SECOND // 10)
        for number in range(self.random.choice((0, 1, 2))):
            token = opened.tokens.get("spectator")
            actor = "spectator" if token else "public"
            reader = Reader(world, f"{self.name}/reader-{number}", Place(match, token, actor))
            reader.begin(SECOND // 2)

    def _start(self) -> None:
        """Start the match once no seat is open; put bots where nobody came."""
        for _ in range(10):
            answer = self.look()
            if answer.refusal is not None:
                return
            if answer.value is None:
                continue
            match = answer.value.loaded.match
            if match.standing.status != "open":
                return
            still_open = [number for number, seat in enumerate(match.seats) if seat.kind == "open"]
            if not still_open:
                self._do({"type": "start"}, lobby.start)
            elif self.random.random() < 0.3:
                self._replace(still_open[0])
            self.think(1500)

    def _interfere(self) -> None:
        """Abort the match, or let a bot stand in for a human and go again."""
        draw = self.random.random()
        if draw < 0.3:
            self._do({"type": "abort"}, lobby.abort)
        elif draw < 0.8:
            self._replace(0)
            self.think(4000)
            self._do(
                {"type": "restore", "seat": 0},
                lambda desk, submission: lobby.restore(desk, submission, 0),
            )

    def _replace(self, seat: int) -> None:
        self._do(
            {"type": "replace", "seat": seat},
            lambda desk, submission: lobby.replace(desk, submission, seat, "random"),
        )

    def _do(self, command: Mapping[str, Any], request: Callable[[Desk, Submission], Made]) -> None:
        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        self.submit(command, submission, request)
