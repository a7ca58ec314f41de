"""What each card does (F26-F38)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze import events as ev
from domain.firenze.components import Card, Step
from domain.firenze.state import State
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    bricks,
    deal,
    do,
    offer,
    only,
    open_church,
    raise_tower,
    refused,
    stock,
    store,
    table,
    tags,
    towers,
)

# ---- Personnel (F26-F30) ---------------------------------------------------------------------------------------------


def holding(*cards: Card, step: str = "choose", seats: int = 2, **options: Any) -> State:
    """Seat 0 holds these cards, a red and a blue brick, and a red tower; seat 1 a green brick and a blue tower."""
    state = table(seats, step, **options)
    store(state, 0, red=1, blue=1)
    store(state, 1, green=1)
    raise_tower(state, 0, RED, 2)
    raise_tower(state, 1, BLUE, 3)
    deal(state, 0, *cards)
    return state


def play(state: State, card: Card, **fields: Any) -> list[Any]:
    return do(state, "play_personnel", card=card.wire, **fields)


def test_any_number_but_no_two_of_a_name() -> None:
    """F26: a second Alchemist waits for the next turn; another card may follow; played cards are discarded."""
    state = holding(Card.ALCHEMIST, Card.ALCHEMIST, Card.PRINCESS)
    play(state, Card.ALCHEMIST, take="white", give="red")
    assert refused(state, "play_personnel", card="alchemist", take="green", give="blue") == "F26 already_played"
    play(state, Card.PRINCESS)
    assert (state.discards[Card.ALCHEMIST], state.discards[Card.PRINCESS]) == (1, 1)
    do(state, "take_card", slot=0)
    do(state, "end_turn")
    do(state, "take_card", 1, slot=0)
    do(state, "end_turn", 1)
    play(state, Card.ALCHEMIST, take="green", give="blue")


NO_EFFECT: list[Any] = [
    pytest.param(Card.ALCHEMIST, {"take": "red", "give": "red"}, "F26 no_effect", id="F26-equal-colours"),
    pytest.param(Card.SMUGGLER, {"target": 1, "take": "green", "give": "green"}, "F26 no_effect", id="F26-smuggler"),
    pytest.param(Card.WHOLESALER, {"slot": 5}, "F26 no_effect", id="F26-wholesaler-without-bricks"),
    pytest.param(Card.FAME, {}, "F26 not_personnel", id="F26-a-celebration"),
    pytest.param(Card.PRINCESS, {"slot": 1}, "F26 superfluous_field", id="F26-superfluous-field"),
    pytest.param(Card.SABOTEUR, {"target": 1, "tower": 4}, "F30 no_such_tower", id="F30-no-such-tower"),
    pytest.param(Card.SABOTEUR, {"target": 0, "tower": 0}, "F30 no_such_tower", id="F30-not-ones-own"),
    pytest.param(Card.SMUGGLER, {"target": 0, "take": "blue", "give": "red"}, "F30 no_such_seat", id="F30-oneself"),
    pytest.param(Card.SMUGGLER, {"target": 1, "take": "red", "give": "blue"}, "F30 no_such_brick", id="F30-not-there"),
    pytest.param(Card.ALCHEMIST, {"take": "white", "give": "green"}, "F27 no_such_brick", id="F27-not-held"),
    pytest.param(Card.ALCHEMIST, {"give": "red"}, "F27 no_such_brick", id="F27-nothing-named"),
    pytest.param(Card.MASON, {}, "F29 wrong_phase", id="F29-mason-before-choosing"),
    pytest.param(Card.ARCHITECT, {}, "F28 wrong_phase", id="F28-architect-before-building"),
    pytest.param(Card.PATRICIAN, {"discard": "patrician"}, "F31 no_such_card", id="F31-not-itself"),
    pytest.param(Card.PATRICIAN, {"discard": "workshop"}, "F31 no_such_card", id="F31-not-a-building"),
]


@pytest.mark.parametrize(("card", "fields", "why"), NO_EFFECT)
def test_what_personnel_cannot_do(card: Card, fields: dict[str, Any], why: str) -> None:
    """A card without any effect, without its target or out of its phase may not be played."""
    state = holding(card, Card.WORKSHOP)
    state.pouch = [have + back for have, back in zip(state.pouch, state.row[5].bricks, strict=True)]
    state.row[5].bricks = [0] * 6
    assert refused(state, "play_personnel", card=card.wire, **fields) == why


def test_a_card_must_be_in_the_hand() -> None:
    """F26: not in another's."""
    state = holding()
    deal(state, 1, Card.PRINCESS)
    assert refused(state, "play_personnel", card="princess") == "F26 card_not_held"


