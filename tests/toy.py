"""A small game for tests with one of everything: hidden cards, public draws, a phase of the house.

In each of `rounds` rounds
T1: the house deals every seat a card;
T2: each seat keeps or swaps its card, once, in turn;
T3: the house tosses a coin and pays each seat its card, doubled on heads.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, NotRequired, TypeAlias, TypedDict

import pytest

from domain import wire
from domain.chance import Chance, pick
from domain.errors import RuleBroken
from domain.game import HOUSE, Draft, Game, Message, Outcome, Setup
from domain.options import Choice, Number
from domain.story import Heading, Part, Sentence

# ---- commands and events -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal every seat a card. A command of the house (T1)."""

    tag: ClassVar[str] = "deal"


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A seat holds a card visible to it alone."""

    tag: ClassVar[str] = "card_dealt"
    seat: int
    card: int | None = wire.secret("seat", drawn=True)


@dataclass(frozen=True, slots=True)
class CardShown:
    """A seat holds a card visible to everybody: a dealt one with open hands."""

    tag: ClassVar[str] = "card_shown"
    seat: int
    card: int | None = wire.drawn()


@dataclass(frozen=True, slots=True)
class Swap:
    """Swap one's card for a drawn one (T2). `why`: the seat's note for itself."""

    tag: ClassVar[str] = "swap"
    seat: int
    why: str | None = wire.secret("seat")


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep one's card (T2)."""

    tag: ClassVar[str] = "keep"
    seat: int


@dataclass(frozen=True, slots=True)
class CardKept:
    """A seat kept its card."""

    tag: ClassVar[str] = "card_kept"
    seat: int


@dataclass(frozen=True, slots=True)
class Settle:
    """Toss the coin and pay. A command of the house (T3)."""

    tag: ClassVar[str] = "settle"


@dataclass(frozen=True, slots=True)
class CoinTossed:
    """A coin fell."""

    tag: ClassVar[str] = "coin_tossed"
    heads: bool | None = wire.drawn()


@dataclass(frozen=True, slots=True)
class RoundPaid:
    """The seats' cards were laid open and paid."""

    tag: ClassVar[str] = "round_paid"
    cards: tuple[int, ...]
    points: tuple[int, ...]


Dealt: TypeAlias = type[CardDealt] | type[CardShown]

COMMANDS = wire.table(Deal, Swap, Keep, Settle)
EVENTS = wire.table(CardDealt, CardKept, CoinTossed, RoundPaid)
OPEN_EVENTS = wire.table(CardShown, CardKept, CoinTossed, RoundPaid)


# ---- the state, and what its events change -------------------------------------------------------


@dataclass(slots=True)
class Table:
    """The state.

    rounds: the remaining number. points, cards: of each seat. A card is None if it is not known.
    turn: the seat to act, HOUSE when all have acted. heads: True if the last coin fell so.
    """

    rounds: int
    points: list[int]
    cards: list[int | None] = field(default_factory=list)
    turn: int = HOUSE
    heads: bool = False

    def copy(self) -> "Table":
        """Return an independent copy."""
        return Table(
            rounds=self.rounds,
            points=self.points.copy(),
            cards=self.cards.copy(),
            turn=self.turn,
            heads=self.heads,
        )

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.points)


def initial(setup: Setup) -> Table:
    return Table(rounds=setup.options["rounds"], points=[0] * setup.seats)


def evolve(state: Table, event: Message) -> None:
    match event:
        case CardDealt() | CardShown():
            _on_dealt(state, event)
        case CardKept():
            _pass_on(state)
        case CoinTossed(heads):
            state.heads = bool(heads)
        case RoundPaid(_, points):
            _on_paid(state, points)


def _on_dealt(state: Table, event: CardDealt | CardShown) -> None:
    if _dealing(state):
        state.cards.append(event.card)
    else:
        state.cards[event.seat] = event.card
    _pass_on(state)


def _on_paid(state: Table, points: tuple[int, ...]) -> None:
    state.points = [old + new for old, new in zip(state.points, points, strict=True)]
    state.cards = []
    state.turn = HOUSE
    state.rounds -= 1


def _dealing(state: Table) -> bool:
    """Return True if some seat has no card yet."""
    return len(state.cards) < state.seats


def _pass_on(state: Table) -> None:
    """Let the next seat act: the first after the last was dealt a card, the house after all."""
    if _dealing(state):
        return
    last = state.seats - 1
    state.turn = HOUSE if state.turn == last else state.turn + 1


# ---- the rules -----------------------------------------------------------------------------------

CARDS = 6


def play(draft: Draft[Table], command: Message) -> None:
    _play_dealing(draft, command, CardDealt)


def play_openly(draft: Draft[Table], command: Message) -> None:
    _play_dealing(draft, command, CardShown)


def _play_dealing(draft: Draft[Table], command: Message, dealt: Dealt) -> None:
    """Play a command. `dealt` is the event by which a seat gets a card."""
    awaited = draft.state.turn
    match command:
        case Deal():
            _deal(draft, dealt)
        case Settle() if awaited == HOUSE:
            _settle(draft, dealt)
        case Keep(seat) if awaited == seat:
            draft.emit(CardKept(seat))
        case Swap(seat) if awaited == seat:
            draft.emit(dealt(seat, draft.chance.below(CARDS)))
        case _:
            raise RuleBroken("not_your_turn", "T2", "Another seat is to act.")


