"""Players take seats and make moves. Owners look after matches."""

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from domain.match.state import Match
from domain.match.terms import clock_of, take_back_of
from domain.match.terms.joint_entropy import DISCLOSURE, PLEDGE, pledge_of
from domain.match.terms.take_back import asked_to_agree
from service.base.errors import NotFound, Unauthorized
from service.matches import bots, lobby, moves as match_moves
from service.matches.command_handler import Committed, Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, open_new, read_request
from service.record.terms.take_back import OFF
from tests import taking_back
from tests.simulation.clients import Entered, Member, Place, Reader, Wanted
from tests.simulation.kernel import SECOND
from tests.simulation.reported import Subscriber

if TYPE_CHECKING:
    from tests.simulation.world import World

QUICK_MS = 1000  # the longest wait of a client that is awaited
SLOW_MS = 3000  # the longest wait of a client that is not awaited
MOST_LOOKS = 30
Request = Callable[[Context, Submission], Committed]
GUEST = {"name": "Piero", "entropy": ""}  # names of joiners


class Joiner(Member):
    """A client that takes an open seat, and then plays, or leaves it again."""

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
            leave(self)
        else:
            Player(self.world, f"{self.name}/joined", self.place).begin()

    def _join(self) -> str | None:
        """Join. Return the token of the seat, None without success."""
        tokens: list[str] = []

        def join(ctx: Context, submission: Submission) -> Committed:
            result, token = lobby.join(ctx, submission, self._seat, GUEST)
            tokens.append(token)
            return result

        command = {"type": "join", "seat": self._seat}
        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        answer = self.submit(self.wants(command, submission), submission, join)

        if answer.value is None:
            return None
        return tokens[-1]  # of the last try: that one was answered


def leave(member: Member) -> None:
    """Leave a member's seat."""
    seat = member.place.seat
    assert seat is not None

    submission = Submission(member.place.match, member.place.token, key=member.new_key())
    intent = member.wants({"type": "leave", "seat": seat}, submission)
    member.submit(intent, submission, partial(lobby.leave, seat=seat))


class Player(Member):
    """A client that plays a seat, up to a number of moves."""

    def __init__(self, world: "World", name: str, place: Place) -> None:
        super().__init__(world, name, place)
        # Another source of chance: these whims must not change the other choices of a run.
        self._whims = Random(f"{world.seed}|{name}|take back")
        self._lets_time_run_out = self._whims.random() < 0.4
        self._withholds = self._whims.random() < 0.2
        self._entropy = ""

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
            if status.name in ("ended", "aborted") or moves_left == 0:
                return
            if self._lets_time_run_out and clock_of(answer.value.loaded.match) is not None:
                return

            if status.name == "running":
                self._perhaps_take_back(answer.value)
            elif status.name == "open":
                if self._leaves_before_the_start(answer.value.loaded.match):
                    leave(self)
                    return
                self._give_owed(answer.value.loaded.match)
            is_awaited = self.place.seat in status.seats and status.name == "running"
            patience_ms = QUICK_MS if is_awaited else SLOW_MS
            if is_awaited:
                moves_left -= 1
                self._choose_and_move(answer.value)

    def _leaves_before_the_start(self, match: Match) -> bool:
        """Return True if this player leaves after all have pledged: all must pledge again."""
        return match.owed[0] == DISCLOSURE and self._whims.random() < 0.15

    def _give_owed(self, match: Match) -> None:
        """Pledge or disclose this seat's debt before the start, unless this player withholds."""
        what, owing = match.owed
        seat = self.place.seat
        if seat is None or seat not in owing or self._withholds:
            return
        if what == PLEDGE:
            self._entropy = f"{self._whims.getrandbits(256):064x}"
            command = {"type": "pledge", "digest": pledge_of(self._entropy, seat)}
            request: Request = partial(lobby.pledge, digest=command["digest"])
        else:
            command = {"type": "disclose", "entropy": self._entropy}
            request = partial(lobby.disclose, entropy=self._entropy)
        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        self.submit(self.wants({**command, "seat": seat}, submission), submission, request)

    def _perhaps_take_back(self, entered: Entered) -> None:
        """Sometimes return, or ask for a take-back or answer one. Seldom resign."""
        whim = self._whim(entered.loaded.match)
        if whim is None:
            return

        request, command = whim
        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        self.submit(
            self.wants({**command, "seat": self.place.seat}, submission), submission, request
        )

    def _whim(self, match: Match) -> tuple[Request, dict[str, Any]] | None:
        """Return a request other than a move, and its command without the seat. None: none."""
        take_back = take_back_of(match)
        chance = self._whims.random()
        if self.place.seat is not None and match.may_return(self.place.seat) and chance < 0.4:
            return lobby.return_, {"type": "return"}
        if take_back is None or chance < 0.4:
            return None
        if chance < 0.42:
            clock = clock_of(match)
            level = clock.level if clock is not None else bots.DEFAULT
            return lobby.resign, {"type": "resign", "level": level}

        if take_back.ask is None:
            to = self._whims.choice(take_back.versions)
            return partial(taking_back.ask, to=to), {"type": "ask_take_back", "to": to}
        if self.place.seat not in asked_to_agree(match):
            return None
        if chance < 0.9:
            return taking_back.agree, {"type": "agree_take_back"}
        return taking_back.refuse, {"type": "refuse_take_back"}

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

        intent = self.wants({**posted, "seat": self.place.seat}, submission)

        def move(ctx: Context, one: Submission) -> Committed:
            return match_moves.move(ctx, one, posted)

        is_sent_twice = has_key and self.random.random() < 0.15
        if is_sent_twice:
            name = f"{self.name}/{key[-2:]}"
            Repeater(
                self.world, name, self.place, intent, lambda ctx: move(ctx, submission)
            ).begin()
        self.submit(intent, submission, move)

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


