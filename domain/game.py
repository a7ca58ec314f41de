"""A game as a value, and functions for every game.

`Game` is a frozen dataclass of facts and functions. The functions at the end of this module, such
as `decide` and `fold`, use nothing else of a game.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, TypedDict, TypeVar

from domain import wire
from domain.chance import Chance
from domain.errors import BadOption, Faults
from domain.options import Option
from domain.seats import HOUSE
from domain.story import Names, Sentence
from domain.wire import Message

__all__ = [
    "HOUSE",
    "AnyGame",
    "Change",
    "Draft",
    "Game",
    "Message",
    "NothingBeyond",
    "NothingKnown",
    "Outcome",
    "Previewed",
    "ReplayDraft",
    "Play",
    "RolloutPolicy",
    "SearchHooks",
    "Setup",
    "Story",
    "decide",
    "fold",
    "foreseen",
    "preview",
    "win_chances",
]


class State(Protocol):
    """A mutable dataclass with slots that can copy itself."""

    def copy(self) -> Self:
        """Return an independent copy."""
        ...


StateT = TypeVar("StateT", bound=State)


# ---- search hooks: what a search asks of a game beside its rules ---------------------------------

# Nothing here is a rule. A game without search hooks has no bots that search, and no advice.

RolloutPolicy = Callable[[StateT, int, Chance], Message]
"""policy(state, seat or HOUSE, chance): the quick move of a sensible player."""


@dataclass(frozen=True, slots=True)
class SearchHooks(Generic[StateT]):
    """The functions of a game for a search.

    The functions do no I/O and draw from the given chance alone. The states given to them are
    imagined (`Game.imagine`), so the functions may read all of a state. They change no state.
    """

    candidates: Callable[[StateT, int, Chance], Sequence[Message]]
    """candidates(state, seat, chance): the moves to compare, beginning with the favourite.

    At least one move. A single move is not compared. A search in a hurry compares only the
    first few.
    """

    rollout_policy: Callable[[StateT], RolloutPolicy[StateT]]
    """rollout_policy(state): the policy of all seats from here to the end of the turn."""

    careful: RolloutPolicy[StateT]
    """careful(state, seat, chance): a better move, perhaps after more time.

    With `Budget.careful`, a rollout plays the rest of the current turn like this. All else is
    played by the rollout policy.
    """

    turn_begins: Callable[[StateT], bool]
    """turn_begins(state): True if the seat to act has done nothing yet in its turn."""

    turns_ahead: Callable[[StateT], int]
    """turns_ahead(state): the number of turns in a rollout, the current one included."""

    expected_points: Callable[[StateT], Sequence[float]]
    """expected_points(state at the beginning of a turn): each seat's expected points at the end."""

    doubt: Callable[[StateT], float]
    """doubt(state): the uncertainty of the expected points, in points.

    A seat that is so many points ahead of another wins e (2.7) times as often.
    """


# ---- the game itself ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Setup:
    """The number of seats and the value of every option, settled before the first draw."""

    seats: int
    options: wire.JsonMapping


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match: points and ranks by seat. Rank 1 is best, and ranks may be shared."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(slots=True)
class Draft(Generic[StateT]):
    """A state while a command is carried out, and the events of the command so far.

    chance: the source of the command's draws.
    """

    state: StateT
    evolve: Callable[[StateT, Message], None]
    chance: Chance
    events: list[Message] = field(default_factory=list)

    def emit(self, event: Message) -> None:
        """Apply the event to the state and append it to the events."""
        self.evolve(self.state, event)
        self.events.append(event)


@dataclass(slots=True)
class ReplayDraft(Draft[StateT]):
    """A draft that takes the draws of its events from the recorded events in the same places.

    So a command can be decided again without the seed of its draws. The result is right if the game
    reads its draws from the event or the state, not from the result of `chance`.
    """

    recorded: Sequence[Message] = ()

    def emit(self, event: Message) -> None:
        """Replace the draws of the event by the recorded ones, then apply and append the event."""
        place = len(self.events)
        if place < len(self.recorded):
            event = _with_draws_of(event, self.recorded[place])
        Draft.emit(self, event)


def _with_draws_of(event: Message, recorded: Message) -> Message:
    """Return the event with the drawn fields of a recorded event of the same class."""
    names = wire.drawn_fields(type(event))
    if not names or type(recorded) is not type(event):
        return event
    return replace(event, **{name: getattr(recorded, name) for name in names})