def test_the_alchemist_swaps_with_the_pouch() -> None:
    """F27: one of a colour that is in the pouch, at any time of the turn; give may be left out (F25)."""
    for step in ("choose", "build", "fulfil"):
        state = holding(Card.ALCHEMIST, step=step)
        play(state, Card.ALCHEMIST, take="purple")
        assert stock(state, 0) == {"red": 1, "purple": 1}, "the red tower is being built, so blue goes"
    state.pouch[PURPLE] = 0
    deal(state, 0, Card.ALCHEMIST)
    assert not [move for move in GAME.legal_moves(state, 0) if getattr(move, "take", None) is PURPLE]


def test_the_architect_needs_a_tower() -> None:
    """F26: without an own tower it has no effect."""
    state = holding(Card.ARCHITECT, step="fulfil")
    state.pouch[RED] += 2
    state.players[0].towers.clear()
    assert refused(state, "play_personnel", card="architect") == "F26 no_effect"


ARCHITECT: list[Any] = [
    pytest.param(YELLOW, 5, {}, 6, True, id="F28-one-more"),
    pytest.param(RED, 2, {}, 3, True, id="F28-two-as-three"),
    pytest.param(WHITE, 9, {}, 8, True, id="F28-nine-as-eight"),
    pytest.param(RED, 5, {}, 5, True, id="F28-true-height"),
    pytest.param(RED, 4, {}, 6, False, id="F28-only-one-level"),
    pytest.param(RED, 4, {"by": 1}, 5, True, id="F28-bound-up"),
    pytest.param(RED, 4, {"by": 1}, 3, False, id="F28-bound-not-down"),
    pytest.param(RED, 4, {"by": -1}, 4, True, id="F28-bound-true-height"),
]


@pytest.mark.parametrize(("colour", "height", "bound", "commission", "fits"), ARCHITECT)
def test_the_architect(colour: Any, height: int, bound: dict[str, int], commission: int, fits: bool) -> None:
    """One level more or less; the commission's height decides level tile and points, all real bricks go."""
    state = holding(Card.ARCHITECT, step="fulfil")
    number = raise_tower(state, 0, colour, height)
    play(state, Card.ARCHITECT, **({"tower": number, **bound} if bound else {}))
    order = {"tower": number, "colour": colour.wire, "height": commission}
    if not fits:
        assert refused(state, "fulfil", **order) == "F28 wrong_height"
        return
    pouch = state.pouch[colour]
    event = only(do(state, "fulfil", **order), ev.CommissionFulfilled)
    assert (event.height, event.bricks, event.architect) == (commission, height, height != commission)
    assert event.level == {5: 2, 6: 3, 7: 4, 8: 5}.get(commission, 0)
    assert state.pouch[colour] == pouch + height


def test_the_architect_serves_once_and_only_its_tower() -> None:
    """F28: the first fulfilment one level off uses it up; bound to another tower it does not help; not next turn."""
    state = holding(Card.ARCHITECT, step="fulfil")
    raise_tower(state, 0, RED, 4)
    other = raise_tower(state, 0, YELLOW, 6)
    bound = state.copy()
    play(state, Card.ARCHITECT)
    do(state, "fulfil", tower=1, colour="red", height=5)
    assert refused(state, "fulfil", tower=other, colour="yellow", height=7) == "F21 wrong_height"
    play(bound, Card.ARCHITECT, tower=1, by=1)
    assert refused(bound, "fulfil", tower=other, colour="yellow", height=7) == "F28 wrong_height"
    do(bound, "end_turn")
    assert bound.architect is None


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"tower": 0, "by": 2}, "F28 wrong_level", id="F28-one-level"),
        pytest.param({"tower": 0}, "F28 wrong_level", id="F28-tower-and-by"),
        pytest.param({"tower": 7, "by": 1}, "F28 no_such_tower", id="F28-no-such-tower"),
    ],
)
def test_how_the_architect_is_bound(fields: dict[str, int], why: str) -> None:
    """A tower of one's own and +1 or -1."""
    assert refused(holding(Card.ARCHITECT, step="fulfil"), "play_personnel", card="architect", **fields) == why