class Repeater(Member):
    """A client's second connection. It sends the same request at the same time."""

    def __init__(
        self,
        world: "World",
        name: str,
        place: Place,
        intent: Wanted,
        request: Callable[[Context], Committed],
    ) -> None:
        super().__init__(world, name, place)
        self._wanted = intent
        self._request = request

    def live(self) -> None:
        """Send the request once."""
        what = f"{self._wanted.command['type']} (at the same time)"
        self.check_made(self.ask(what, self._request, self._wanted))


TAKE_BACKS = (OFF, "own", "consent", "consent")
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
    """The client of an owner: it opens a match and looks after it."""

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

    def _open(self) -> NewMatch | None:
        """Open a match. Return None if it failed, or if the result is unknown."""
        checker = self.world.checker
        seats = self._seats()
        wish = read_request(
            game=self._game,
            seats=seats,
            options=self._options(),
            visibility=self._visibility(),
            clock=self._clock(seats),
            take_back=self._take_back(),
            joint_entropy=self._together(seats),
        )
        has_key = self.random.random() < 0.8
        key = self.new_key() if has_key else ""
        intent = self.wants({"type": "open"}, Submission("", None, key=key))

        def open_match(ctx: Context) -> NewMatch:
            return open_new(ctx, wish, key)

        ask = self.insist if has_key else self.ask
        answer = ask(f"open {wish.game}", open_match, intent)
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

    def _clock(self, seats: list[dict[str, str]]) -> dict[str, Any] | None:
        """Return a clock for about half of the matches with seats for humans."""
        has_humans = any(seat["kind"] != "bot" for seat in seats)
        if not has_humans or self.random.random() < 0.5:
            return None
        return {"bank_s": 5, "move_s": self.random.choice((0, 1, 3)), "level": "random"}

    def _take_back(self) -> str:
        """Return the take-back term of a match."""
        whims = Random(f"{self.world.seed}|{self.name}|take back")
        return whims.choice(TAKE_BACKS)

    def _together(self, seats: list[dict[str, str]]) -> bool:
        """Return True if a match has joint draws."""
        has_humans = any(seat["kind"] != "bot" for seat in seats)
        whims = Random(f"{self.world.seed}|{self.name}|together")
        return has_humans and whims.random() < 0.3

    def _visibility(self) -> str:
        return self.random.choice(("public", "public", "private"))

    def _invite(self, opened: NewMatch) -> None:
        """Let those with a token play, and others join the open seats."""
        for number, seat in enumerate(opened.loaded.match.seats):
            name = f"{self.name}/{number}"
            if seat.kind == "human":
                place = _place_of(opened, f"seat:{number}")
                Player(self.world, name, place).begin(PLAYERS_COME_AFTER)
            elif seat.kind == "open":
                place = _place_of(opened, "invitation")
                Joiner(self.world, name, place, number).begin(PLAYERS_COME_AFTER)

        for holder in ("owner", "seat:0"):
            if holder in opened.tokens:
                self.world.follower.tokens.append(opened.tokens[holder])
                place = _place_of(opened, holder)
                Subscriber(self.world, f"{self.name}/hook-{holder}", place).begin()

        reader_count = self.random.choice((0, 1, 2))
        for number in range(reader_count):
            name = f"{self.name}/reader-{number}"
            place = _place_of(opened, "spectator")
            Reader(self.world, name, place).begin(READERS_COME_AFTER)

    def _start(self) -> None:
        """Try to start the match once no seat is open. Sometimes put a bot on an open seat."""
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
        """Abort the match, or let a bot stand in for a while, or do nothing."""
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

    def _do(self, command: Mapping[str, Any], request: Request) -> None:
        submission = Submission(self.place.match, self.place.token, key=self.new_key())
        self.submit(self.wants(command, submission), submission, request)


def _place_of(opened: NewMatch, holder: str) -> Place:
    """Return a place with the token of a holder, or the public's if there is no such token."""
    token = opened.tokens.get(holder)
    actor = holder if token else "public"
    return Place(opened.loaded.id, token, actor)