# A game's functions for messages of one class, looked up by the class (`kit.one_for_each`).
Play: TypeAlias = Callable[[Draft[StateT], Any], None]
Change: TypeAlias = Callable[[StateT, Any], None]
Story: TypeAlias = Callable[[StateT, Any, Names], Sentence]


class NothingBeyond(TypedDict):
    """Every legal move is listed."""


def _nothing_unlisted(_state: object, _seat: int) -> NothingBeyond:
    return {}


class NothingKnown(TypedDict):
    """The view shows all public facts."""


def _one_turn(_state: object) -> int:
    return 0


def _nothing_known(_state: object) -> NothingKnown:
    return {}


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT]):
    """One version of the rules of a game, as a value.

    The functions keep no state, do no I/O and draw from the given chance alone. `play` and `evolve`
    change the state given to them, and `advise` may do so. All others leave the state as it is. A
    seat is a number from 0. HOUSE stands for the house, the actor if no player decides.
    """

    # ---- facts ----

    key: str
    """The game's name on the wire, such as "calimala". A link to a rule is /rules/KEY#NUMBER."""

    title: str
    """The game's name for people."""

    rules: str
    """The version of the rules, such as "calimala/1". A match keeps it for ever."""

    view_version: int
    """The version of the view's content. Digests of views of other versions are not compared."""

    seats: range
    """The possible numbers of seats."""

    options: tuple[Option, ...]
    """The options for the creator of a match."""

    commands: Mapping[str, type[Message]]
    """The commands by tag. Those with a field `seat` are players' moves, the others the house's."""

    events: Mapping[str, type[Message]]
    """The events by tag."""

    state: type[StateT]
    """The class of the state. Snapshots are read and written by its fields."""

    opening: Message
    """The house's first command. It makes the draws before the first move."""

    # ---- the rules ----

    initial: Callable[[Setup], StateT]
    """initial(setup): the state before the opening."""

    play: Callable[[Draft[StateT], Message], None]
    """play(draft, command): checks the command, then emits its events, up to the next choice.

    Raises RuleBroken if the rules do not allow it.
    """

    evolve: Callable[[StateT, Message], None]
    """evolve(state, event): applies the event to the state, without checks or draws."""

    actors: Callable[[StateT], tuple[int, ...]]
    """actors(state): the seats that may act now, (HOUSE,) while the house must, () at the end."""

    legal_moves: Callable[[StateT, int], Sequence[Message]]
    """legal_moves(state, seat or HOUSE): the legal commands, empty if not awaited.

    Some may be left out, such as those that `unlisted` describes.
    """

    outcome: Callable[[StateT], Outcome | None]
    """outcome(state): points and ranks at the end, None before."""

    # ---- what is shown ----

    view: Callable[[StateT, int | None], wire.JsonMapping]
    """view(state, seat or None): the view of the seat (None: of the public), as JSON values.

    The annotated return type is a TypedDict. The contract shows it (domain/json_types.py).
    """

    # ---- what bots use ----

    imagine: Callable[[StateT, int, Chance], StateT]
    """imagine(state, seat, chance): a copy with all facts hidden from the seat drawn anew."""

    random_move: Callable[[StateT, int, Chance], Message]
    """random_move(state, seat, chance): a random legal move, weighted so that matches end."""

    advise: Callable[[StateT, int, Chance], Message]
    """advise(state, seat, chance): the greedy bot's move. The state is imagined and may change."""

    # ---- what people read ----

    story: Callable[[StateT, Message, Names], Sentence]
    """story(state, event, names): an event as a sentence. names: of the seats.

    The state is the one before the event. The sentence tells only facts of the event and of the
    public part of the state. It leaves out secret fields of the event that are None. In a preview,
    drawn fields of the event are None as well, and the state holds draws of another chance. The
    sentence leaves out both.
    """

    # ---- where there are too many moves ----

    unlisted: Callable[[StateT, int], wire.JsonMapping] = _nothing_unlisted
    """unlisted(state, seat): a description of unlisted legal moves, by command.

    {} if no move can be unlisted now. Annotated like `view`.
    """

    # ---- what is taken back ----

    turn: Callable[[StateT], int] = _one_turn
    """turn(state): a number that stays the same during a turn and differs in the next turn.

    A seat takes back its own moves of one turn without consent (M17). The default always returns 0.
    That is right if nobody has two turns in succession.
    """

    # ---- what is public, and not in the view ----

    known: Callable[[StateT], wire.JsonMapping] = _nothing_known
    """known(state): public facts that `view` does not show, as JSON values.

    No commit holds a digest of them, so released rules may show more of them
    (docs/explanation/architecture.md, "Why it is so"). {} when the view shows everything.
    Annotated like `view`.
    """

    # ---- what bots that search use ----

    search_hooks: SearchHooks[StateT] | None = None
    """None: the game has no bots that search."""

    # ---- texts of games from other distributions ----

    rulebook: str = ""
    """The numbered rules, in the form of docs/rules/KEY.md. "" if the game has a file there."""

    for_players: str = ""
    """The course of the game for new players, in the same form."""

    @property
    def hides(self) -> tuple[str, ...]:
        """Tags of the commands that hide something from other seats, in ascending order."""
        hiding = [
            tag
            for tag, command in self.commands.items()
            if any(audience == "seat" for _, audience in wire.secret_fields(command))
        ]
        return tuple(sorted(hiding))

    def read_options(self, choices: Mapping[str, object]) -> wire.Json:
        """Return all options with their values, defaults included.

        Raises BadOption with the errors: unknown names first, then wrong values.
        """
        options = {option.name: option for option in self.options}
        faults = Faults(BadOption)
        unknown = [name for name in choices if name not in options]
        faults.add_unknown(unknown, (), f"unknown option. Known options: {', '.join(options)}")

        values = {}
        for name, option in options.items():
            try:
                values[name] = option.read(choices[name]) if name in choices else option.default
            except BadOption as error:
                faults.add(error)

        faults.raise_any()
        return values