def test_the_mason_works_this_turn_only_and_before_building() -> None:
    """F29: 4 bricks cost nothing; once built it comes too late."""
    state = holding(Card.MASON, Card.MASON, step="build")
    store(state, 0, red=4)
    play(state, Card.MASON)
    do(state, "build", lay=[{"colour": "red", "bricks": 4, "tower": 0}])
    assert towers(state, 0) == [(RED, 6)]
    assert refused(state, "play_personnel", card="mason") == "F26 already_played"
    state.played.clear()
    assert refused(state, "play_personnel", card="mason") == "F29 wrong_phase"


def test_the_princess_makes_the_card_free() -> None:
    """F29: slot 5 for nothing; nothing is put onto the other cards; after choosing it is too late."""
    state = table()
    offer(state, 4, Card.FAME)
    deal(state, 0, Card.PRINCESS, Card.PRINCESS)
    play(state, Card.PRINCESS)
    assert only(do(state, "take_card", slot=5), ev.CardTaken).payment == ()
    state.played.clear()
    assert refused(state, "play_personnel", card="princess") == "F29 wrong_phase"


@pytest.mark.parametrize("step", [pytest.param(s, id=f"F29-{s}") for s in ("choose", "build")])
def test_the_wholesaler_restocks_a_card(step: str) -> None:
    """F29: as many bricks as lay there, random ones out of the pouch; any card of the row."""
    state = holding(Card.WHOLESALER, step=step)
    offer(state, 3, Card.FAME, RED, RED, BLUE, BLUE, BLUE, PURPLE)
    event = only(play(state, Card.WHOLESALER, slot=3), ev.SlotRestocked)
    assert event.gone == (RED, RED, BLUE, BLUE, BLUE, PURPLE)
    assert (len(event.bricks), sum(state.row[3].bricks)) == (6, 6)


def test_the_wholesaler_is_too_late_after_building() -> None:
    """F29: in the phases of choosing and exchanging."""
    state = holding(Card.WHOLESALER, step="fulfil")
    assert refused(state, "play_personnel", card="wholesaler", slot=0) == "F29 wrong_phase"


def test_the_saboteur_takes_a_brick() -> None:
    """F30: into the pouch; the tower vanishes with its last brick."""
    state = holding(Card.SABOTEUR)
    small = raise_tower(state, 1, RED, 1)
    other = state.copy()
    play(state, Card.SABOTEUR, target=1, tower=0)
    assert towers(state, 1) == [(BLUE, 2), (RED, 1)]
    play(other, Card.SABOTEUR, target=1, tower=small)
    assert towers(other, 1) == [(BLUE, 3)]


def test_the_smuggler_trades_storehouse_bricks() -> None:
    """F30: one against one, both of choice."""
    state = holding(Card.SMUGGLER)
    play(state, Card.SMUGGLER, target=1, take="green", give="blue")
    assert (stock(state, 0), stock(state, 1)) == ({"red": 1, "green": 1}, {"blue": 1})


# ---- Patrician (F31) -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [pytest.param(s, id=f"F31-{s}") for s in ("choose", "build", "fulfil")])
def test_the_patrician_discards_a_card_of_the_hand(step: str) -> None:
    """F31 (b): at any time, also a Celebration."""
    state = holding(Card.PATRICIAN, Card.SCANDAL, step=step)
    play(state, Card.PATRICIAN, discard="scandal")
    assert (sum(state.players[0].cards), state.discards[Card.SCANDAL]) == (0, 1)


def event_taken(card: Card, *held: Card, seats: int = 2, **options: Any) -> State:
    """Seat 0 took an event with a green and a purple brick on it."""
    state = holding(*held, seats=seats, **options)
    offer(state, 0, card, GREEN, PURPLE)
    do(state, "take_card", slot=0)
    return state


