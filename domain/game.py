"""What a game is: a frozen dataclass of functions; and what follows from them once for all games.

The seven functions of a game are pure but for `evolve` and `play`, which change the state they are handed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypedDict, TypeVar

from domain import wire
from domain.chance import Chance
from domain.errors import BadOption, Faults
from domain.options import Option
from domain.wire import HOUSE

__all__ = [
    "HOUSE",
    "Draft",
    "Game",
    "Guided",
    "Outcome",
    "Setup",
    "decide",
    "fold",
    "foreseen",
    "preview",
]


class State(Protocol):
    """A mutable slots dataclass that can copy itself."""

    def copy(self) -> Self:
        """Return an independent copy."""
        ...


S = TypeVar("S", bound=State)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is settled before the first draw: the number of seats and every option, defaults filled in."""

    seats: int
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match: points and rank (1 is best, shared ranks allowed) of each seat."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(slots=True)
class Draft(Generic[S]):
    """A state under a command: `emit` applies an event at once and keeps it."""

    state: S
    evolve: Callable[[S, Any], None]
    chance: Chance
    events: list[Any] = field(default_factory=list)

    def emit(self, event: Any) -> None:
        """Apply the event to the state and append it to the events."""
        self.evolve(self.state, event)
        self.events.append(event)


@dataclass(slots=True)
class Guided(Draft[S]):
    """A draft in which what chance decides is taken over from recorded events, place by place.

    So a command can be decided again without the seed of its draws: all but the draws themselves is then compared.
    Right for every game that reads a draw from the event or the state, and not from what `chance` has returned.
    """

    recorded: Sequence[Any] = ()

    def emit(self, event: Any) -> None:
        """Put the recorded draws in the place of the event's own, then apply and keep it."""
        place = len(self.events)
        if place < len(self.recorded):
            event = _drawn_as(event, self.recorded[place])
        Draft.emit(self, event)


def _drawn_as(event: Any, recorded: Any) -> Any:
    """Return the event with the drawn fields of a recorded one; the event itself if that is of another type."""
    cls: Any = type(event)
    names = wire.drawn_fields(cls)
    if not names or type(recorded) is not cls:
        return event
    return replace(event, **{name: getattr(recorded, name) for name in names})


class NothingBeyond(TypedDict):
    """Every legal move is listed."""


def _nothing_unlisted(_state: Any, _seat: int) -> NothingBeyond:
    return {}


@dataclass(frozen=True, slots=True)
class Game(Generic[S]):
    """One set of rules. `rules` names its version, `view_version` the version of its public view's shape.

    opening: the house's command that sets the game up (draws what is drawn before the first move).
    initial(setup): the state before the opening.   play(draft, command): checks, then emits; raises RuleBroken.
    evolve(state, event): changes the state in place, no rules.   actors(state): the seats that may act now,
    (HOUSE,) while the house must act, () when the game is over.   legal_moves(state, seat or HOUSE): commands.
    outcome(state): Outcome or None.   view(state, seat or None): JSON values in lower snake case; the TypedDict that
    it is annotated to return describes them (domain.described), and the contract shows that.
    imagine(state, seat, chance): a copy in which all that the seat cannot see is drawn anew.
    random_move(state, seat, chance): a random legal move, leaning as a player would so that matches end.
    advise(state, seat, chance): the greedy bot's move; it is handed an imagined state and owns it.
    unlisted(state, seat): legal moves that legal_moves does not list, described by command, by a TypedDict as a view is;
    {} when it lists all.
    """

    key: str
    title: str
    rules: str
    view_version: int
    seats: range
    options: tuple[Option, ...]
    commands: Mapping[str, type]
    events: Mapping[str, type]
    state: type[S]
    opening: Any
    initial: Callable[[Setup], S]
    play: Callable[[Draft[S], Any], None]
    evolve: Callable[[S, Any], None]
    actors: Callable[[S], tuple[int, ...]]
    legal_moves: Callable[[S, int], list[Any]]
    outcome: Callable[[S], Outcome | None]
    view: Callable[[S, int | None], Mapping[str, Any]]
    imagine: Callable[[S, int, Chance], S]
    random_move: Callable[[S, int, Chance], Any]
    advise: Callable[[S, int, Chance], Any]
    unlisted: Callable[[S, int], Mapping[str, Any]] = _nothing_unlisted

    def read_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option with its value, defaults filled in; raises BadOption, all that is wrong in one."""
        known = {option.name: option for option in self.options}
        faults = Faults(BadOption)
        unknown = [name for name in given if name not in known]
        faults.add_unknown(unknown, (), f"unknown option; known are {', '.join(known)}")

        values = {}
        for name, option in known.items():
            try:
                values[name] = option.read(given[name]) if name in given else option.default
            except BadOption as error:
                faults.add(error)

        faults.raise_any()
        return values


def decide(game: Game[S], state: S, command: Any, chance: Chance) -> list[Any]:
    """Return the events that a command causes; the state is left alone. Raises RuleBroken."""
    draft = Draft(state.copy(), game.evolve, chance)
    game.play(draft, command)
    return draft.events


def fold(game: Game[S], state: S, events: Sequence[Any]) -> S:
    """Apply the events to the state in place and return it."""
    evolve = game.evolve
    for event in events:
        evolve(state, event)
    return state


def preview(
    game: Game[S], state: S, command: Any, chance: Chance
) -> list[tuple[Any, tuple[str, ...]]]:
    """Return the events a command would cause, each with the names of the fields that chance would decide.

    Those fields are None in the events. `chance` must have nothing to do with the match's own seed.
    """
    result = []
    for event in decide(game, state, command, chance):
        cls: Any = type(event)
        names = wire.drawn_fields(cls)
        result.append((replace(event, **dict.fromkeys(names)) if names else event, names))
    return result


def foreseen(
    game: Game[S], state: S, previewed: Sequence[tuple[Any, tuple[str, ...]]], seat: int
) -> list[Mapping[str, Any]]:
    """Return a seat's view before the previewed events, and after each up to the first that chance decides.

    What comes from there on is not known: a preview draws by another chance than the match will.
    """
    after = state.copy()
    views = [game.view(after, seat)]
    for event, drawn in previewed:
        if drawn:
            break
        game.evolve(after, event)
        views.append(game.view(after, seat))
    return views
