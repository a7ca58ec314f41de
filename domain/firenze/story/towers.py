"""Towers built, torn down and delivered; what leaves a player at the end of a turn; in English."""

from collections import Counter
from collections.abc import Sequence

from domain.firenze.board import NUMERALS
from domain.firenze.cards import CAMPANILE, MASON, PATRICIAN, PRIVILEGES, WAREHOUSE, WORKSHOP, Card
from domain.firenze.components import (
    BUILDING_COSTS,
    CARD_LIMIT,
    STOREHOUSE_LIMIT,
    WAREHOUSE_LIMIT,
    commission_index,
)
from domain.firenze.events import (
    BellTowerDelivered,
    BricksDiscarded,
    Built,
    CardDiscarded,
    ChurchClosed,
    CommissionFulfilled,
    EndTileTaken,
    Laid,
    TowerTornDown,
)
from domain.firenze.state import State, find_tower
from domain.firenze.story.words import (
    Teller,
    bricks_in_words,
    card_name,
    commission_name,
    levels,
    the_card,
    with_points,
)
from domain.kit.wording import listed, upper_first
from domain.story import Sentence

# ---- building --------------------------------------------------------------------------------


def _built(state: State, event: Built, names: Sequence[str]) -> Sentence:
    name = names[event.seat]
    if not event.laid:
        return Sentence(f"{name} builds nothing.")

    built = f"{name} {listed(_laid(state, event))}"
    price = BUILDING_COSTS[sum(laid.bricks for laid in event.laid)]
    if not price:
        return Sentence(f"{built}.")

    helpers = _helpers(state, event.seat) if len(event.payment) < price else []
    thanks = f", thanks to {listed(helpers)}" if helpers else ""
    paid = bricks_in_words(event.payment) if event.payment else "nothing"
    return Sentence(f"{built}, paying {paid}{thanks}.", ("F19",))


def _laid(state: State, event: Built) -> list[str]:
    """Return what is done to each tower, with the height that it reaches."""
    bricks: Counter[int] = Counter()
    first_pieces: dict[int, Laid] = {}
    for laid in event.laid:
        bricks[laid.tower] += laid.bricks
        first_pieces.setdefault(laid.tower, laid)

    player = state.players[event.seat]
    done = []
    for number, piece in first_pieces.items():
        colour = piece.colour.wire
        standing = find_tower(player, number)
        if standing is None:
            done.append(f"begins a {colour} tower of {levels(bricks[number])}")
        else:
            height = standing.height + bricks[number]
            done.append(f"raises the {colour} tower from {standing.height} to {levels(height)}")
    return done


def _helpers(state: State, seat: int) -> list[str]:
    """Return what makes building cheaper for the seat this turn (F19)."""
    helpers = []
    if state.players[seat].cards[WORKSHOP]:
        helpers.append(the_card(WORKSHOP))
    if MASON in state.played:
        helpers.append(the_card(MASON))
    return helpers


def _torn_down(state: State, event: TowerTornDown, names: Sequence[str]) -> Sentence:
    tower = f"{event.colour.wire} tower of {levels(event.lost + event.saved)}"
    saved = f"{event.saved} saved" if event.saved else "none saved"
    fate = f"is torn down, {event.lost} of its bricks lost and {saved}"
    name = names[event.seat]
    if state.taken is None:
        return Sentence(f"{name}'s {tower}, which was not raised, {fate}.", ("F20",))

    text = f"{name} cannot pay {the_card(state.taken)} for the {tower}, which {fate}."
    return Sentence(text, ("F33", "F20"))


# ---- commissions -----------------------------------------------------------------------------


def _fulfilled(state: State, event: CommissionFulfilled, names: Sequence[str]) -> Sentence:
    commission = commission_name(event.colour, event.height)
    text = f"{names[event.seat]} fulfils {commission}"
    rules = []

    number = commission_index(event.colour, event.height)
    if number in state.balconies:
        text += f" under balcony {NUMERALS[state.balconies.index(number)]}"
        rules.append("F22")
    if event.architect:
        text += f" with a tower of {event.bricks} and the Architect"
        rules.append("F28")

    gains = [with_points(event.points)]
    if event.level:
        gains.append(f"{event.level} as the first to reach {levels(event.height)}")
        rules.append("F23")
    if event.privilege:
        church_card, _ = PRIVILEGES[event.height]
        gains.append(f"{event.privilege} by {the_card(church_card)}")
        rules.append("F37")

    text += f" for {listed(gains)}"
    if len(gains) > 1:
        total = event.points + event.level + event.privilege
        text += f", {total} in all"
    return Sentence(f"{text}.", tuple(rules))


def _bell_tower(_state: State, event: BellTowerDelivered, names: Sequence[str]) -> Sentence:
    text = f"{names[event.seat]} delivers a bell tower of 3 white bricks to the Campanile."
    return Sentence(text, ("F38",))


def _church_closed(_state: State, event: ChurchClosed, _names: Sequence[str]) -> Sentence:
    if event.card is CAMPANILE:
        text = "Everybody has delivered a bell tower: the Campanile is discarded."
        return Sentence(text, ("F38",))
    return Sentence(f"{upper_first(the_card(event.card))} is used up and discarded.", ("F37",))


def _end_tile(_state: State, event: EndTileTaken, names: Sequence[str]) -> Sentence:
    tile = f"takes the end tile for {with_points(event.points)}"
    text = f"{names[event.seat]} is the first to place their last seal, and {tile}."
    return Sentence(text, ("F40",))


# ---- limits and losses -----------------------------------------------------------------------


def _bricks_discarded(state: State, event: BricksDiscarded, names: Sequence[str]) -> Sentence:
    name = names[event.seat]
    bricks = bricks_in_words(event.bricks)
    if state.taken is Card.STOREHOUSE_FIRE:
        return Sentence(f"The Storehouse Fire burns {bricks} of {name}'s.", ("F32",))

    has_warehouse = state.players[event.seat].cards[WAREHOUSE] > 0
    limit = WAREHOUSE_LIMIT if has_warehouse else STOREHOUSE_LIMIT
    return Sentence(f"{name} may keep {limit} bricks and gives up {bricks}.", ("F24",))


def _card_discarded(state: State, event: CardDiscarded, names: Sequence[str]) -> Sentence:
    """A Patrician takes a card of the hand, or the limit does."""
    discarded = f"{names[event.seat]} discards {the_card(event.card)}"
    if state.at_work is PATRICIAN:
        return Sentence(f"{discarded} by the {card_name(PATRICIAN)}.", ("F31",))
    return Sentence(f"{discarded}, for the limit is {CARD_LIMIT} cards.", ("F24",))


TELLERS: dict[type, Teller] = {
    Built: _built,
    TowerTornDown: _torn_down,
    CommissionFulfilled: _fulfilled,
    BellTowerDelivered: _bell_tower,
    ChurchClosed: _church_closed,
    EndTileTaken: _end_tile,
    BricksDiscarded: _bricks_discarded,
    CardDiscarded: _card_discarded,
}
