"""The actors of a state, and their legal commands, without payments.

MOST_BUILDS limits the listed builds. Any other build within F19 is accepted all the same.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Any

from domain.firenze import commands
from domain.firenze.agenda import Step
from domain.firenze.build import most_laid
from domain.firenze.choose import card_price
from domain.firenze.components import (
    BELL_TOWER_HEIGHT,
    COLOURS,
    ROW_LENGTH,
    SEAT_NUMBERS,
    WHITE,
    Card,
)
from domain.firenze.fulfil import heights_of, is_open, owes_bell_tower
from domain.firenze.personnel import patrician_discards, playable, rivals, slots_with_bricks
from domain.firenze.play import card_surplus, discardable
from domain.firenze.row import exchange_price
from domain.firenze.state import State, Tower
from domain.seats import HOUSE

# Commands that need not be made again: by seat and slot, and by seat.
TAKES = [[commands.TakeCard(seat, slot) for slot in range(ROW_LENGTH)] for seat in SEAT_NUMBERS]
PLAIN_ENDINGS = [commands.EndTurn(seat) for seat in SEAT_NUMBERS]

MOST_DISCARDS = 120


def actors(state: State) -> tuple[int, ...]:
    """Return the actor of the next task: a seat or the house. () once the match is over (F43)."""
    return (state.agenda[-1].seat,) if state.agenda else ()


def legal_moves(state: State, seat: int) -> list[commands.Command]:
    """Return the moves of a seat (or the house), none if it may not act."""
    if not state.agenda or state.agenda[-1].seat != seat:
        return []

    step = state.agenda[-1].step
    if seat == HOUSE:
        return [commands.SetUp() if step is Step.SET_UP else commands.Score()]
    return _MOVES[step](state, seat)


def turn(state: State) -> int:
    """Return the number of turns before this one (F1)."""
    return state.turn


# ---- the steps of a turn ---------------------------------------------------------------------


def _choosing(state: State, seat: int) -> list[commands.Command]:
    return [*takes(state, seat), *personnel(state, seat)]


def takes(state: State, seat: int) -> list[commands.TakeCard]:
    """Return a move for each card that the seat can pay for (F14)."""
    bricks = sum(state.players[seat].storehouse)
    slots = range(len(state.row))
    return [TAKES[seat][slot] for slot in slots if card_price(state, slot) <= bricks]


def _building(state: State, seat: int) -> list[commands.Command]:
    return [
        *exchanges(state, seat),
        *builds(state, seat),
        *endings(state, seat),
        *personnel(state, seat),
    ]


def exchanges(state: State, seat: int) -> list[commands.Exchange]:
    """Return a move for each brick colour on each card of the row (F18)."""
    player = state.players[seat]
    if state.exchanged or sum(player.storehouse) < exchange_price(player):
        return []
    return [
        commands.Exchange(seat, number, colour)
        for number, slot in enumerate(state.row)
        for colour in COLOURS
        if slot.bricks[colour]
    ]


def _fulfilling(state: State, seat: int) -> list[commands.Command]:
    return [*fulfilments(state, seat), *endings(state, seat), *personnel(state, seat)]


def fulfilments(state: State, seat: int) -> list[commands.Fulfil]:
    """Return a move for each commission that the seat's towers fit (F21, F28, F38)."""
    player = state.players[seat]
    if owes_bell_tower(state, seat):
        return [
            commands.Fulfil(seat, tower.id, campanile=True)
            for tower in player.towers
            if tower.colour is WHITE and tower.height == BELL_TOWER_HEIGHT
        ]

    if not player.seals:
        return []
    return [
        commands.Fulfil(seat, tower.id, tower.colour, height)
        for tower in player.towers
        for height in heights_of(state, tower)
        if is_open(state, tower.colour, height)
    ]


def endings(state: State, seat: int) -> list[commands.EndTurn]:
    """Return the ways to end the turn: one, or one for each choice of cards to discard (F24).

    At most MOST_DISCARDS choices are listed.
    """
    player = state.players[seat]
    due = card_surplus(player)
    if not due:
        return [PLAIN_ENDINGS[seat]]

    choices = islice(combinations(discardable(player), due), MOST_DISCARDS)
    return [commands.EndTurn(seat, cards=cards) for cards in dict.fromkeys(choices)]


# ---- while an event is settled ---------------------------------------------------------------


def _answering(_state: State, seat: int) -> list[commands.Command]:
    return [commands.AnswerEvent(seat, False), commands.AnswerEvent(seat, True)]


def _resolving(state: State, seat: int) -> list[commands.Command]:
    if state.taken is Card.STOREHOUSE_FIRE:
        return [commands.ResolveEvent(seat)]
    return [commands.ResolveEvent(seat, tower=tower.id) for tower in state.players[seat].towers]


def _discarding(_state: State, seat: int) -> list[commands.Command]:
    return [commands.Discard(seat)]


_MOVES: dict[Step, Callable[[State, int], list[commands.Command]]] = {
    Step.CHOOSE: _choosing,
    Step.BUILD: _building,
    Step.FULFIL: _fulfilling,
    Step.ANSWER: _answering,
    Step.RESOLVE: _resolving,
    Step.DISCARD: _discarding,
}


# ---- the choices of Personnel cards (F26-F31) ----------------------------------------------------


