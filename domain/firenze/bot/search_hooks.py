"""The search hooks of Firenze.

The greedy bot with the tuned weights proposes the favourite, and plays all seats in rollouts. At
the end of a rollout the expected points count.
"""

from collections.abc import Callable, Sequence

from domain.chance import Chance
from domain.firenze.agenda import Step
from domain.firenze.bot.greedy import advise, plans_by_bricks
from domain.firenze.bot.valuation import Outlook, future, look
from domain.firenze.bot.weights import BY_HAND, TUNED
from domain.firenze.commands import Command
from domain.firenze.components import (
    BUILDINGS,
    CARD_LIMIT,
    CELEBRATION_POINTS,
    COLOURS,
    PERSONNEL,
    SEATS,
    STOREHOUSE_LIMIT,
    Card,
    commissions_of,
    is_small,
)
from domain.firenze.fulfil import sealed_by
from domain.firenze.moves import endings, fulfilments, legal_moves, takes
from domain.firenze.state import Player, State
from domain.game import RolloutPolicy, SearchHooks
from domain.kit import read_table

# ---- features: what a seat owns and may still do, as numbers -------------------------------------

# The worth of towers is measured by the weights set by hand, and the expected points are fitted to
# that. So changed weights need a new fit.


_KEPT = (*PERSONNEL, *BUILDINGS)  # these cards count in proportion to the match ahead

NAMES = (
    "towers",
    "best tower",
    "hoarded bricks",
    *[f"{colour.wire} bricks" for colour in COLOURS],
    "bricks above the limit",
    *[card.wire for card in _KEPT],
    "cards at the limit",
    "seals",
    "seals squared",
    "fewest seals of the others",
    "these squared",
    "turns to wait",
    "last turns",
    "majorities",
    "majorities late",
    "shared majorities",
    "recognised commissions",
    "best open commissions",
    "owes the bell tower",
)
"""The names of the numbers of `features`, in their order."""


def sure_points(player: Player) -> float:
    """Return the seat's points, with those of its Celebration cards but Recognition (F39)."""
    celebrations = [points * player.cards[card] for card, points in CELEBRATION_POINTS.items()]
    return float(player.points + sum(celebrations))


def features(state: State, seat: int) -> list[float]:
    """Return the features of a seat at the beginning of a turn, in the order of NAMES."""
    player = state.players[seat]
    outlook = look(state, seat, BY_HAND)
    ahead = future(state)
    fewest = min(other.seals for number, other in enumerate(state.players) if number != seat)
    led, shared = _majorities(state, seat)
    counts = [player.cards[card] for card in _KEPT]

    return [
        *_towers(player, outlook),
        *player.storehouse,
        max(0, sum(player.storehouse) - STOREHOUSE_LIMIT),
        *[count * ahead for count in counts],
        max(0, sum(counts) - CARD_LIMIT + 1),
        player.seals,
        player.seals**2,
        fewest,
        fewest**2,
        (seat - state.active) % len(state.players),
        1.0 if outlook.last_turn else 0.0,
        led,
        led * (1 - ahead),
        shared,
        _recognised(state, seat, ahead),
        _best_open(player, outlook),
        1.0 if outlook.owes else 0.0,
    ]


def _towers(player: Player, outlook: Outlook) -> tuple[float, float, float]:
    """Return the worth of all towers, of the best one, and of bricks in colours without a tower."""
    supply = player.storehouse
    towers = [
        outlook.tower(tower.colour, tower.height, supply[tower.colour]) for tower in player.towers
    ]
    built = {tower.colour for tower in player.towers}
    hoards = [outlook.hoard(colour, supply[colour]) for colour in COLOURS if colour not in built]
    return sum(towers), max(towers, default=0.0), sum(hoards)


def _majorities(state: State, seat: int) -> tuple[float, float]:
    """Return two sums of bonuses: of colours with the lead alone, and with a shared lead (F41)."""
    led = 0.0
    shared = 0.0
    for colour, bonus in enumerate(state.board.majority):
        owners = state.seals[commissions_of(colour)]
        counts = [owners.count(owner) for owner in range(len(state.players))]
        own = counts.pop(seat)
        most = max(counts)
        if own > most:
            led += bonus
        elif own and own == most:
            shared += bonus
    return led, shared