AnyGame: TypeAlias = Game[Any]
"""A game of any kind."""


def decide(game: Game[StateT], state: StateT, command: Message, chance: Chance) -> list[Message]:
    """Return the events of a command, without a change of the state. Raises RuleBroken."""
    draft = Draft(state.copy(), game.evolve, chance)
    game.play(draft, command)
    return draft.events


def fold(game: Game[StateT], state: StateT, events: Sequence[Message]) -> StateT:
    """Apply the events to the state in place and return it."""
    evolve = game.evolve
    for event in events:
        evolve(state, event)
    return state


class Previewed(NamedTuple):
    """An event that a command would cause.

    event: its drawn fields are None.   drawn: the names of these fields.
    """

    event: Message
    drawn: tuple[str, ...]


def preview(game: Game[StateT], state: StateT, command: Message, chance: Chance) -> list[Previewed]:
    """Return the events that a command would cause, without the drawn fields.

    chance: must not be derived from the seed of the match. Raises RuleBroken.
    """
    return [_undrawn(event) for event in decide(game, state, command, chance)]


def _undrawn(event: Message) -> Previewed:
    names = wire.drawn_fields(type(event))
    return Previewed(replace(event, **dict.fromkeys(names)) if names else event, names)


def foreseen(
    game: Game[StateT], state: StateT, previewed: Sequence[Previewed], seat: int
) -> list[wire.JsonMapping]:
    """Return a seat's view before the previewed events, and after each event before the first draw.

    Later views are unknown, since the draws of a preview are not those of the match.
    """
    after = state.copy()
    views = [game.view(after, seat)]
    for event, drawn in previewed:
        if drawn:
            break
        game.evolve(after, event)
        views.append(game.view(after, seat))
    return views


def chances_at_end(outcome: Outcome) -> Sequence[float]:
    """Return the win chances by seat: 1 shared evenly by the winners, 0 for all others."""
    winners = outcome.ranks.count(1)
    return [1 / winners if rank == 1 else 0.0 for rank in outcome.ranks]


def win_chances(game: Game[StateT], hooks: SearchHooks[StateT], state: StateT) -> Sequence[float]:
    """Return the win chances by seat, at the beginning of a turn or after the match.

    After the match they follow from the outcome, before its end from the expected points.
    """
    outcome = game.outcome(state)
    if outcome is not None:
        return chances_at_end(outcome)

    expected_points = hooks.expected_points(state)
    return _softmax(expected_points, hooks.doubt(state))


def _softmax(expected_points: Sequence[float], doubt: float) -> Sequence[float]:
    """Return chances that add up to 1. A lead of `doubt` points makes a chance e times as high."""
    best = max(expected_points)
    weights = [exp((points - best) / doubt) for points in expected_points]
    total = sum(weights)
    return [weight / total for weight in weights]
