"""Lines: moves that are tried one after another from a version on, and their effects.

Nothing is stored. Once a match is revealed, a line begins with the real state of its version.
Before the revelation, all facts hidden from the caller's seat are drawn anew for the line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain import wire
from domain.chance import Chance, FastChance
from domain.errors import RuleBroken
from domain.game import AnyGame, decide
from domain.match.state import Match, Status
from domain.seats import HOUSE, seat_actor
from domain.wire import Message
from service.base import answers
from service.base.errors import Illegal, Invalid, Mistake, refused
from service.matches import stories, views
from service.matches.access import Access
from service.matches.context import Context
from service.matches.moves import posted, read_command
from service.matches.repository import load_head
from service.record.commit import Json

MOST_MOVES = 256


@dataclass(frozen=True, slots=True)
class LineRequest:
    """Moves to try, one after another, from a version on.

    moves: each in the form of a posted move, with its seat in `seat`.
    seat: seat of the view. None: the caller's seat.
    seed: seed of all draws, also of those for the imagined state.
    """

    version: int
    moves: Sequence[Mapping[str, object]]
    seat: int | None
    seed: str


def try_line(ctx: Context, access: Access, line: LineRequest) -> answers.Line:
    """Return the effects of a line, up to the first move that the rules refuse.

    Raises the errors of `views.seen_by` and `views.load_at`, Illegal for a version before the
    start, and Invalid for an unreadable move. Before the revelation, raises Unauthorized or
    Forbidden for a caller without a seat.
    """
    access = views.seen_by(ctx, access, line.seat)
    seat = access.caller.seat
    loaded = views.load_at(ctx, access, line.version)
    match = loaded.match
    if match.state is None:
        raise Illegal(loaded.status.why_no_moves(), loaded.version, match.game.key)

    chance = FastChance(line.seed.encode())
    board = Board(
        game=match.game,
        state=_beginning(access, match, chance),
        chance=chance,
        seat=seat,
        called=stories.names_of(ctx, load_head(ctx, access)).at(match),
    )
    commands = [_command(match, number, move) for number, move in enumerate(line.moves)]
    refusal = board.play(commands)
    return {
        "match": access.match,
        "game": match.game.key,
        "rules": match.rules,
        "version": line.version,
        "seat": seat,
        "imagined": not access.head.final,
        "steps": board.steps,
        "refusal": refusal,
        "moves": board.legal_moves(),
        "beyond": board.unlisted(),
    }


def _beginning(access: Access, match: Match, chance: Chance) -> Any:
    """Return the first state of a line: the real state, or a state imagined for the caller's seat.

    Raises Unauthorized or Forbidden for a caller without a seat before the revelation.
    """
    if access.head.final:
        return match.state.copy()

    seat = access.caller.seat
    if seat is None:
        detail = "before the end of a match, a line needs the token of a seat"
        raise refused(access.caller.role, detail)
    return match.game.imagine(match.state, seat, chance)


def _command(match: Match, number: int, move: Mapping[str, object]) -> Message:
    """Return a move of a line as a command.

    Raises Invalid with the place of the mistake in the line.
    """
    place = f"/moves/{number}"
    seat = move.get("seat")
    if type(seat) is not int or not 0 <= seat < len(match.seats):
        raise Invalid(Mistake(f"{place}/seat", _one_of_seats(match)))

    unstamped = {name: value for name, value in move.items() if name != "seat"}
    try:
        return read_command(match, seat, unstamped)
    except Invalid as error:
        places = [replace(one, pointer=place + one.pointer) for one in error.places]
        raise Invalid(*places, more=error.more) from None


def _one_of_seats(match: Match) -> str:
    return f"must be a seat of the match, 0 to {len(match.seats) - 1}"


@dataclass(slots=True)
class Board:
    """The board of a line: a game and the steps so far.

    state: state after the steps so far. Only the board may change it.
    seat: seat of the view.   called: names of the seats.
    """

    game: AnyGame
    state: Any
    chance: Chance
    seat: int | None
    called: tuple[str, ...]
    steps: list[answers.LineStep] = field(default_factory=list)

    def play(self, commands: Sequence[Message]) -> answers.LineRefusal | None:
        """Make moves until one is refused. Return the refusal, None if all were made.

        Whenever the house must act, the moves of the house are made, too.
        """
        self._play_house()
        for number, command in enumerate(commands):
            try:
                self._play(command, number)
            except RuleBroken as error:
                return {
                    "move_index": number,
                    "code": error.code,
                    "rule": error.rule,
                    "detail": error.detail,
                }
            self._play_house()
        return None

    def legal_moves(self) -> list[Json]:
        """Return the legal moves of the seats to act now, each with its `seat`."""
        return [
            {**posted(command), "seat": seat}
            for seat in self.game.actors(self.state)
            for command in self.game.legal_moves(self.state, seat)
        ]

    def unlisted(self) -> Json:
        """Return descriptions of legal moves left out of the list, by seat, then by command."""
        seats = self._waiting_for()["seats"]
        described = {seat_actor(seat): self.game.unlisted(self.state, seat) for seat in seats}
        return {seat: commands for seat, commands in described.items() if commands}

    def _waiting_for(self) -> answers.WaitingFor:
        actors = self.game.actors(self.state)
        return {"house": HOUSE in actors, "seats": [seat for seat in actors if seat != HOUSE]}

    def _play_house(self) -> None:
        while self._waiting_for()["house"]:
            [command, *_] = self.game.legal_moves(self.state, HOUSE)
            self._play(command)

    def _play(self, command: Message, number: int | None = None) -> None:
        """Make a move. Raises RuleBroken, with the state unchanged.

        number: index of the move in the line. None: a move of the house.
        """
        if not self.game.actors(self.state):
            raise Status("ended").why_no_moves()
        events = decide(self.game, self.state, command, self.chance)

        applied_events = [self._apply(event) for event in events]
        self.steps.append(
            {
                "move_index": number,
                "events": applied_events,
                "waiting_for": self._waiting_for(),
                "state": self.game.view(self.state, self.seat),
            }
        )

    def _apply(self, event: Message) -> Json:
        """Apply an event. Return its JSON form for the seat of the view, with its sentence."""
        visible = wire.redact(event, self.seat)
        sentence = self.game.story(self.state, visible, self.called)
        self.game.evolve(self.state, event)

        value: Json = {**wire.encode(visible), "sentence": stories.as_json(sentence)}
        drawn = wire.drawn_fields(type(event))
        if drawn:
            value["drawn"] = list(drawn)
        return value
