"""The valuation of the greedy bot, in points: commissions, towers, bricks in store."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from domain.firenze.bot.weights import PACE, Luck, Weights
from domain.firenze.build import NEEDED, discount
from domain.firenze.components import (
    BELL_TOWER_HEIGHT,
    CELEBRATION_POINTS,
    COLOURS,
    KIND_OF,
    LAST_SEAL_POINTS,
    LOWEST,
    MOST_LAID,
    WHITE,
    Card,
    Kind,
    commission_index,
    commissions_of,
    is_small,
)
from domain.firenze.event_cards import FIRE_BRICKS, FOR_ALL, due_from
from domain.firenze.fulfil import (
    level_points,
    open_heights,
    owes_bell_tower,
    privilege_points,
    sealed_by,
)
from domain.firenze.state import Player, State, Tower

LEAST_HOARD = 2  # fewer bricks of a colour without a tower have no expected worth
CHEAP_SLOTS = 4  # the leftmost slots. Their bricks count for `_luck`
BELL_TOWER_BRICKS = 2 * PACE  # all other towers wait two turns for the bell tower


def worth(state: State, seat: int, colour: int, height: int, weights: Weights) -> float:
    """Return the gain of fulfilling this open commission now (F21-F23, F37, F39-F41)."""
    points = _points(state, seat, colour, height)
    return points + _seal(state, seat, weights) + _majority_share(state, seat, colour, weights)


def _points(state: State, seat: int, colour: int, height: int) -> int:
    """Return the points of a commission: at once, and for Recognition in the end."""
    player = state.players[seat]
    points = (
        state.worth[commission_index(colour, height)]
        + level_points(state, height)
        + privilege_points(state, height)
    )
    if player.seals == 1 and state.end_seat < 0:
        points += LAST_SEAL_POINTS
    if height <= LOWEST + 1:
        points += player.cards[Card.RECOGNITION]
    return points


def _seal(state: State, seat: int, weights: Weights) -> float:
    """Return the worth of placing a seal, beside its points."""
    unused = min(state.players[seat].seals, len(weights.seals))
    return weights.seals[unused - 1]


def _majority_share(state: State, seat: int, colour: int, weights: Weights) -> float:
    """Return the worth of one more seal for the majority of a colour (F41).

    The worth is small if the seat is more than one seal behind.
    """
    owners = state.seals[commissions_of(colour)]
    counts = [owners.count(other) for other in range(len(state.players))]
    contest = 1.0 if max(counts) - counts[seat] <= 1 else weights.far_behind
    return weights.majority * state.board.majority[colour] * contest


@dataclass(slots=True)
class Outlook:
    """The prospects of one seat, computed once per decision.

    open: by colour, the worth of each open height.
    luck: by colour, the chance that a turn brings a brick of it.
    owes: True if the bell tower comes first (F38).
    last_turn: True if the end tile is taken.
    architect: True if the seat may still play one this turn.
    known_gains: cached results of `_gains`. The same sites come up for every card of the row.
    """

    seat: int
    weights: Weights
    open: list[dict[int, float]]
    luck: list[float]
    owes: bool
    last_turn: bool
    architect: bool
    known_gains: dict[tuple[int, int, int, int], list[float]] = field(default_factory=dict)

    def tower(self, colour: int, height: int, supply: int) -> float:
        """Return the worth of a tower of this height after the build.

        supply: the number of bricks of its colour left in store.
        """
        return max(self.now(colour, height), self.later(colour, height, supply))

    def now(self, colour: int, height: int) -> float:
        """Return the gain of delivering the tower this turn, 0 if it fits nothing."""
        if self.owes:
            delivered = colour == WHITE and height == BELL_TOWER_HEIGHT
            return self.weights.bell if delivered else 0.0

        heights = self.open[colour]
        value = heights.get(height, 0.0)
        if self.architect:
            higher = heights.get(height + 1, 0.0) - self.weights.architect
            lower = heights.get(height - 1, 0.0) - self.weights.architect
            value = max(value, higher, lower)
        return value

    def later(self, colour: int, height: int, supply: int) -> float:
        """Return the expected worth of the tower in later turns, by the best higher commission.

        Waiting and missing bricks reduce this worth. Without a brick in store the tower also needs
        luck to be raised next turn, or it is lost (F20).
        """
        if self.last_turn:
            return 0.0

        weights = self.weights
        luck = self.luck[colour]
        best = 0.0
        for goal, value in self.open[colour].items():
            needed = goal - height
            if needed > 0:
                missing = max(0, needed - supply)
                promise = value * weights.waiting[needed] * luck**missing
                best = max(best, promise)

        if self.owes:
            bell = weights.bell if colour == WHITE and height < BELL_TOWER_HEIGHT else 0.0
            best = max(best * weights.waiting[BELL_TOWER_BRICKS], bell)
        return weights.faith * (best if supply else best * luck)

    def hoard(self, colour: int, supply: int) -> float:
        """Return the expected worth of bricks of a colour without a tower."""
        if supply < LEAST_HOARD:
            return 0.0
        return self.weights.hoard * self.later(colour, 0, supply)


def look(state: State, seat: int, weights: Weights) -> Outlook:
    """Compute the outlook of a seat."""
    open_worth = [_open_worth(state, seat, colour, weights) for colour in COLOURS]
    return Outlook(
        seat=seat,
        weights=weights,
        open=open_worth,
        luck=_luck(state, weights.luck),
        owes=owes_bell_tower(state, seat),
        last_turn=state.end_seat >= 0,
        architect=_may_hire(state, seat),
    )


def _may_hire(state: State, seat: int) -> bool:
    """Return True if the seat holds an Architect and has played none this turn (F28)."""
    architects = state.players[seat].cards[Card.ARCHITECT]
    return architects > 0 and Card.ARCHITECT not in state.played


def _open_worth(state: State, seat: int, colour: int, weights: Weights) -> dict[int, float]:
    """Return the worth of each open height of a colour. {} if the seat has no seal left (F21)."""
    if not state.players[seat].seals:
        return {}
    heights = open_heights(state, colour)
    if not heights:
        return {}
    seal = _seal(state, seat, weights)
    share = _majority_share(state, seat, colour, weights)
    return {height: _points(state, seat, colour, height) + seal + share for height in heights}


def _luck(state: State, by: Luck) -> list[float]:
    """Return by colour the rough chance that a turn brings a brick of it.

    The chance grows with the bricks in the best of the cheap slots, and with the share in the
    pouch.
    """
    in_pouch = max(1, sum(state.pouch))
    cheap = state.row[:CHEAP_SLOTS]

    lucks = []
    for colour in COLOURS:
        offered = max((slot.bricks[colour] for slot in cheap), default=0)
        share = state.pouch[colour] / in_pouch
        luck = by.least + by.a_brick * offered + by.pouch * share
        lucks.append(min(by.most, luck))
    return lucks


# ---- cards ---------------------------------------------------------------------------------------


LATE_SEALS = 4  # `future` falls below 1 once a player has fewer unused seals


def card_value(state: State, seat: int, card: Card, weights: Weights) -> float:
    """Return the worth of taking the card, beside its bricks."""
    cards = state.players[seat].cards
    kind = KIND_OF[card]
    if kind is Kind.EVENT:
        protection = weights.brick if cards[Card.PATRICIAN] else 0
        return -harm(state, seat, card, weights) + protection

    if kind is Kind.PERSONNEL:
        spare = cards[card] > 1
        return 0.0 if spare else weights.cards[card]

    if kind is Kind.BUILDING:
        spare = cards[card] > 0
        return 0.0 if spare else weights.cards[card] * future(state)

    if kind is Kind.CHURCH:
        binds = card is Card.CAMPANILE and not owes_bell_tower(state, seat)
        return -weights.campanile if binds else 0.0
    return _celebration_value(state, seat, card, weights.expected_small)


def _celebration_value(state: State, seat: int, card: Card, expected_small: float) -> float:
    """Return the expected points of a Celebration at the end (F36, F39).

    expected_small: as in `Weights`.
    """
    if card is Card.MONUMENT:
        return _monument(state, seat)
    if card is Card.RECOGNITION:
        small = sum(is_small(commission) for commission in sealed_by(state, seat))
        return small + expected_small * future(state)
    return float(CELEBRATION_POINTS[card])


def future(state: State) -> float:
    """Return the share of the match ahead, 1 to 0, by the fewest unused seals of a player."""
    fewest = min(player.seals for player in state.players)
    return min(1.0, fewest / LATE_SEALS)


def _monument(state: State, seat: int) -> float:
    """Return the worth for the seat of giving the Monument to the tallest tower (F36)."""
    heights = [player.tallest for player in state.players]
    tallest = max(heights)
    if heights.count(tallest) > 1:
        return 0.0

    points = float(CELEBRATION_POINTS[Card.MONUMENT])
    if heights[seat] == tallest:
        return points
    others = len(heights) - 1
    return -points / others


def harm(state: State, seat: int, card: Card, weights: Weights) -> float:
    """Return the cost of an event for the seat (F32, F33).

    For an event for all, the mean cost for the others is subtracted.
    """
    if card in FOR_ALL:
        seats = range(len(state.players))
        losses = [_loss(state, other, card, weights) for other in seats]
        own = losses.pop(seat)
        return own - sum(losses) / len(losses)

    player = state.players[seat]
    if card is Card.STOREHOUSE_FIRE:
        burnt = min(FIRE_BRICKS, sum(player.storehouse))
        return weights.brick * burnt

    if card is Card.RENAISSANCE or not player.towers:
        return 0.0
    if card is Card.BOTCH:
        return weights.level
    return weights.level * min(tower.height for tower in player.towers)


def _loss(state: State, seat: int, card: Card, weights: Weights) -> float:
    """Return the cost of an event for all for one seat: bricks, and levels of lost towers."""
    due = due_from(state, seat, card)
    towers = state.players[seat].towers
    levels = sum(tower.height for tower in towers if tower.id in due.lost)
    return weights.brick * due.bricks + weights.level * levels


def keep_value(player: Player, card: Card, weights: Weights) -> float:
    """Return the worth of a Personnel or Building card if cards must go (F24)."""
    if KIND_OF[card] is Kind.BUILDING:
        return weights.cards[card]
    return weights.cards[card] / player.cards[card]


# ---- the best building of a turn, by the position after it (F19, F20) ----------------------------


NEW = -1  # stands for a tower that is still to be begun

# Bricks laid onto a tower: the number of the tower or NEW, its colour, the number of bricks. A
# plain tuple is quick to make.
Piece = tuple[int, int, int]

# By number of bricks laid: the best value so far, and the pieces for it. None: impossible so far.
Plans = list[tuple[float, list[Piece]] | None]


class Site(NamedTuple):
    """A place for bricks: a standing tower, or a new one of height 0. most: limit of bricks."""

    number: int
    colour: int
    height: int
    most: int


def plan(
    outlook: Outlook, towers: Sequence[Tower], storehouse: Sequence[int], saved: int
) -> tuple[float, list[Piece]]:
    """Return the value of the position after the best build of a turn, and its pieces.

    A knapsack over the sites: each has a gain by number of bricks, and at most six are laid in all.
    saved: the discount on the price (F19).
    """
    bricks = sum(storehouse)
    plans = best_plans(outlook, towers, storehouse)
    brick = outlook.weights.brick
    value, pieces = _best_payable(plans, NEEDED[saved], bricks, brick)
    return value + brick * bricks, pieces


def best_plans(outlook: Outlook, towers: Sequence[Tower], storehouse: Sequence[int]) -> Plans:
    """Return the best plan for each number of bricks laid, 0 to 6, without regard to the price."""
    plans: Plans = [(0.0, []), *[None] * MOST_LAID]
    for site in _sites(towers, storehouse):
        gains = _gains(outlook, site, storehouse[site.colour])
        plans = _extend(plans, site, gains)
    return plans


def _best_payable(
    plans: Plans, prices: Sequence[int], bricks: int, brick: float
) -> tuple[float, list[Piece]]:
    """Return the value and the pieces of the best plan that can be paid for.

    The bricks that a plan takes are counted off its value.
    prices: bricks to lay and to pay, by number of bricks laid. brick: worth of a brick.
    """
    best_value = float("-inf")
    best_pieces: list[Piece] = []
    for entry, needed in zip(plans, prices, strict=True):
        if entry is None or needed > bricks:
            continue

        value = entry[0] - brick * needed
        if value > best_value:
            best_value = value
            best_pieces = entry[1]
    return best_value, best_pieces


def turn_value(
    state: State, outlook: Outlook, storehouse: Sequence[int], extra_discount: int = 0
) -> float:
    """Return the value of the position after the best build of this turn with a storehouse."""
    saved = discount(state, outlook.seat) + extra_discount
    value, _ = plan(outlook, state.players[outlook.seat].towers, storehouse, saved)
    return value


def _sites(towers: Sequence[Tower], storehouse: Sequence[int]) -> list[Site]:
    """Return each tower, and a new one for each colour in store without a tower."""
    built = [tower.colour for tower in towers]
    sites: list[Site] = []

    for tower in towers:
        colour = tower.colour
        # Leave a brick for each other tower of the colour.
        others = built.count(colour) - 1
        spare = max(0, storehouse[colour] - others)
        most = min(MOST_LAID, spare)
        sites.append(Site(tower.id, colour, tower.height, most))

    for colour in COLOURS:
        supply = storehouse[colour]
        if not supply or colour in built:
            continue

        most = min(MOST_LAID, supply)
        sites.append(Site(NEW, colour, 0, most))
    return sites


def _gains(outlook: Outlook, site: Site, supply: int) -> list[float]:
    """Return the worth of the site by number of bricks laid, from 0.

    With 0 a tower is torn down, and half its bricks are saved (F20).
    """
    key = (site.colour, site.height, site.most, supply)
    cached = outlook.known_gains.get(key)
    if cached is not None:
        return cached

    saved = site.height // 2
    left_alone = outlook.hoard(site.colour, supply) + outlook.weights.brick * saved
    raised = [
        outlook.tower(site.colour, site.height + laid, supply - laid)
        for laid in range(1, site.most + 1)
    ]
    gains = [left_alone, *raised]
    outlook.known_gains[key] = gains
    return gains


def _extend(plans: Plans, site: Site, gains: list[float]) -> Plans:
    """Return the best plans with this site as well.

    This is the innermost loop of the greedy bot, so it copies pieces only for better plans.
    """
    extended: Plans = [None] * len(plans)
    for already, entry in enumerate(plans):
        if entry is None:
            continue
        value, pieces = entry
        room = len(plans) - already

        for laid, gain in enumerate(gains[:room]):
            total = already + laid
            other = extended[total]
            if other is not None and value + gain <= other[0]:
                continue

            more = pieces
            if laid:
                more = [*pieces, (site.number, site.colour, laid)]
            extended[total] = (value + gain, more)
    return extended