def _deal(draft: Draft[Table], dealt: Dealt) -> None:
    """Deal every seat a card (T1)."""
    for seat in range(draft.state.seats):
        draft.emit(dealt(seat, pick(draft.chance, [2] * CARDS)))


def _settle(draft: Draft[Table], dealt: Dealt) -> None:
    """Toss the coin, pay, and deal again while rounds are left (T3)."""
    state = draft.state
    draft.emit(CoinTossed(draft.chance.below(2) == 1))

    factor = 2 if state.heads else 1
    cards = tuple(card or 0 for card in state.cards)
    points = tuple(card * factor for card in cards)
    draft.emit(RoundPaid(cards=cards, points=points))

    if state.rounds:
        _deal(draft, dealt)


def actors(state: Table) -> tuple[int, ...]:
    return (state.turn,) if state.rounds else ()


def legal_moves(state: Table, seat: int) -> list[Message]:
    if seat not in actors(state):
        return []
    return [Settle()] if seat == HOUSE else [Keep(seat), Swap(seat)]


def outcome(state: Table) -> Outcome | None:
    if state.rounds:
        return None
    ranks = [1 + sum(other > points for other in state.points) for points in state.points]
    return Outcome(points=tuple(state.points), ranks=tuple(ranks))


# ---- what a seat sees, and what bots make of it --------------------------------------------------


class View(TypedDict):
    """The toy as a seat, or the public, sees it."""

    rounds: Annotated[int, "How many rounds are left."]
    points: Annotated[list[int], "The points of each seat."]
    turn: Annotated[int, "The seat to act; -1: the house."]
    heads: Annotated[bool, "How the last coin fell."]
    card: NotRequired[Annotated[int | None, "The seat's own card; left out while it has none."]]


def view(state: Table, seat: int | None) -> View:
    result: View = {
        "rounds": state.rounds,
        "points": list(state.points),
        "turn": state.turn,
        "heads": state.heads,
    }
    if seat is not None and seat < len(state.cards):
        result["card"] = state.cards[seat]
    return result


def imagine(state: Table, seat: int, chance: Chance) -> Table:
    imagined = state.copy()
    for other in range(len(imagined.cards)):
        if other != seat:
            imagined.cards[other] = chance.below(CARDS)
    return imagined


def random_move(state: Table, seat: int, chance: Chance) -> Message:
    moves = legal_moves(state, seat)
    return moves[chance.below(len(moves))]


def advise(state: Table, seat: int, _chance: Chance) -> Message:
    """Swap a low card with a note, and keep a high one."""
    card = state.cards[seat]
    low = (card or 0) * 2 < CARDS
    return Swap(seat, f"I held {card}") if low else Keep(seat)


# ---- the events, told in English -----------------------------------------------------------------


def story(_state: Table, event: Message, names: Sequence[str]) -> Sentence:
    match event:
        case CardDealt(seat, card) | CardShown(seat, card):
            return Sentence(f"{names[seat]} is dealt {'a card' if card is None else card}.")
        case CardKept(seat):
            return Sentence(f"{names[seat]} keeps their card.")
        case CoinTossed(heads):
            return _coin(heads)
        case RoundPaid(cards, points):
            paid = zip(names, cards, points, strict=True)
            parts = [f"{name} shows {card} and has {worth}" for name, card, worth in paid]
            return Sentence(f"{'; '.join(parts)}.", rules=("T3",))
        case _:
            raise TypeError(f"{event} is no event of the toy")


def _coin(heads: bool | None) -> Sentence:
    heading = Heading(Part.SCORING, "The coin")
    if heads is None:
        return Sentence("The coin is tossed.", heading=heading)
    return Sentence(f"The coin shows {'heads' if heads else 'tails'}.", ("T3",), heading)


# ---- the game as a value -------------------------------------------------------------------------

ROUNDS = Number(
    name="rounds",
    default=2,
    text="how many rounds are played",
    least=1,
    most=9,
)
EDITION = Choice(
    name="edition",
    default="plain",
    text="which box",
    choices=("plain", "gilded"),
)

TOY: Game[Table] = Game(
    key="toy",
    title="Toy",
    rules="toy/1",
    view_version=1,
    seats=range(2, 5),
    options=(ROUNDS, EDITION),
    commands=COMMANDS,
    events=EVENTS,
    state=Table,
    opening=Deal(),
    initial=initial,
    play=play,
    evolve=evolve,
    actors=actors,
    legal_moves=legal_moves,
    outcome=outcome,
    view=view,
    imagine=imagine,
    random_move=random_move,
    advise=advise,
    story=story,
)

OPEN_HANDED = replace(
    TOY,
    rules="toy/open",
    play=play_openly,
    events=OPEN_EVENTS,
)


def install(patch: pytest.MonkeyPatch, *games: Game[Any]) -> None:
    """Register games (the toy if none are given) as long as the patch lasts."""
    from domain.games import GAMES, RULES  # not above: the registry may be what imports the toy

    for game in games or (TOY,):
        patch.setitem(GAMES, game.key, game)
        patch.setitem(RULES, game.rules, game)
