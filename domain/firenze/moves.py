"""What could I do: the legal moves, payments left out.

For `build` the listing is bounded: it holds the canonical builds, at most one new tower a colour, those that keep the
most towers first. Any other build within F19 is accepted all the same.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Any

from domain.firenze import commands as cmd
from domain.firenze.build import most_laid
from domain.firenze.components import BELL_TOWER, COLOURS, ROW, SEATS, WHITE, Card, Step
from domain.firenze.fulfil import reached
from domain.firenze.personnel import hand_cards, playable, rivals
from domain.firenze.play import card_price, exchange_price
from domain.firenze.state import State, Tower, card_surplus, discardable, is_open, owes_bell_tower
from domain.wire import HOUSE

Move = (
    cmd.SetUp
    | cmd.TakeCard
    | cmd.AnswerEvent
    | cmd.ResolveEvent
    | cmd.Discard
    | cmd.Exchange
    | cmd.Build
    | cmd.Fulfil
    | cmd.PlayPersonnel
    | cmd.EndTurn
    | cmd.Score
)

# Commands are immutable, and these few: each is made once, by seat (and slot).
TAKE = [[cmd.TakeCard(seat, slot) for slot in range(ROW)] for seat in SEATS]
_END = [cmd.EndTurn(seat) for seat in SEATS]

MOST_BUILDS = 120
MOST_DISCARDS = 120


def actors(state: State) -> tuple[int, ...]:
    """Return the seat whose task is next, the house, or nobody once the match is over (F43)."""
    return (state.agenda[-1].seat,) if state.agenda else ()


def legal_moves(state: State, seat: int) -> list[Move]:
    """Return the moves of a seat (or the house), none when it may not act."""
    if not state.agenda or state.agenda[-1].seat != seat:
        return []
    step = state.agenda[-1].step
    if seat == HOUSE:
        return [cmd.SetUp() if step is Step.SET_UP else cmd.Score()]
    if step is Step.ANSWER:
        return [cmd.AnswerEvent(seat, False), cmd.AnswerEvent(seat, True)]
    if step is Step.DISCARD:
        return [cmd.Discard(seat)]
    if step is Step.RESOLVE:
        return _resolutions(state, seat)
    return [*_TURN[step](state, seat), *personnel(state, seat)]


def _resolutions(state: State, seat: int) -> list[Move]:
    if state.taken is Card.STOREHOUSE_FIRE:
        return [cmd.ResolveEvent(seat)]
    return [cmd.ResolveEvent(seat, tower=tower.id) for tower in state.players[seat].towers]


def takes(state: State, seat: int) -> list[Move]:
    """Return the cards that can be paid for (F14)."""
    bricks = sum(state.players[seat].storehouse)
    return [TAKE[seat][slot] for slot in range(len(state.row)) if card_price(state, slot) <= bricks]


def _building(state: State, seat: int) -> list[Move]:
    return [*exchanges(state, seat), *builds(state, seat), *endings(state, seat)]


def exchanges(state: State, seat: int) -> list[Move]:
    """Return a move for each brick colour on each card of the row (F18)."""
    player = state.players[seat]
    if state.exchanged or sum(player.storehouse) < exchange_price(player):
        return []
    return [
        cmd.Exchange(seat, place, colour)
        for place, slot in enumerate(state.row)
        for colour in COLOURS
        if slot.bricks[colour]
    ]


def builds(state: State, seat: int) -> list[Move]:
    """Return canonical builds: those that keep the most towers first, among these the fewest bricks first (F19)."""
    player = state.players[seat]
    begun = [Tower(-1, colour, 0, False) for colour in COLOURS if player.storehouse[colour]]
    plans = (
        cmd.Build(seat, _lay(targets, plan))
        for targets, bricks in _targets(player.towers, begun, most_laid(state, seat))
        for plan in _spread(targets, player.storehouse[:], bricks)
    )
    listed: list[Move] = list(islice(plans, MOST_BUILDS))
    return listed if cmd.Build(seat) in listed else [*listed, cmd.Build(seat)]


def _targets(
    towers: list[Tower], begun: list[Tower], most: int
) -> Iterator[tuple[list[Tower], int]]:
    """Yield the towers to be raised or begun and how many bricks to lay: kept towers down, then bricks up."""
    for kept in range(min(len(towers), most), -1, -1):
        for bricks in range(kept, most + 1):
            for chosen in combinations(towers, kept):
                yield [*chosen, *begun], bricks


def _spread(targets: list[Tower], left: list[int], bricks: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to lay exactly so many bricks onto the towers, at least one onto each that stands."""
    if not targets:
        if not bricks:
            yield ()
        return
    if sum([left[colour] for colour in {tower.colour for tower in targets}]) < bricks:
        return
    first, rest = targets[0], targets[1:]
    for count in range(min(bricks, left[first.colour]), -1 if first.id < 0 else 0, -1):
        left[first.colour] -= count
        for others in _spread(rest, left, bricks - count):
            yield (count, *others)
        left[first.colour] += count


