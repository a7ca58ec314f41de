"""What a game is, and what follows from that once for all games.

A game is a value: a frozen dataclass of facts and functions. `decide`, `fold`, `preview` and
`foreseen` work for every game through these functions alone.
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

# Nothing here is a rule. A game may leave all of it out: then it has no bots that search, and
# nobody can be advised.

RolloutPolicy = Callable[[StateT, int, Chance], Message]
"""policy(state, seat or HOUSE, chance): what a sensible player does without thinking long."""


@dataclass(frozen=True, slots=True)
class SearchHooks(Generic[StateT]):
    """How a search plays a game.

    The functions do no I/O and draw from the given chance alone. The states that they are handed
    are imagined, so all of them is known; none is changed.
    """

    candidates: Callable[[StateT, int, Chance], Sequence[Message]]
    """candidates(state, seat, chance): the moves worth weighing, first the one that looks best.

    There is one at least, and only one where there is nothing to weigh. A search in a hurry weighs
    the first few alone.
    """

    rollout_policy: Callable[[StateT], RolloutPolicy[StateT]]
    """rollout_policy(state): how all seats play from here to the end of the turn."""

    careful: RolloutPolicy[StateT]
    """careful(state, seat, chance): what a player does who takes the time to look.

    A level that thinks with care plays the rest of the turn at hand like this. All else is played
    by the rollout policy.
    """

    turn_begins: Callable[[StateT], bool]
    """turn_begins(state): whether a seat is to act that has done nothing yet in its turn."""

    turns_ahead: Callable[[StateT], int]
    """turns_ahead(state): how many turns of a rollout are played, the one at hand included."""

    expected_points: Callable[[StateT], Sequence[float]]
    """expected_points(state): what each seat may expect to have at the end, where a turn begins."""

    doubt: Callable[[StateT], float]
    """doubt(state): how much the expected points leave open, in points.

    Of two seats the one that is so many points ahead wins e times as often as the other.
    """


# ---- the game itself ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Setup:
    """What is settled before the first draw: the number of seats and the value of every option."""

    seats: int
    options: wire.JsonMapping


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match: points and rank of each seat. 1 is the best rank; ranks may be shared."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(slots=True)
class Draft(Generic[StateT]):
    """A state under a command: `emit` applies an event at once and keeps it.

    chance is what the command draws from; events are those that were emitted so far.
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
    """A draft that takes what chance decides from recorded events, place by place.

    So a command can be decided again without the seed of its draws: all but the draws themselves
    is then compared. This is right for every game that reads a draw from the event or the state,
    and not from what `chance` has returned.
    """

    recorded: Sequence[Message] = ()

    def emit(self, event: Message) -> None:
        """Put the recorded draws in the place of the event's own, then apply and keep it."""
        place = len(self.events)
        if place < len(self.recorded):
            event = _with_draws_of(event, self.recorded[place])
        Draft.emit(self, event)


def _with_draws_of(event: Message, recorded: Message) -> Message:
    """Return the event with the drawn fields of a recorded one, if both are of one type."""
    names = wire.drawn_fields(type(event))
    if not names or type(recorded) is not type(event):
        return event
    return replace(event, **{name: getattr(recorded, name) for name in names})


# What a game does with messages of one class; it looks them up by the class (`kit.one_for_each`).
Play: TypeAlias = Callable[[Draft[StateT], Any], None]
Change: TypeAlias = Callable[[StateT, Any], None]
Story: TypeAlias = Callable[[StateT, Any, Names], Sentence]


class NothingBeyond(TypedDict):
    """Every legal move is listed."""


def _nothing_unlisted(_state: object, _seat: int) -> NothingBeyond:
    return {}


class NothingKnown(TypedDict):
    """The view shows all that everybody knows."""


def _one_turn(_state: object) -> int:
    return 0