def test_the_patrician_cancels_an_event_for_everybody() -> None:
    """F31 (a): nothing is lost, the Patrician and the event are discarded."""
    state = event_taken(Card.FLOOD, Card.PATRICIAN)
    assert [type(move).tag for move in GAME.legal_moves(state, 0)] == ["answer_event"] * 2
    events = do(state, "answer_event", patrician=True)
    assert tags(events) == ["personnel_played", "event_answered", "card_spent", "row_refilled"]
    assert stock(state, 1) == {"green": 1}
    assert (state.discards[Card.PATRICIAN], state.discards[Card.FLOOD]) == (1, 1)


def test_with_spares_the_others_are_hit() -> None:
    """F31: the option spares the Patrician's owner only."""
    state = event_taken(Card.FLOOD, Card.PATRICIAN, patrician="spares")
    do(state, "answer_event", patrician=True)
    assert (stock(state, 0), stock(state, 1)) == ({"red": 1, "blue": 1, "green": 1, "purple": 1}, {})


@pytest.mark.parametrize(
    "card", [pytest.param(c, id=f"F31-{c.wire}") for c in (Card.BOTCH, Card.STOREHOUSE_FIRE, Card.RENAISSANCE)]
)
def test_with_spares_other_events_are_cancelled(card: Card) -> None:
    """F31: events that touch only their taker, and Renaissance, are as with cancels."""
    state = event_taken(card, Card.PATRICIAN, patrician="spares")
    events = do(state, "answer_event", patrician=True)
    assert tags(events) == ["personnel_played", "event_answered", "card_spent", "row_refilled"]


def test_a_patrician_may_be_kept() -> None:
    """F31: the answer may be no."""
    state = event_taken(Card.BOTCH, Card.PATRICIAN)
    do(state, "answer_event", patrician=False)
    assert state.agenda[-1].step is Step.RESOLVE
    assert state.players[0].cards[Card.PATRICIAN] == 1


@pytest.mark.parametrize(
    ("held", "played", "asked"),
    [
        pytest.param((Card.PATRICIAN,), (), True, id="F31-asked-even-in-vain"),
        pytest.param((), (), False, id="F31-without-one"),
        pytest.param((Card.PATRICIAN,), (Card.PATRICIAN,), False, id="F31-one-a-turn"),
    ],
)
def test_who_is_asked(held: tuple[Card, ...], played: tuple[Card, ...], asked: bool) -> None:
    """With a Patrician in the hand and none played this turn, also when the event would do nothing."""
    state = table()
    deal(state, 0, *held)
    state.played.extend(played)
    offer(state, 0, Card.COLLAPSE, GREEN)
    do(state, "take_card", slot=0)
    assert (state.agenda[-1].step is Step.ANSWER) == asked


# ---- events for the taker (F32) --------------------------------------------------------------------------------------


def test_botch_costs_a_brick_of_a_tower() -> None:
    """F32: of a tower of choice, and the taker is asked even without a choice."""
    state = event_taken(Card.BOTCH)
    assert [move.tower for move in GAME.legal_moves(state, 0)] == [0]
    do(state, "resolve_event", tower=0)
    assert (towers(state, 0), state.discards[Card.BOTCH]) == ([(RED, 1)], 1)


def test_collapse_costs_a_tower() -> None:
    """F32: all its bricks go to the pouch."""
    state = event_taken(Card.COLLAPSE)
    pouch = state.pouch[RED]
    assert refused(state, "resolve_event", tower=3) == "F32 no_such_tower"
    assert refused(state, "resolve_event", tower=0, bricks=["red"]) == "F32 not_asked"
    do(state, "resolve_event", tower=0)
    assert (towers(state, 0), stock(state, 0).get("red")) == ([], 1)
    assert state.pouch[RED] >= pouch + 2 - state.row[5].bricks[RED]


FIRES: list[Any] = [
    pytest.param({"red": 2, "blue": 2}, ["blue", "blue"], {"red": 1, "green": 1, "purple": 1}, id="F32-of-choice"),
    pytest.param({"red": 1}, None, {"green": 1, "purple": 1}, id="F32-all-there-are"),
    pytest.param({"green": 4}, None, {"green": 2, "purple": 1}, id="F32-not-the-cards-bricks"),
]  # fmt: skip


