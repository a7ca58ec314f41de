"""Random and greedy play: how matches go, and what the greedy bot weighs."""

from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from domain.chance import Chance, FastChance
from domain.firenze import GAME
from domain.firenze.bot.greedy import advise
from domain.firenze.commands import (
    AnswerEvent,
    Discard,
    EndTurn,
    Exchange,
    Fulfil,
    PlayPersonnel,
    ResolveEvent,
    TakeCard,
)
from domain.firenze.components import NO_BRICKS, Card, commission_index
from domain.firenze.state import State
from domain.game import Draft, Outcome, Setup
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    building,
    deal,
    do,
    holding,
    offer,
    open_church,
    raise_tower,
    store,
    table,
)

Policy = Callable[[Any, int, Chance], Any]

# ---- whole matches ---------------------------------------------------------------------------


def match(seats: int, seed: int, policies: list[Policy]) -> tuple[int, Outcome]:
    """Play to the end, a policy a seat; return the turns and the outcome."""
    state = GAME.initial(Setup(seats, GAME.read_options({})))
    draft = Draft(state, GAME.evolve, FastChance(seed))
    chance = FastChance(seed)

    awaited = GAME.actors(state)
    while awaited:
        seat = awaited[0]
        policy = policies[seat] if seat >= 0 else GAME.random_move
        GAME.play(draft, policy(state.copy(), seat, chance))
        awaited = GAME.actors(state)

    outcome = GAME.outcome(state)
    assert outcome is not None
    return state.turn + 1, outcome


@pytest.mark.parametrize("seats", [pytest.param(seats, id=f"F45-{seats}") for seats in GAME.seats])
@pytest.mark.parametrize("policy", ["random_move", "advise"])
def test_matches_end_as_among_people(seats: int, policy: str) -> None:
    """By the last seal, mostly within 22 to 108 turns in all."""
    policies = [getattr(GAME, policy)] * seats
    turns = [match(seats, seed, policies)[0] for seed in range(15)]
    assert 22 <= median(turns) <= 108
    assert max(turns) < seats * 60


@pytest.mark.parametrize("seats", GAME.seats)
def test_greedy_beats_random(seats: int) -> None:
    """One greedy seat among random ones wins at least three matches in four."""
    wins = 0
    for seed in range(20):
        greedy = seed % seats
        policies: list[Policy] = [GAME.random_move] * seats
        policies[greedy] = GAME.advise
        _, outcome = match(seats, seed, policies)
        wins += outcome.ranks[greedy] == 1
    assert wins >= 15


# ---- single choices of the greedy bot --------------------------------------------------------


def advice(state: State, seat: int = 0) -> Any:
    """Return the greedy move."""
    return advise(state, seat, FastChance(0))


def test_the_house_does_what_it_must() -> None:
    """F43: there is only one move."""
    state = GAME.initial(Setup(2, GAME.read_options({})))
    assert advice(state, -1) == GAME.opening


def test_a_bad_celebration_is_thrown_away() -> None:
    """F31: the Scandal, which costs more, before the Disgrace."""
    state = holding(Card.PATRICIAN, Card.SCANDAL, Card.DISGRACE)
    assert advice(state) == PlayPersonnel(0, Card.PATRICIAN, discard=Card.SCANDAL)


def test_the_princess_is_played_for_a_dear_card() -> None:
    """F29: all the bricks worth having lie on the last slot, and the storehouse is empty."""
    state = table()
    deal(state, 0, Card.PRINCESS)
    store(state, 0)
    raise_tower(state, 0, PURPLE, 4, idle=True)
    for slot in state.row:
        slot.bricks = [*NO_BRICKS]
    offer(state, 5, Card.WORKSHOP, PURPLE, PURPLE, PURPLE, PURPLE)
    assert advice(state) == PlayPersonnel(0, Card.PRINCESS)

    do(state, "play_personnel", card="princess")
    assert advice(state) == TakeCard(0, 5)


def test_a_card_that_cannot_be_paid_for_is_not_taken() -> None:
    """F14: with an empty storehouse only slot 0 is left."""
    state = table()
    store(state, 0)
    assert advice(state) == TakeCard(0, 0)


def test_a_mason_is_played_for_a_big_building() -> None:
    """F29: six bricks lie ready, and laying them would cost as many others."""
    state = building(purple=5, blue=3)
    deal(state, 0, Card.MASON)
    raise_tower(state, 0, PURPLE, 3, idle=True)
    assert advice(state) == PlayPersonnel(0, Card.MASON)


def test_bricks_are_exchanged_for_what_a_tower_lacks() -> None:
    """F18: one purple brick would make a commission of a tower that is lost without it."""
    state = building(white=8)
    raise_tower(state, 0, PURPLE, 6, idle=True)
    offer(state, 2, Card.FAME, PURPLE)
    assert advice(state) == Exchange(0, 2, PURPLE)


