"""The greedy bot: it values a choice by the position after the best building of the turn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from domain.chance import Chance
from domain.firenze import commands
from domain.firenze.agenda import Step
from domain.firenze.bot.valuation import (
    NEW,
    Outlook,
    Piece,
    best_plans,
    card_value,
    harm,
    keep_value,
    look,
    plan,
    turn_value,
    worth,
)
from domain.firenze.bot.weights import BY_HAND, Gains, Weights
from domain.firenze.build import MASON_DISCOUNT, automatic, built_colours, discount, most_laid
from domain.firenze.components import COLOURS, Bricks, Card, Colour, add_bricks
from domain.firenze.moves import endings, exchanges, fulfilments, legal_moves
from domain.firenze.personnel import may_play, rivals
from domain.firenze.row import exchange_price
from domain.firenze.state import Player, State, Tower, find_tower
from domain.seats import HOUSE


def advise(
    state: State, seat: int, _chance: Chance, weights: Weights = BY_HAND
) -> commands.Command:
    """Return the greedy move of an actor, a seat or the house."""
    if seat == HOUSE:
        return legal_moves(state, seat)[0]
    return _ADVICE[state.agenda[-1].step](state, seat, weights)


# ---- choose ----------------------------------------------------------------------------------


def _choose(state: State, seat: int, weights: Weights) -> commands.Command:
    """Discard a bad Celebration, play a Princess, or take the best card."""
    discarding = _discard_bad_celebration(state, seat)
    if discarding is not None:
        return discarding

    outlook = look(state, seat, weights)
    free_already = Card.PRINCESS in state.played
    paid, slot = _best_slot(state, outlook, free=free_already)

    if may_play(state, seat, Card.PRINCESS):
        unpaid, _ = _best_slot(state, outlook, free=True)
        if unpaid - paid > weights.gains.princess:
            return commands.PlayPersonnel(seat, Card.PRINCESS)
    return commands.TakeCard(seat, slot)


def _discard_bad_celebration(state: State, seat: int) -> commands.Command | None:
    """Return the play of a Patrician that discards a Scandal, or else a Disgrace (F31)."""
    if not may_play(state, seat, Card.PATRICIAN):
        return None
    for bad in (Card.SCANDAL, Card.DISGRACE):
        if state.players[seat].cards[bad]:
            return commands.PlayPersonnel(seat, Card.PATRICIAN, discard=bad)
    return None


def _best_slot(state: State, outlook: Outlook, *, free: bool) -> tuple[float, int]:
    """Return the value of the best card to take, and the slot of that card (F14).

    The bricks and the price of a card count by the builds that they allow.
    """
    best_value = float("-inf")
    best_slot = 0
    owned = sum(state.players[outlook.seat].storehouse)

    for slot, offer in enumerate(state.row):
        price = 0 if free else slot
        if price > owned:
            break

        storehouse = _after_taking(state, outlook.seat, slot, price)
        value = turn_value(state, outlook, storehouse)
        value += card_value(state, outlook.seat, offer.card, outlook.weights)
        if value > best_value:
            best_value = value
            best_slot = slot
    return best_value, best_slot


def _after_taking(state: State, seat: int, slot: int, price: int) -> list[int]:
    """Return the seat's storehouse after a card is paid for and its bricks are taken."""
    player = state.players[seat]
    storehouse = add_bricks(player.storehouse, state.row[slot].bricks)
    for colour in automatic(price, player.storehouse, built_colours(player)):
        storehouse[colour] -= 1
    return storehouse


# ---- build -----------------------------------------------------------------------------------


def _build(state: State, seat: int, weights: Weights) -> commands.Command:
    """Play a Mason or swap a brick if that helps enough, else build by the plan."""
    player = state.players[seat]
    outlook = look(state, seat, weights)
    saved = discount(state, seat)
    value, pieces = plan(outlook, player.towers, player.storehouse, saved)

    if _mason_helps(state, outlook, value):
        return commands.PlayPersonnel(seat, Card.MASON)

    swap = best_swap(state, outlook, value)
    if swap is not None:
        return swap
    return commands.Build(seat, _lay(pieces, player.storehouse[:]))