def _lay(targets: list[Tower], plan: tuple[int, ...]) -> tuple[cmd.Lay, ...]:
    return tuple(
        cmd.Lay(tower.colour, bricks, tower.id if tower.id >= 0 else None)
        for tower, bricks in zip(targets, plan, strict=True)
        if bricks
    )


def _fulfilling(state: State, seat: int) -> list[Move]:
    return [*fulfilments(state, seat), *endings(state, seat)]


def fulfilments(state: State, seat: int) -> list[Move]:
    """Return the commissions that the seat's towers fit (F21, F28, F38)."""
    player = state.players[seat]
    if owes_bell_tower(state, seat):
        return [
            cmd.Fulfil(seat, tower.id, campanile=True)
            for tower in player.towers
            if tower.colour is WHITE and tower.height == BELL_TOWER
        ]
    if not player.seals:
        return []
    return [
        cmd.Fulfil(seat, tower.id, tower.colour, height)
        for tower in player.towers
        for height in reached(state, tower)
        if is_open(state, tower.colour, height)
    ]


def endings(state: State, seat: int) -> list[Move]:
    """Return the ways to end the turn: one, or one for each choice of cards to discard (F24)."""
    player = state.players[seat]
    due = card_surplus(player)
    if not due:
        return [_END[seat]]
    choices = dict.fromkeys(islice(combinations(discardable(player), due), MOST_DISCARDS))
    return [cmd.EndTurn(seat, cards=choice) for choice in choices]


# ---- Personnel (F26-F31) ---------------------------------------------------------------------------------------------


def personnel(state: State, seat: int) -> list[Move]:
    """Return every way to play a Personnel card of the hand now (F26)."""
    return [
        cmd.PlayPersonnel(seat, card, **fields)
        for card in playable(state, seat)
        for fields in plays(state, seat, card)
    ]


Plays = Iterator[dict[str, Any]]


def plays(state: State, seat: int, card: Card) -> Plays:
    """Return the fields of every way to play this card, none if it would have no effect (F26)."""
    return _PLAYS[card](state, seat)


def _alchemist(state: State, seat: int) -> Plays:
    return _swaps(state.players[seat].storehouse, state.pouch)


def _swaps(mine: list[int], theirs: list[int]) -> Plays:
    return (
        {"give": give, "take": take}
        for give in COLOURS
        if mine[give]
        for take in COLOURS
        if theirs[take] and take is not give
    )


def _smuggler(state: State, seat: int) -> Plays:
    mine = state.players[seat].storehouse
    return (
        {"target": target, **swap}
        for target in rivals(state, seat)
        for swap in _swaps(mine, state.players[target].storehouse)
    )


def _saboteur(state: State, seat: int) -> Plays:
    return (
        {"target": target, "tower": tower.id}
        for target in rivals(state, seat)
        for tower in state.players[target].towers
    )


def _patrician(state: State, seat: int) -> Plays:
    return ({"discard": card} for card in hand_cards(state.players[seat]))


def _wholesaler(state: State, _seat: int) -> Plays:
    return ({"slot": place} for place, slot in enumerate(state.row) if any(slot.bricks))


def _architect(state: State, seat: int) -> Plays:
    """Bound to nothing, or to a tower and one level more or less (F28)."""
    towers = state.players[seat].towers
    return iter(
        [{}] * bool(towers) + [{"tower": tower.id, "by": by} for tower in towers for by in (1, -1)]
    )


def _plain(_state: State, _seat: int) -> Plays:
    return iter([{}])


_PLAYS: dict[Card, Callable[[State, int], Plays]] = {
    Card.ALCHEMIST: _alchemist,
    Card.ARCHITECT: _architect,
    Card.MASON: _plain,
    Card.PATRICIAN: _patrician,
    Card.PRINCESS: _plain,
    Card.SABOTEUR: _saboteur,
    Card.SMUGGLER: _smuggler,
    Card.WHOLESALER: _wholesaler,
}
_TURN = {Step.CHOOSE: takes, Step.BUILD: _building, Step.FULFIL: _fulfilling}
