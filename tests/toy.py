"""A game for tests, small and with one of everything: hidden cards, public draws, a scoring phase of the house.

Each of `rounds` rounds the house deals every seat a card; each seat keeps or swaps it, once, in turn; the house tosses
a coin and pays each seat its card, doubled on heads. Rule numbers begin with T.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict

import pytest

from domain import wire
from domain.chance import Chance, pick
from domain.errors import RuleBroken
from domain.game import HOUSE, Draft, Game, Outcome, Setup
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
    """The same where hands are open."""

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


@dataclass(slots=True)
class Table:
    """The state; `turn` is the seat to act, HOUSE when all have."""

    rounds: int
    points: list[int]
    cards: list[int | None] = field(default_factory=list)
    turn: int = HOUSE
    heads: bool = False

    def copy(self) -> "Table":
        """Return an independent copy."""
        return Table(self.rounds, self.points.copy(), self.cards.copy(), self.turn, self.heads)


def _initial(setup: Setup) -> Table:
    return Table(setup.options["rounds"], [0] * setup.seats)


def _play(
    draft: Draft[Table], command: Any, dealt: type[CardDealt | CardShown] = CardDealt
) -> None:
    state = draft.state
    match command:
        case Deal():
            for seat in range(len(state.points)):
                draft.emit(dealt(seat, pick(draft.chance, [2] * CARDS)))
        case Settle() if state.turn == HOUSE:
            draft.emit(CoinTossed(draft.chance.below(2) == 1))
            cards = tuple(card or 0 for card in state.cards)
            draft.emit(RoundPaid(cards, tuple(card * (1 + state.heads) for card in cards)))
            if state.rounds:
                _play(draft, Deal(), dealt)
        case Keep(seat) if state.turn == seat:
            draft.emit(CardKept(seat))
        case Swap(seat) if state.turn == seat:
            draft.emit(dealt(seat, draft.chance.below(CARDS)))
        case _:
            raise RuleBroken("not_your_turn", "T2", "Another seat is to act.")


def _play_openly(draft: Draft[Table], command: Any) -> None:
    _play(draft, command, CardShown)


def _on_dealt(state: Table, event: CardDealt | CardShown) -> None:
    if len(state.cards) < len(state.points):
        state.cards.append(event.card)
    else:
        state.cards[event.seat] = event.card
    _pass_on(state)


def _pass_on(state: Table) -> None:
    """Dealing ends with the first seat to act, acting with the house."""
    if len(state.cards) == len(state.points):
        state.turn = HOUSE if state.turn == len(state.points) - 1 else state.turn + 1


def _evolve(state: Table, event: Any) -> None:
    match event:
        case CardDealt() | CardShown():
            _on_dealt(state, event)
        case CardKept():
            _pass_on(state)
        case CoinTossed(heads):
            state.heads = bool(heads)
        case RoundPaid(_, points):
            state.points = [old + new for old, new in zip(state.points, points, strict=True)]
            state.cards, state.turn, state.rounds = [], HOUSE, state.rounds - 1


def _actors(state: Table) -> tuple[int, ...]:
    return (state.turn,) if state.rounds else ()


def _legal(state: Table, seat: int) -> list[Any]:
    if seat not in _actors(state):
        return []
    return [Settle()] if seat == HOUSE else [Keep(seat), Swap(seat)]


def _outcome(state: Table) -> Outcome | None:
    if state.rounds:
        return None
    ranks = tuple(1 + sum(other > points for other in state.points) for points in state.points)
    return Outcome(tuple(state.points), ranks)


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


def _imagine(state: Table, seat: int, chance: Chance) -> Table:
    other = state.copy()
    other.cards = [
        card if number == seat else chance.below(CARDS) for number, card in enumerate(other.cards)
    ]
    return other


def _random(state: Table, seat: int, chance: Chance) -> Any:
    moves = _legal(state, seat)
    return moves[chance.below(len(moves))]


def _advise(state: Table, seat: int, chance: Chance) -> Any:
    return (
        Swap(seat, f"I held {state.cards[seat]}")
        if (state.cards[seat] or 0) * 2 < CARDS
        else Keep(seat)
    )


TOY: Game[Table] = Game(
    key="toy", title="Toy", rules="toy/1", view_version=1, seats=range(2, 5),
    options=(
        Number("rounds", 2, "how many rounds are played", least=1, most=9),
        Choice("edition", "plain", "which box", choices=("plain", "gilded")),
    ),
    commands=wire.table(Deal, Swap, Keep, Settle), events=wire.table(CardDealt, CardKept, CoinTossed, RoundPaid),
    state=Table, opening=Deal(), initial=_initial, play=_play, evolve=_evolve, actors=_actors, legal_moves=_legal,
    outcome=_outcome, view=_view, imagine=_imagine, random_move=_random, advise=_advise,
)  # fmt: skip

OPEN_HANDED = replace(
    TOY,
    rules="toy/open",
    play=_play_openly,
    events=wire.table(CardShown, CardKept, CoinTossed, RoundPaid),
)


def install(patch: pytest.MonkeyPatch, *games: Game[Any]) -> None:
    """Register the toy, or other versions of it, as long as the patch lasts."""
    for game in games or (TOY,):
        patch.setitem(GAMES, game.key, game)
        patch.setitem(RULES, game.rules, game)