@pytest.mark.parametrize("card", [Card.ALCHEMIST, Card.SMUGGLER])
def test_a_card_is_played_for_what_a_tower_lacks(card: Card) -> None:
    """F27, F30: the exchange of this turn is over."""
    state = building(white=3)
    state.exchanged = True
    store(state, 1, purple=1)
    raise_tower(state, 0, PURPLE, 6, idle=True)
    deal(state, 0, card)

    move = advice(state)
    assert isinstance(move, PlayPersonnel)
    assert (move.card, move.take) == (card, PURPLE)


def test_nothing_is_swapped_without_a_brick_to_give() -> None:
    """F26: a card swaps against another colour only."""
    state = building(purple=1)
    state.exchanged = True
    raise_tower(state, 0, PURPLE, 6, idle=True)
    deal(state, 0, Card.ALCHEMIST)
    state.pouch = [*NO_BRICKS]
    state.pouch[PURPLE] = 1
    assert not isinstance(advice(state), PlayPersonnel)


def test_no_more_is_laid_than_there_is() -> None:
    """F19: three towers lack two bricks each for the same commission, and there are four."""
    state = building(red=4, white=14)
    for _ in range(3):
        raise_tower(state, 0, RED, 2, idle=True)
    state.worth[commission_index(RED, 4)] = 30

    lays = advice(state).lay
    assert [(lay.tower, lay.bricks) for lay in lays] == [(0, 2), (1, 2)]


def test_the_best_commission_is_fulfilled() -> None:
    """F21: as high as it goes."""
    state = table(step="fulfil")
    raise_tower(state, 0, PURPLE, 7)
    assert advice(state) == Fulfil(0, 0, PURPLE, 7)


def test_the_bell_tower_is_delivered() -> None:
    """F38: it frees all other commissions."""
    state = table(step="fulfil")
    open_church(state, Card.CAMPANILE)
    number = raise_tower(state, 0, WHITE, 3)
    assert advice(state) == Fulfil(0, number, campanile=True)


def test_the_architect_is_hired_for_a_level_that_lacks() -> None:
    """F28: in the last turn, for a high tower one level off."""
    state = table(step="fulfil")
    state.end_seat = 1
    deal(state, 0, Card.ARCHITECT)
    number = raise_tower(state, 0, RED, 9)
    assert advice(state) == PlayPersonnel(0, Card.ARCHITECT, tower=number, by=-1)


@pytest.mark.parametrize(
    ("height", "strikes"),
    [pytest.param(4, True, id="F30-high"), pytest.param(3, False, id="F30-low")],
)
def test_the_saboteur_strikes_high_towers(height: int, strikes: bool) -> None:
    """F30: the tallest of all rivals'."""
    state = table(3, step="fulfil")
    deal(state, 0, Card.SABOTEUR)
    raise_tower(state, 1, RED, 2)
    number = raise_tower(state, 2, BLUE, height)

    strike = PlayPersonnel(0, Card.SABOTEUR, target=2, tower=number)
    assert advice(state) == (strike if strikes else EndTurn(0))


def test_the_cards_that_matter_least_go() -> None:
    """F24: a Wholesaler before anything else."""
    state = table(step="fulfil")
    deal(state, 0, Card.WORKSHOP, Card.BRIDGE, Card.MASON, Card.PATRICIAN)
    deal(state, 0, Card.WHOLESALER, Card.PRINCESS)
    assert advice(state) == EndTurn(0, cards=(Card.WHOLESALER,))


@pytest.mark.parametrize(
    ("height", "spent"),
    [pytest.param(5, True, id="F31-what-hurts"), pytest.param(1, False, id="F31-what-does-not")],
)
def test_a_patrician_is_spent_on_what_hurts(height: int, spent: bool) -> None:
    """F31: a Collapse of the only tower."""
    state = table()
    raise_tower(state, 0, GREEN, height, idle=True)
    deal(state, 0, Card.PATRICIAN)
    offer(state, 0, Card.COLLAPSE)
    do(state, "take_card", slot=0)
    assert advice(state) == AnswerEvent(0, spent)


def test_the_tower_that_promises_least_is_given_up() -> None:
    """F32: rather a low yellow one than a purple one that is nearly done."""
    state = table()
    raise_tower(state, 0, PURPLE, 6, idle=True)
    low = raise_tower(state, 0, YELLOW, 1, idle=True)
    offer(state, 0, Card.COLLAPSE)
    do(state, "take_card", slot=0)
    assert advice(state) == ResolveEvent(0, tower=low)


def test_a_fire_burns_what_the_rule_chooses() -> None:
    """F32: by F25."""
    state = holding()
    offer(state, 0, Card.STOREHOUSE_FIRE)
    do(state, "take_card", slot=0)
    assert advice(state) == ResolveEvent(0)


def test_bricks_are_handed_over_as_the_rule_chooses() -> None:
    """F34: by F25."""
    state = table(discards="chosen")
    offer(state, 0, Card.FLOOD)
    do(state, "take_card", slot=0)
    assert advice(state) == Discard(0)