def _nothing_known(_state: object) -> NothingKnown:
    return {}


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT]):
    """One set of rules, as a value.

    The functions keep no state, do no I/O and draw from the given chance alone.
    `play` and `evolve` change the state that they are handed; all others leave it as it is, but
    for `advise`, which owns what it is handed. A seat is a number from 0; HOUSE stands for the
    house, which acts where no player decides.
    """

    # ---- facts ----

    key: str
    """The game's name on the wire, such as "calimala"; its rulebook is docs/rules/KEY.md."""

    title: str
    """The game's name for people."""

    rules: str
    """The version of the rules, such as "calimala/1"; a match keeps it for ever."""

    view_version: int
    """The version of what the public view holds; digests of other versions are not compared."""

    seats: range
    """How many seats a match may have."""

    options: tuple[Option, ...]
    """What the creator of a match may choose."""

    commands: Mapping[str, type[Message]]
    """The commands by tag. Those with a field `seat` are players' moves, the others the house's."""

    events: Mapping[str, type[Message]]
    """The events by tag."""

    state: type[StateT]
    """The class of the state; snapshots are read and written by its fields."""

    opening: Message
    """The house's first command, which draws what is drawn before the first move."""

    # ---- the rules ----

    initial: Callable[[Setup], StateT]
    """initial(setup): the state before the opening."""

    play: Callable[[Draft[StateT], Message], None]
    """play(draft, command): checks the command, then emits what it causes, up to the next choice.

    Raises RuleBroken where the rules do not allow it.
    """

    evolve: Callable[[StateT, Message], None]
    """evolve(state, event): changes the state as the event says; checks nothing, draws nothing."""

    actors: Callable[[StateT], tuple[int, ...]]
    """actors(state): the seats that may act now, (HOUSE,) while the house must, () at the end."""

    legal_moves: Callable[[StateT, int], Sequence[Message]]
    """legal_moves(state, seat or HOUSE): the commands that may be given; none if not awaited."""

    outcome: Callable[[StateT], Outcome | None]
    """outcome(state): points and ranks at the end, None before."""

    # ---- what is shown ----

    view: Callable[[StateT, int | None], wire.JsonMapping]
    """view(state, seat or None): what the seat (None: the public) may see, as JSON values.

    It is annotated to return a TypedDict (domain/json_types.py), which the contract shows.
    """

    # ---- what bots use ----

    imagine: Callable[[StateT, int, Chance], StateT]
    """imagine(state, seat, chance): a copy in which all that the seat cannot see is drawn anew."""

    random_move: Callable[[StateT, int, Chance], Message]
    """random_move(state, seat, chance): a random legal move; it leans so that matches end."""

    advise: Callable[[StateT, int, Chance], Message]
    """advise(state, seat, chance): the greedy bot's move; the state is imagined and may change."""

    # ---- what people read ----

    story: Callable[[StateT, Message, Names], Sentence]
    """story(state, event, names): an event as a sentence; names are those of the seats.

    The state is the one before the event. The sentence says what the event and the public part of
    the state say, and nothing else. Secret fields of the event may be None, and it leaves them out
    then. While a move is only tried, what chance decides is None in the event as well, and draws of
    another chance are in the state: it leaves them out, too.
    """

    # ---- where there are too many moves ----

    unlisted: Callable[[StateT, int], wire.JsonMapping] = _nothing_unlisted
    """unlisted(state, seat): legal moves that `legal_moves` does not list, by command.

    It is annotated to return a TypedDict, as a view is. {} when every move is listed.
    """

    # ---- what is taken back ----

    turn: Callable[[StateT], int] = _one_turn
    """turn(state): a number that stays while a turn goes on, and is another one in the next turn.

    A seat takes back its own moves of one turn by itself (M17). The default takes all of them for
    moves of one turn, which is right where nobody has two turns in succession.
    """

    # ---- what is public, and not in the view ----

    known: Callable[[StateT], wire.JsonMapping] = _nothing_known
    """known(state): public facts that `view` does not show, as JSON values.

    No commit holds a digest of them, so released rules may show more
    of them (docs/architecture.md, "Why it is so").
    It is annotated to return a TypedDict, as a view is. {} when the view shows everything.
    """

    # ---- what bots that search use ----

    search_hooks: SearchHooks[StateT] | None = None
    """How a search plays the game; None: it has no bots that search."""

    @property
    def hides(self) -> tuple[str, ...]:
        """Tags of the commands that hide something from other seats, in ascending order."""
        hiding = [
            tag
            for tag, command in self.commands.items()
            if any(audience == "seat" for _, audience in wire.secret_fields(command))
        ]
        return tuple(sorted(hiding))

    def read_options(self, given: Mapping[str, object]) -> wire.Json:
        """Return every option with its value, defaults filled in.

        Raises BadOption with all that is wrong: unknown names first, then wrong values.
        """
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


AnyGame: TypeAlias = Game[Any]
"""A game of which only what holds for all is known."""


def decide(game: Game[StateT], state: StateT, command: Message, chance: Chance) -> list[Message]:
    """Return the events that a command causes; the state is left alone. Raises RuleBroken."""
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
    """An event that a command would cause; the fields that chance would decide are None in it."""

    event: Message
    drawn: tuple[str, ...]


def preview(game: Game[StateT], state: StateT, command: Message, chance: Chance) -> list[Previewed]:
    """Return the events that a command would cause, without what chance would decide in them.

    `chance` must have nothing to do with the match's own seed. Raises RuleBroken.
    """
    return [_undrawn(event) for event in decide(game, state, command, chance)]


def _undrawn(event: Message) -> Previewed:
    names = wire.drawn_fields(type(event))
    return Previewed(replace(event, **dict.fromkeys(names)) if names else event, names)


def foreseen(
    game: Game[StateT], state: StateT, previewed: Sequence[Previewed], seat: int
) -> list[wire.JsonMapping]:
    """Return a seat's view before the previewed events, and after each up to the first draw.

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


def chances_at_end(outcome: Outcome) -> Sequence[float]:
    """Return 1 for the winner, a share of it for shared winners, 0 for all others."""
    winners = outcome.ranks.count(1)
    return [1 / winners if rank == 1 else 0.0 for rank in outcome.ranks]


def win_chances(game: Game[StateT], hooks: SearchHooks[StateT], state: StateT) -> Sequence[float]:
    """Return how likely each seat wins, where a turn begins or the match has ended.

    At the end the outcome tells; before, the points that each seat may expect.
    """
    outcome = game.outcome(state)
    if outcome is not None:
        return chances_at_end(outcome)

    expected_points = hooks.expected_points(state)
    return _softmax(expected_points, hooks.doubt(state))


def _softmax(expected_points: Sequence[float], doubt: float) -> Sequence[float]:
    """Return chances that grow by the factor e with every `doubt` points."""
    best = max(expected_points)
    weights = [exp((points - best) / doubt) for points in expected_points]
    total = sum(weights)
    return [weight / total for weight in weights]