def plans_by_bricks(state: State, seat: int, weights: Weights) -> list[commands.Build]:
    """Return the best build for each number of bricks that can be laid and paid for (F19)."""
    player = state.players[seat]
    plans = best_plans(look(state, seat, weights), player.towers, player.storehouse)
    payable = plans[: most_laid(state, seat) + 1]

    builds = []
    for best_plan in payable:
        if best_plan is not None:
            _value, pieces = best_plan
            builds.append(commands.Build(seat, _lay(pieces, player.storehouse[:])))
    return builds


def _mason_helps(state: State, outlook: Outlook, value: float) -> bool:
    """Return True if a Mason may be played and is worth it (F29).

    value: value of the turn without a Mason.
    """
    if not may_play(state, outlook.seat, Card.MASON):
        return False
    storehouse = state.players[outlook.seat].storehouse
    cheaper = turn_value(state, outlook, storehouse, MASON_DISCOUNT)
    return cheaper - value > outlook.weights.gains.mason


def _lay(pieces: list[Piece], store: list[int]) -> tuple[commands.Lay, ...]:
    """Return the entries of a build for the pieces of a plan. store: bricks, changed in place."""
    entries = []
    for number, colour, bricks in pieces:
        laid = min(bricks, store[colour])
        store[colour] -= laid
        if laid:
            tower = None if number == NEW else number
            entries.append(commands.Lay(COLOURS[colour], laid, tower))
    return tuple(entries)


# ---- events ----------------------------------------------------------------------------------


def _answer(state: State, seat: int, weights: Weights) -> commands.Command:
    """Spend the Patrician on a harmful event (F31)."""
    assert state.taken is not None
    feared = harm(state, seat, state.taken, weights)
    return commands.AnswerEvent(seat, feared > weights.gains.patrician)


def _resolve(state: State, seat: int, weights: Weights) -> commands.Command:
    """Lose the tower of the least worth. Let F25 choose bricks for a Storehouse Fire (F32)."""
    if state.taken is Card.STOREHOUSE_FIRE:
        return commands.ResolveEvent(seat)

    outlook = look(state, seat, weights)
    player = state.players[seat]

    def promise(tower: Tower) -> float:
        supply = player.storehouse[tower.colour]
        return outlook.tower(tower.colour, tower.height, supply)

    least = min(player.towers, key=promise)
    return commands.ResolveEvent(seat, tower=least.id)


def _discard(_state: State, seat: int, _weights: Weights) -> commands.Command:
    """Let F25 choose the bricks (F34)."""
    return commands.Discard(seat)


# ---- when building is over: deliver, play a card for a tower, end the turn -----------------------


SABOTAGE_HEIGHT = 4  # a lower tower is not worth the Saboteur


def fulfil(state: State, seat: int, weights: Weights) -> commands.Command:
    """Deliver a tower if it is worth more now than later.

    Otherwise play the Architect or a Saboteur if that helps, or end the turn.
    """
    outlook = look(state, seat, weights)
    return (
        _deliver(state, outlook)
        or _hire(state, outlook)
        or _sabotage(state, seat)
        or _end_turn(state, seat, weights)
    )


def _deliver(state: State, outlook: Outlook) -> commands.Command | None:
    """Return the delivery that gains most over waiting. None: waiting is better for every tower."""
    player = state.players[outlook.seat]
    best_gain = 0.0
    best: commands.Command | None = None

    for move in fulfilments(state, outlook.seat):
        tower = find_tower(player, move.tower)
        assert tower is not None
        value = _delivery_value(state, move, outlook.weights)
        gain = value + outlook.weights.delivering - _waiting_value(state, outlook, tower)

        if gain > best_gain:
            best_gain = gain
            best = move
    return best


def _delivery_value(state: State, move: commands.Fulfil, weights: Weights) -> float:
    if move.campanile:
        return weights.bell
    assert move.colour is not None
    assert move.height is not None
    return worth(state, move.seat, move.colour, move.height, weights)


def _waiting_value(state: State, outlook: Outlook, tower: Tower) -> float:
    """Return the expected worth of a tower in later turns."""
    supply = state.players[outlook.seat].storehouse[tower.colour]
    return outlook.later(tower.colour, tower.height, supply)


