"""A small game for tests with one of everything: hidden cards, public draws, a phase of the house.

In each of `rounds` rounds
T1: the house deals every seat a card;
T2: each seat keeps or swaps its card, once, in turn;
T3: the house tosses a coin and pays each seat its card, doubled on heads.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, NotRequired, TypeAlias, TypedDict

import pytest

from domain import wire
from domain.chance import Chance, pick
from domain.errors import RuleBroken
from domain.game import HOUSE, Draft, Game, Message, Outcome, Setup
from domain.games import GAMES, RULES
from domain.options import Choice, Number

CARDS = 6


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal every seat a card; the house's (T1)."""

    tag: ClassVar[str] = "deal"


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A seat holds a card that only it may see."""

    tag: ClassVar[str] = "card_dealt"
    seat: int
    card: int | None = wire.secret("seat", drawn=True)


@dataclass(frozen=True, slots=True)
class CardShown:
    """A seat holds a card that everybody may see: what is dealt where hands are open."""

    tag: ClassVar[str] = "card_shown"
    seat: int
    card: int | None = wire.drawn()


@dataclass(frozen=True, slots=True)
class Swap:
    """Swap one's card for a drawn one (T2); `why`: what the seat notes for itself."""

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
    """Toss the coin and pay; the house's (T3)."""

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


@dataclass(slots=True)
class Table:
    """The state.

    rounds: how many are left.   points, cards: of each seat; a card is None where it is not known.
    turn: the seat to act, HOUSE when all have acted.   heads: how the last coin fell.
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


def _initial(setup: Setup) -> Table:
    return Table(rounds=setup.options["rounds"], points=[0] * setup.seats)


# ---- play: what a command causes ----


def _play(draft: Draft[Table], command: Message) -> None:
    _play_dealing(draft, command, CardDealt)


def _play_openly(draft: Draft[Table], command: Message) -> None:
    _play_dealing(draft, command, CardShown)


def _play_dealing(draft: Draft[Table], command: Message, dealt: Dealt) -> None:
    """Play a command; `dealt` is the event by which a seat gets a card."""
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


# ---- evolve: what an event changes ----


def _evolve(state: Table, event: Message) -> None:
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
    """Whether some seat has no card yet."""
    return len(state.cards) < state.seats


def _pass_on(state: Table) -> None:
    """Let the next seat act: the first after the last was dealt a card, the house after all."""
    if _dealing(state):
        return
    last = state.seats - 1
    state.turn = HOUSE if state.turn == last else state.turn + 1


# ---- who may do what, and who sees what ----


def _actors(state: Table) -> tuple[int, ...]:
    return (state.turn,) if state.rounds else ()


def _legal_moves(state: Table, seat: int) -> list[Message]:
    if seat not in _actors(state):
        return []
    return [Settle()] if seat == HOUSE else [Keep(seat), Swap(seat)]


def _outcome(state: Table) -> Outcome | None:
    if state.rounds:
        return None
    ranks = [1 + sum(other > points for other in state.points) for points in state.points]
    return Outcome(points=tuple(state.points), ranks=tuple(ranks))


class View(TypedDict):
    """The toy as a seat, or the public, sees it."""

    rounds: Annotated[int, "How many rounds are left."]
    points: Annotated[list[int], "The points of each seat."]
    turn: Annotated[int, "The seat to act; -1: the house."]
    heads: Annotated[bool, "How the last coin fell."]
    card: NotRequired[Annotated[int | None, "The seat's own card; left out while it has none."]]


def _view(state: Table, seat: int | None) -> View:
    shown: View = {
        "rounds": state.rounds,
        "points": list(state.points),
        "turn": state.turn,
        "heads": state.heads,
    }
    if seat is not None and seat < len(state.cards):
        shown["card"] = state.cards[seat]
    return shown


# ---- what bots use ----


def _imagine(state: Table, seat: int, chance: Chance) -> Table:
    imagined = state.copy()
    for other in range(len(imagined.cards)):
        if other != seat:
            imagined.cards[other] = chance.below(CARDS)
    return imagined


def _random_move(state: Table, seat: int, chance: Chance) -> Message:
    moves = _legal_moves(state, seat)
    return moves[chance.below(len(moves))]


def _advise(state: Table, seat: int, _chance: Chance) -> Message:
    """Swap a low card, and note it."""
    card = state.cards[seat]
    low = (card or 0) * 2 < CARDS
    return Swap(seat, f"I held {card}") if low else Keep(seat)


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
    commands=wire.table(Deal, Swap, Keep, Settle),
    events=wire.table(CardDealt, CardKept, CoinTossed, RoundPaid),
    state=Table,
    opening=Deal(),
    initial=_initial,
    play=_play,
    evolve=_evolve,
    actors=_actors,
    legal_moves=_legal_moves,
    outcome=_outcome,
    view=_view,
    imagine=_imagine,
    random_move=_random_move,
    advise=_advise,
)

OPEN_HANDED = replace(
    TOY,
    rules="toy/open",
    play=_play_openly,
    events=wire.table(CardShown, CardKept, CoinTossed, RoundPaid),
)


def install(patch: pytest.MonkeyPatch, *games: Game[Any]) -> None:
    """Register games (the toy if none are given) as long as the patch lasts."""
    for game in games or (TOY,):
        patch.setitem(GAMES, game.key, game)
        patch.setitem(RULES, game.rules, game)