@pytest.mark.parametrize(("stored", "named", "left"), FIRES)
def test_storehouse_fire(stored: dict[str, int], named: list[str] | None, left: dict[str, int]) -> None:
    """3 bricks, or all, of choice; bricks that came with the card do not burn."""
    state = table()
    store(state, 0, **stored)
    offer(state, 0, Card.STOREHOUSE_FIRE, GREEN, PURPLE)
    do(state, "take_card", slot=0)
    assert refused(state, "resolve_event", bricks=["purple"]) == "F32 no_such_brick"
    assert refused(state, "resolve_event", tower=0) == "F32 not_asked"
    do(state, "resolve_event", bricks=named)
    assert stock(state, 0) == left


@pytest.mark.parametrize(
    "card", [pytest.param(c, id=f"F32-{c.wire}") for c in (Card.BOTCH, Card.COLLAPSE, Card.STOREHOUSE_FIRE)]
)
def test_nothing_to_lose(card: Card) -> None:
    """F32: without a tower, or without bricks, nothing happens and nothing is asked."""
    state = table()
    store(state, 0)
    offer(state, 0, card, GREEN)
    assert tags(do(state, "take_card", slot=0)) == ["card_taken", "card_spent", "row_refilled"]
    assert stock(state, 0) == {"green": 1}


# ---- events for all (F33, F34) ---------------------------------------------------------------------------------------


def after_event(card: Card, stored: dict[str, int], built: list[tuple[Any, int]]) -> State:
    """Seat 1 took the event, with nothing on the card; seat 0 has these bricks and towers and is the other player."""
    state = table()
    store(state, 0, **stored)
    store(state, 1)
    for colour, height in built:
        raise_tower(state, 0, colour, height)
    do(state, "take_card", slot=0)
    state.agenda[-1] = type(state.agenda[-1])(Step.FULFIL, 0)
    store(state, 0, **stored)
    do(state, "end_turn")
    offer(state, 0, card)
    do(state, "take_card", 1, slot=0)
    return state


FLOODS = [
    pytest.param(4, 2, id="F33-flood-four-to-two"),
    pytest.param(3, 2, id="F33-flood-three"),
    pytest.param(7, 4, id="F33-flood-seven"),
    pytest.param(0, 0, id="F33-flood-none"),
]


@pytest.mark.parametrize(("before", "after"), FLOODS)
def test_flood_takes_a_third(before: int, after: int) -> None:
    """A third, rounded up, from everybody: 4 bricks become 2."""
    state = after_event(Card.FLOOD, {"green": before}, [])
    assert stock(state, 0).get("green", 0) == after


def test_flood_spares_the_cards_bricks() -> None:
    """F33: of red, blue, and the green and purple on the card, one of red and blue goes."""
    state = event_taken(Card.FLOOD)
    assert stock(state, 0) == {"red": 1, "green": 1, "purple": 1}


TAXES: list[Any] = [
    pytest.param(Card.TRIBUTE, {"red": 1}, [(RED, 4)], {}, [(RED, 4)], id="F33-tribute-paid"),
    pytest.param(Card.TRIBUTE, {"blue": 3}, [(RED, 5)], {"blue": 3, "red": 2}, [], id="F33-tribute-not-its-colour"),
    pytest.param(Card.TRIBUTE, {"red": 1}, [(RED, 2), (RED, 3)], {"red": 1}, [(RED, 3)], id="F33-tribute-tallest"),
    pytest.param(Card.TRIBUTE, {"red": 1}, [(RED, 3), (BLUE, 1), (RED, 3)], {"red": 1}, [(RED, 3)], id="F33-older"),
    pytest.param(Card.LUXURY_TAX, {"red": 1, "blue": 1}, [(RED, 5)], {}, [(RED, 5)], id="F33-tax-any-colours"),
    pytest.param(Card.LUXURY_TAX, {"blue": 1}, [(RED, 5)], {"red": 2, "blue": 1}, [], id="F33-tax-half-paid"),
    pytest.param(Card.LUXURY_TAX, {"blue": 3}, [(RED, 4)], {"blue": 3}, [(RED, 4)], id="F33-tax-low-towers-are-free"),
    pytest.param(Card.LUXURY_TAX, {"blue": 3}, [(RED, 5), (GREEN, 6)], {"blue": 1, "red": 2}, [(GREEN, 6)],
                 id="F33-tax-tallest-first"),
    pytest.param(Card.LUXURY_TAX, {}, [(RED, 5), (GREEN, 5)], {"red": 2, "green": 2}, [],
                 id="F33-bricks-come-back-after-the-payments"),
]  # fmt: skip