# For each way to play a card, the fields of the command beside seat and card.
Fields = Iterator[dict[str, Any]]


def personnel(state: State, seat: int) -> list[commands.PlayPersonnel]:
    """Return every way to play a Personnel card of the hand now (F26)."""
    return [
        commands.PlayPersonnel(seat, card, **fields)
        for card in playable(state, seat)
        for fields in choices_of_fields(state, seat, card)
    ]


def choices_of_fields(state: State, seat: int, card: Card) -> Fields:
    """Yield the fields of every way to play this card: none without an effect (F26)."""
    return _FIELDS[card](state, seat)


def _alchemist(state: State, seat: int) -> Fields:
    return _swaps(state.players[seat].storehouse, state.pouch)


def _smuggler(state: State, seat: int) -> Fields:
    own = state.players[seat].storehouse
    for target in rivals(state, seat):
        for swap in _swaps(own, state.players[target].storehouse):
            yield {"target": target, **swap}


def _swaps(own: list[int], theirs: list[int]) -> Fields:
    """Yield every swap of a brick for one of another colour."""
    for give in COLOURS:
        if not own[give]:
            continue
        for take in COLOURS:
            if theirs[take] and take is not give:
                yield {"give": give, "take": take}


def _saboteur(state: State, seat: int) -> Fields:
    for target in rivals(state, seat):
        for tower in state.players[target].towers:
            yield {"target": target, "tower": tower.id}


def _patrician(state: State, seat: int) -> Fields:
    for card in patrician_discards(state.players[seat]):
        yield {"discard": card}


def _wholesaler(state: State, _seat: int) -> Fields:
    for slot in slots_with_bricks(state):
        yield {"slot": slot}


def _architect(state: State, seat: int) -> Fields:
    """Yield the way without fields, and each tower with one level more or less (F28).

    Yield nothing if the seat has no towers.
    """
    towers = state.players[seat].towers
    if towers:
        yield {}
    for tower in towers:
        for by in (1, -1):
            yield {"tower": tower.id, "by": by}


def _without_fields(_state: State, _seat: int) -> Fields:
    yield {}


_FIELDS: dict[Card, Callable[[State, int], Fields]] = {
    Card.ALCHEMIST: _alchemist,
    Card.ARCHITECT: _architect,
    Card.MASON: _without_fields,
    Card.PATRICIAN: _patrician,
    Card.PRINCESS: _without_fields,
    Card.SABOTEUR: _saboteur,
    Card.SMUGGLER: _smuggler,
    Card.WHOLESALER: _wholesaler,
}


# ---- the listed builds: a bounded choice of those within F19 -------------------------------------

# A listed build begins at most one new tower of each colour. The builds that raise the most towers
# come first, and among these the builds with the fewest bricks.


MOST_BUILDS = 120

_NEW = -1  # stands for a tower that is still to be begun


def builds(state: State, seat: int) -> list[commands.Build]:
    """Return the first MOST_BUILDS builds of the seat, and always the build of nothing (F19)."""
    plans = _builds(state, seat)
    listed = list(islice(plans, MOST_BUILDS))

    nothing = commands.Build(seat)
    if nothing not in listed:
        listed.append(nothing)
    return listed


def _builds(state: State, seat: int) -> Iterator[commands.Build]:
    player = state.players[seat]
    most = most_laid(state, seat)
    new_towers = [Tower(_NEW, colour, 0, False) for colour in COLOURS if player.storehouse[colour]]

    for targets, bricks in _targets(player.towers, new_towers, most):
        for plan in _spread(targets, player.storehouse[:], bricks):
            yield commands.Build(seat, _lay(targets, plan))


def _targets(
    towers: list[Tower], new_towers: list[Tower], most: int
) -> Iterator[tuple[list[Tower], int]]:
    """Yield the towers to be raised or begun, and the number of bricks to lay onto them.

    First come those that raise the most towers. Among these, first those with the fewest bricks.
    """
    for count in range(min(len(towers), most), -1, -1):
        for bricks in range(count, most + 1):
            for chosen in combinations(towers, count):
                yield [*chosen, *new_towers], bricks


def _spread(targets: list[Tower], store: list[int], bricks: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to lay exactly `bricks` bricks onto the targets: the bricks of each target.

    At least one brick is laid onto each standing tower.
    store: the bricks left by colour. It changes during the iteration.
    """
    if not targets:
        if not bricks:
            yield ()
        return

    colours = {tower.colour for tower in targets}
    if sum([store[colour] for colour in colours]) < bricks:
        return

    first = targets[0]
    rest = targets[1:]
    least = 0 if first.id == _NEW else 1
    for count in range(min(bricks, store[first.colour]), least - 1, -1):
        store[first.colour] -= count
        for others in _spread(rest, store, bricks - count):
            yield (count, *others)
        store[first.colour] += count


def _lay(targets: list[Tower], plan: tuple[int, ...]) -> tuple[commands.Lay, ...]:
    """Return the entries of a build. plan: the bricks for each tower."""
    entries = []
    for tower, bricks in zip(targets, plan, strict=True):
        if bricks:
            number = None if tower.id == _NEW else tower.id
            entries.append(commands.Lay(tower.colour, bricks, number))
    return tuple(entries)