def _recognised(state: State, seat: int, ahead: float) -> float:
    """Return the points by Recognition, with those expected from later commissions (F39)."""
    copies = state.players[seat].cards[Card.RECOGNITION]
    if not copies:
        return 0.0
    small = sum(is_small(commission) for commission in sealed_by(state, seat))
    return copies * (small + BY_HAND.expected_small * ahead)


def _best_open(player: Player, outlook: Outlook) -> float:
    """Return the summed worth of the best open commissions, one for each seal that is left."""
    worths: Sequence[float] = [worth for heights in outlook.open for worth in heights.values()]
    return sum(sorted(worths, reverse=True)[: player.seals])


# ---- expected points at the end: a weighted sum of features --------------------------------------

# The weights are fitted on matches of bots, for each number of seats (docs/explanation/bots.md).


_LEAST_DOUBT = 5.0  # points, when a seat has used its last seal
_DOUBT_A_SEAL = 0.6  # points more for each seal of the seat with the fewest, up to _MOST_SEALS
_MOST_SEALS = 4


def expected_points(state: State) -> list[float]:
    """Return each seat's expected points at the end of the match, at the beginning of a turn."""
    seats = range(len(state.players))
    weights = _WEIGHTS[len(state.players)]
    return [_expected(state, seat, weights) for seat in seats]


def _expected(state: State, seat: int, weights: list[float]) -> float:
    weighed = zip(weights, features(state, seat), strict=True)
    to_come = sum([weight * feature for weight, feature in weighed])
    return sure_points(state.players[seat]) + to_come


def doubt(state: State) -> float:
    """Return the doubt of the expected points, in points. It shrinks towards the end."""
    fewest = min([player.seals for player in state.players])
    return _LEAST_DOUBT + _DOUBT_A_SEAL * min(fewest, _MOST_SEALS)


def _read_weights() -> dict[int, list[float]]:
    """Return the weights by number of seats, in the order of NAMES."""
    rows = read_table(__package__, "expected_points.json")
    columns = zip(*[rows[name] for name in NAMES], strict=True)
    return {seats: list(column) for seats, column in zip(SEATS, columns, strict=True)}


_WEIGHTS = _read_weights()


# ---- the hooks -----------------------------------------------------------------------------------


def _candidates(state: State, seat: int, chance: Chance) -> Sequence[Command]:
    """Return the greedy move first, then other moves of the step."""
    advised = _greedy(state, seat, chance)
    step = state.agenda[-1].step
    others = _OTHERS[step](state, seat) if step in _OTHERS else []
    return [advised, *[move for move in others if move != advised]]


def _deliveries(state: State, seat: int) -> Sequence[Command]:
    """Return all deliveries, and the end of the turn if it can end in one way only."""
    ends = endings(state, seat)
    only_end = ends if len(ends) == 1 else []
    return [*fulfilments(state, seat), *only_end]


def _builds(state: State, seat: int) -> Sequence[Command]:
    return plans_by_bricks(state, seat, TUNED)


# By step, the moves to compare with the greedy one. Plays of Personnel and choices of cards to
# discard are not compared, since they are many. The greedy bot alone proposes these.
_OTHERS: dict[Step, Callable[[State, int], Sequence[Command]]] = {
    Step.CHOOSE: takes,
    Step.BUILD: _builds,
    Step.FULFIL: _deliveries,
    Step.ANSWER: legal_moves,
    Step.RESOLVE: legal_moves,
}


def _rollout_policy(_state: State) -> RolloutPolicy[State]:
    """Return the policy of all seats: the greedy move, since it is quick."""
    return _greedy


def _greedy(state: State, seat: int, chance: Chance) -> Command:
    return advise(state, seat, chance, TUNED)


def _turn_begins(state: State) -> bool:
    return state.agenda[-1].step is Step.CHOOSE and not state.played


def _turns_ahead(state: State) -> int:
    """Return a round and one turn more: in its next turn the seat builds with the taken bricks."""
    return len(state.players) + 1


SEARCH_HOOKS = SearchHooks(
    candidates=_candidates,
    rollout_policy=_rollout_policy,
    careful=_greedy,
    turn_begins=_turn_begins,
    turns_ahead=_turns_ahead,
    expected_points=expected_points,
    doubt=doubt,
)