@pytest.mark.parametrize(("card", "stored", "built", "left", "stand"), TAXES)
def test_tribute_and_luxury_tax(
    card: Card, stored: dict[str, int], built: list[Any], left: dict[str, int], stand: list[Any]
) -> None:
    """Whoever can pay must; what is not paid for is torn down, half of it saved."""
    state = after_event(card, stored, built)
    assert (stock(state, 0), towers(state, 0)) == (left, stand)


def test_the_older_of_equal_towers_is_kept() -> None:
    """F33: equal heights, one brick: the one begun first stays."""
    state = after_event(Card.TRIBUTE, {"red": 1}, [(RED, 3), (RED, 3)])
    assert [tower.id for tower in state.players[0].towers] == [0]


def test_the_taken_cards_bricks_may_pay() -> None:
    """F33: the red brick on the card pays the Tribute."""
    state = table()
    store(state, 0)
    raise_tower(state, 0, RED, 2)
    offer(state, 0, Card.TRIBUTE, RED)
    do(state, "take_card", slot=0)
    assert (stock(state, 0), towers(state, 0)) == ({}, [(RED, 2)])


def test_discards_are_automatic() -> None:
    """F34: by default nobody is asked; F25 decides."""
    state = event_taken(Card.FLOOD)
    assert state.agenda[-1].step is Step.BUILD
    assert stock(state, 1) == {}


def test_discards_may_be_chosen() -> None:
    """F34: everybody who must hand over a brick is asked, in turn order from the active player; others are not."""
    state = table(3, discards="chosen")
    store(state, 0, red=2, blue=2)
    store(state, 1)
    store(state, 2, white=1, red=1)
    offer(state, 0, Card.FLOOD, PURPLE)
    do(state, "take_card", slot=0)
    assert GAME.actors(state) == (0,)
    assert refused(state, "discard", 2) == "F1 not_your_turn"
    assert refused(state, "discard", 0, bricks=["purple"]) == "F34 no_such_brick"
    assert refused(state, "discard", 0, bricks=bricks("red red red")) == "F34 too_many_bricks"
    do(state, "discard", 0, bricks=bricks("red blue"))
    assert (GAME.actors(state), len(state.row)) == ((2,), 5)
    do(state, "discard", 2, bricks=["red"])
    assert (stock(state, 0), stock(state, 2)) == ({"red": 1, "blue": 1, "purple": 1}, {"white": 1})
    assert (GAME.actors(state), state.agenda[-1].step, len(state.row)) == ((0,), Step.BUILD, 6)


def test_towers_fall_after_the_last_payment() -> None:
    """F34: seat 0 cannot pay and loses its tower only when seat 1 has paid; a Tribute takes the tower's colour."""
    state = holding(discards="chosen")
    store(state, 0)
    store(state, 1, blue=1, green=1)
    offer(state, 0, Card.TRIBUTE)
    do(state, "take_card", slot=0)
    assert (GAME.actors(state), towers(state, 0)) == ((1,), [(RED, 2)])
    assert refused(state, "discard", 1, bricks=["green"]) == "F34 no_such_brick"
    do(state, "discard", 1)
    assert (stock(state, 1), towers(state, 0), stock(state, 0)) == ({"green": 1}, [], {"red": 1})


# ---- Renaissance, Monument (F35, F36) --------------------------------------------------------------------------------


def test_renaissance_shuffles_everything_but_the_row() -> None:
    """F35: discards, deck and this card become the deck, out of which the gap is filled."""
    state = table()
    for card in (Card.FAME, Card.MASON):
        state.deck[card] -= 1
        state.discards[card] += 1
    offer(state, 0, Card.RENAISSANCE, GREEN)
    cards = sum(state.deck) + sum(state.start)
    assert tags(do(state, "take_card", slot=0)) == ["card_taken", "card_spent", "deck_shuffled", "row_refilled"]
    assert (sum(state.deck), sum(state.start), sum(state.discards)) == (cards + 2 + 1 - 1, 0, 0)


MONUMENTS: list[Any] = [
    pytest.param([2], [3], 1, id="F36-whose-turn-it-is-not"),
    pytest.param([4], [3], 0, id="F36-taker"),
    pytest.param([3, 3], [2], 0, id="F36-two-own-are-no-tie"),
    pytest.param([3], [3], None, id="F36-tie"),
    pytest.param([], [], None, id="F36-no-towers"),
]


