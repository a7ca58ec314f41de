"""Getting a brick of another colour: exchange, Alchemist, Smuggler (F18, F27, F30)."""

from collections.abc import Iterator
from dataclasses import dataclass

from domain.firenze.bot.planning import turn_value
from domain.firenze.bot.valuation import Outlook
from domain.firenze.bot.weights import Gains
from domain.firenze.cards import Card
from domain.firenze.commands import Exchange, PlayPersonnel
from domain.firenze.components import COLOURS, Bricks, Colour
from domain.firenze.exchange import exchange_price
from domain.firenze.moves import Move, exchanges
from domain.firenze.payment import automatic
from domain.firenze.personnel import may_play
from domain.firenze.personnel_effects import rivals
from domain.firenze.state import Player, State
from domain.firenze.towers import built_colours


@dataclass(frozen=True, slots=True)
class _Offer:
    """A way to get one brick of a colour: the move, the bricks it costs, the gain asked of it."""

    move: Move
    take: Colour
    price: int
    gain: float

    def given(self, player: Player) -> Bricks:
        """Return the bricks given, as F25 chooses them, or fewer where there are too few.

        In an exchange they may be of the colour taken (F18), on a card they may not (F26).
        """
        pool = player.storehouse[:]
        if not isinstance(self.move, Exchange):
            pool[self.take] = 0
        return automatic(self.price, pool, built_colours(player))


def best_swap(state: State, outlook: Outlook, value: float) -> Move | None:
    """Return the best swap, if it helps enough; value: of the turn without one."""
    player = state.players[outlook.seat]
    best_value = value
    best: Move | None = None

    for offer in _offers(state, outlook.seat, outlook.weights.gains):
        given = offer.given(player)
        if len(given) < offer.price:
            continue

        storehouse = player.storehouse[:]
        for colour in given:
            storehouse[colour] -= 1
        storehouse[offer.take] += 1
        swapped = turn_value(state, outlook, storehouse) - offer.gain
        if swapped > best_value:
            best_value = swapped
            best = offer.move
    return best


def _offers(state: State, seat: int, gains: Gains) -> Iterator[_Offer]:
    yield from _exchange_offers(state, seat, gains.exchange)
    if may_play(state, seat, Card.ALCHEMIST):
        yield from _alchemist_offers(state, seat, gains.swap)
    if may_play(state, seat, Card.SMUGGLER):
        yield from _smuggler_offers(state, seat, gains.swap)


def _exchange_offers(state: State, seat: int, gain: float) -> Iterator[_Offer]:
    """Yield one exchange for each colour in the row, from the last slot that has it."""
    price = exchange_price(state.players[seat])
    by_colour = {move.take: move for move in exchanges(state, seat)}
    for colour, move in by_colour.items():
        yield _Offer(move, colour, price, gain)


def _alchemist_offers(state: State, seat: int, gain: float) -> Iterator[_Offer]:
    """Yield a swap for each colour in the pouch."""
    for colour in COLOURS:
        if state.pouch[colour]:
            move = PlayPersonnel(seat, Card.ALCHEMIST, take=colour)
            yield _Offer(move, colour, 1, gain)


def _smuggler_offers(state: State, seat: int, gain: float) -> Iterator[_Offer]:
    """Yield a swap for each colour, with the rival who has most of it."""
    for colour in COLOURS:
        target = _richest(state, rivals(state, seat), colour)
        if state.players[target].storehouse[colour]:
            move = PlayPersonnel(seat, Card.SMUGGLER, target=target, take=colour)
            yield _Offer(move, colour, 1, gain)


def _richest(state: State, seats: list[int], colour: Colour) -> int:
    """Return the seat that has most bricks of a colour in store, the first among equals."""
    return max(seats, key=lambda seat: state.players[seat].storehouse[colour])