def _hire(state: State, outlook: Outlook) -> commands.Command | None:
    """Play the Architect for a tower one level off, if that brings more than waiting (F28)."""
    seat = outlook.seat
    if outlook.owes or not may_play(state, seat, Card.ARCHITECT):
        return None

    for tower in state.players[seat].towers:
        open_heights = outlook.open[tower.colour]
        later = _waiting_value(state, outlook, tower)
        for by in (1, -1):
            now = open_heights.get(tower.height + by, 0.0) - outlook.weights.architect
            if now > later:
                return commands.PlayPersonnel(
                    seat,
                    Card.ARCHITECT,
                    tower=tower.id,
                    by=by,
                )
    return None


def _sabotage(state: State, seat: int) -> commands.Command | None:
    """Take a brick off the tallest tower of a rival, if it is high (F30)."""
    if not may_play(state, seat, Card.SABOTEUR):
        return None

    towers = [
        (tower.height, rival, tower.id)
        for rival in rivals(state, seat)
        for tower in state.players[rival].towers
    ]
    height, target, number = max(towers, default=(0, 0, 0))

    if height < SABOTAGE_HEIGHT:
        return None
    return commands.PlayPersonnel(
        seat,
        Card.SABOTEUR,
        target=target,
        tower=number,
    )


def _end_turn(state: State, seat: int, weights: Weights) -> commands.Command:
    """End the turn, and discard the cards of the least worth if cards must go (F24)."""
    player = state.players[seat]

    def lost_value(move: commands.EndTurn) -> float:
        return sum(keep_value(player, card, weights) for card in move.cards or ())

    return min(endings(state, seat), key=lost_value)


# ---- a brick of another colour: exchange, Alchemist, Smuggler (F18, F27, F30) --------------------


@dataclass(frozen=True, slots=True)
class _Offer:
    """A way to get one brick of a colour.

    price: in bricks.   gain: the least gain that is worth the move.
    """

    move: commands.Command
    take: Colour
    price: int
    gain: float

    def given(self, player: Player) -> Bricks:
        """Return the bricks to give, chosen by F25: fewer than the price if there are too few.

        An exchange may give bricks of the colour taken (F18), a card may not (F26).
        """
        pool = player.storehouse[:]
        if not isinstance(self.move, commands.Exchange):
            pool[self.take] = 0
        return automatic(self.price, pool, built_colours(player))


def best_swap(state: State, outlook: Outlook, value: float) -> commands.Command | None:
    """Return the best swap, None if none helps enough. value: of the turn without a swap."""
    player = state.players[outlook.seat]
    best_value = value
    best: commands.Command | None = None

    for offer in _offers(state, outlook.seat, outlook.weights.gains):
        payment = offer.given(player)
        if len(payment) < offer.price:
            continue

        storehouse = player.storehouse[:]
        for colour in payment:
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
    """Yield one exchange for each colour in the row, with the last slot that has it."""
    price = exchange_price(state.players[seat])
    by_colour = {move.take: move for move in exchanges(state, seat)}
    for colour, move in by_colour.items():
        yield _Offer(move, colour, price, gain)


def _alchemist_offers(state: State, seat: int, gain: float) -> Iterator[_Offer]:
    """Yield a swap for each colour in the pouch."""
    for colour in COLOURS:
        if state.pouch[colour]:
            move = commands.PlayPersonnel(seat, Card.ALCHEMIST, take=colour)
            yield _Offer(move, colour, 1, gain)


def _smuggler_offers(state: State, seat: int, gain: float) -> Iterator[_Offer]:
    """Yield a swap for each colour, with the rival richest in it."""
    for colour in COLOURS:
        target = _richest(state, rivals(state, seat), colour)
        if state.players[target].storehouse[colour]:
            move = commands.PlayPersonnel(seat, Card.SMUGGLER, target=target, take=colour)
            yield _Offer(move, colour, 1, gain)


def _richest(state: State, seats: list[int], colour: Colour) -> int:
    """Return the seat with most bricks of a colour in store, the first among equals."""
    return max(seats, key=lambda seat: state.players[seat].storehouse[colour])


# ---- by step -------------------------------------------------------------------------------------


_ADVICE: dict[Step, Callable[[State, int, Weights], commands.Command]] = {
    Step.CHOOSE: _choose,
    Step.BUILD: _build,
    Step.FULFIL: fulfil,
    Step.ANSWER: _answer,
    Step.RESOLVE: _resolve,
    Step.DISCARD: _discard,
}
