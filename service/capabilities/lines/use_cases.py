"""Lines: what would follow from some version if moves were made one after another.

Nothing is written. Of a match that has ended everything is known, and a line begins with what was.
Before, it begins with what the caller's seat may see, and all else is drawn anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain import wire
from domain.chance import Chance, FastChance
from domain.errors import RuleBroken
from domain.game import AnyGame, decide
from domain.match.state import Match, Status
from domain.seats import HOUSE
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
    """Moves to be tried, one after another, from a version on.

    moves: each as it may be posted, and whose it is as `seat`.
    seat: who looks on; None: the caller.
    seed: what all draws follow from; the same line with the same seed ends the same.
    """

    version: int
    moves: Sequence[Mapping[str, object]]
    seat: int | None
    seed: str


def try_line(ctx: Context, access: Access, line: LineRequest) -> answers.Line:
    """Return what a line would cause, up to the first move that the rules do not allow.

    Raises NotFound for a version or a seat that is not there, Illegal where the match had not
    started and for the eyes of another seat before the end, Invalid for what is no move,
    Unauthorized or Forbidden for a caller who has no seat in a match that has not ended.
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
    """Return the state that a line begins with: what was, or what the caller's seat imagines.

    Raises Unauthorized or Forbidden where the match has not ended and the caller has no seat.
    """
    if access.head.final:
        return match.state.copy()

    seat = access.caller.seat
    if seat is None:
        detail = "a line in a match that has not ended needs the token of a seat"
        raise refused(access.caller.role, detail)
    return match.game.imagine(match.state, seat, chance)


def _command(match: Match, number: int, move: Mapping[str, object]) -> Message:
    """Return a move of a line as a command; raises Invalid naming its place in the line."""
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
    """A game under the moves of a line.

    state: as it is after the steps so far; it belongs to the board.
    seat: who looks on.   called: what to call each seat.
    """

    game: AnyGame
    state: Any
    chance: Chance
    seat: int | None
    called: tuple[str, ...]
    steps: list[answers.LineStep] = field(default_factory=list)

    def play(self, commands: Sequence[Message]) -> answers.LineRefusal | None:
        """Make moves until one is refused; return why, None if all were made.

        The house does what it must before, between and after them.
        """
        self._play_house()
        for number, command in enumerate(commands):
            try:
                self._play(command, number)
            except RuleBroken as error:
                return {
                    "move": number,
                    "code": error.code,
                    "rule": error.rule,
                    "detail": error.detail,
                }
            self._play_house()
        return None

    def legal_moves(self) -> list[Json]:
        """Return the legal moves of the seats that are to act now, each as a line takes it."""
        return [
            {**posted(command), "seat": seat}
            for seat in self.game.actors(self.state)
            for command in self.game.legal_moves(self.state, seat)
        ]

    def unlisted(self) -> Json:
        """Return what is legal beyond the listed moves: by seat, then by command."""
        seats = [seat for seat in self.game.actors(self.state) if seat != HOUSE]
        described = {str(seat): self.game.unlisted(self.state, seat) for seat in seats}
        return {seat: commands for seat, commands in described.items() if commands}

    def _play_house(self) -> None:
        while self.game.actors(self.state) == (HOUSE,):
            [command, *_] = self.game.legal_moves(self.state, HOUSE)
            self._play(command)

    def _play(self, command: Message, number: int | None = None) -> None:
        """Make a move of the line, or let the house act (number: None).

        Raises RuleBroken; nothing has changed then.
        """
        if not self.game.actors(self.state):
            raise Status("finished").why_no_moves()
        events = decide(self.game, self.state, command, self.chance)

        shown = [self._apply(event) for event in events]
        self.steps.append(
            {
                "move": number,
                "events": shown,
                "waiting_for": list(self.game.actors(self.state)),
                "state": self.game.view(self.state, self.seat),
            }
        )

    def _apply(self, event: Message) -> Json:
        """Apply an event; return it as the onlooker may see it, in words too."""
        seen = wire.redact(event, self.seat)
        sentence = self.game.story(self.state, seen, self.called)
        self.game.evolve(self.state, event)

        shown: Json = {**wire.encode(seen), "sentence": stories.as_json(sentence)}
        drawn = wire.drawn_fields(type(event))
        if drawn:
            shown["drawn"] = list(drawn)
        return shown