@pytest.mark.parametrize(("own", "others", "winner"), MONUMENTS)
def test_the_monument_goes_to_the_tallest_tower(own: list[int], others: list[int], winner: int | None) -> None:
    """Compared when the card is taken; no Patrician is asked; the chooser keeps the bricks."""
    state = table()
    deal(state, 0, Card.PATRICIAN)
    for height in own:
        raise_tower(state, 0, RED, height, idle=True)
    for height in others:
        raise_tower(state, 1, BLUE, height)
    offer(state, 0, Card.MONUMENT, PURPLE)
    do(state, "take_card", slot=0)
    assert [player.cards[Card.MONUMENT] for player in state.players] == [winner == 0, winner == 1]
    assert state.discards[Card.MONUMENT] == (winner is None)
    assert stock(state, 0) == {"white": 2, "purple": 1}


# ---- church (F37, F38) -----------------------------------------------------------------------------------------------

PRIVILEGES = [
    pytest.param(Card.MINOR_PRIVILEGE, 5, 2, id="F37-minor-privilege"),
    pytest.param(Card.PRIVILEGE, 6, 3, id="F37-privilege"),
    pytest.param(Card.MAJOR_PRIVILEGE, 7, 4, id="F37-major-privilege"),
]


@pytest.mark.parametrize(("card", "height", "points"), PRIVILEGES)
def test_privileges(card: Card, height: int, points: int) -> None:
    """The next commission of exactly this height brings more points; then the card is discarded."""
    state = table(step="fulfil")
    open_church(state, card)
    lower = raise_tower(state, 0, PURPLE, height - 1)
    do(state, "fulfil", tower=lower, colour="purple", height=height - 1)
    assert state.church == [card]
    exact = raise_tower(state, 0, BLUE, height)
    event = only(do(state, "fulfil", tower=exact, colour="blue", height=height), ev.CommissionFulfilled)
    assert (event.privilege, state.church, state.discards[card]) == (points, [], 1)


def campanile() -> State:
    """The Campanile is open; seat 0 has a red 3, a white 3 and a yellow 5."""
    state = table(step="fulfil")
    open_church(state, Card.CAMPANILE)
    for colour, height in ((RED, 3), (WHITE, 3), (YELLOW, 5)):
        raise_tower(state, 0, colour, height)
    return state


def test_the_bell_tower_comes_first() -> None:
    """F38: nothing else may be fulfilled; it brings neither points nor a seal; others may follow in the same turn."""
    state = campanile()
    assert refused(state, "fulfil", tower=0, colour="red", height=3) == "F38 campanile_first"
    assert refused(state, "fulfil", tower=1, colour="white", height=3) == "F38 campanile_first"
    assert refused(state, "fulfil", tower=0, campanile=True) == "F38 wrong_tower"
    assert refused(state, "fulfil", tower=1, campanile=True, height=3) == "F38 two_commissions"
    do(state, "fulfil", tower=1, campanile=True)
    assert (state.players[0].points, state.players[0].seals) == (0, 9)
    do(state, "fulfil", tower=0, colour="red", height=3)
    assert refused(state, "fulfil", tower=2, campanile=True) == "F38 no_bell_tower_due"


def test_the_architect_does_not_help_the_bell_tower() -> None:
    """F28, F38: two white levels are not three."""
    state = campanile()
    deal(state, 0, Card.ARCHITECT)
    low = raise_tower(state, 0, WHITE, 2)
    play(state, Card.ARCHITECT, tower=low, by=1)
    assert refused(state, "fulfil", tower=low, campanile=True) == "F38 wrong_tower"


def test_the_campanile_goes_when_all_have_delivered() -> None:
    """F38: until then it stays; everybody may fulfil again and none is owed."""
    state = campanile()
    do(state, "fulfil", tower=1, campanile=True)
    assert state.church == [Card.CAMPANILE]
    state.players[1].bell_tower, state.players[0].bell_tower = True, False
    low = raise_tower(state, 0, WHITE, 3)
    assert tags(do(state, "fulfil", tower=low, campanile=True))[-1] == "church_closed"
    assert (state.church, state.discards[Card.CAMPANILE]) == ([], 1)
    assert not any(player.bell_tower for player in state.players)
