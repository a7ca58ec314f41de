"""Choosing, exchanging, building, tearing down, limits (F14-F20, F24, F25)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze import events as ev
from domain.firenze.components import Card, Step
from domain.firenze.payment import automatic
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
    raise_tower,
    refused,
    stock,
    store,
    table,
    tags,
    towers,
)

# ---- choose (F14-F17) ------------------------------------------------------------------------------------------------


def test_the_leftmost_card_is_free() -> None:
    """F14: even an empty storehouse can take slot 0, so a turn is never stuck."""
    state = table()
    store(state, 0)
    assert [move.slot for move in GAME.legal_moves(state, 0)] == [0]
    do(state, "take_card", slot=0)
    assert stock(state, 0) == {"white": 2, "yellow": 2}


def test_a_card_costs_a_brick_for_each_slot_left_of_it() -> None:
    """F14: the first brick of the payment goes onto slot 0, the second onto slot 1, in this order."""
    state = table()
    store(state, 0, red=1, blue=1)
    do(state, "take_card", slot=2, payment=bricks("blue red"))
    assert [(slot.bricks[BLUE], slot.bricks[RED]) for slot in state.row[:3]] == [(1, 0), (0, 1), (0, 0)]
    assert stock(state, 0) == {"white": 2, "yellow": 2}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"slot": 6}, "F14 no_such_slot", id="F14-no-such-slot"),
        pytest.param({"slot": -1}, "F14 no_such_slot", id="F14-slot-from-the-right"),
        pytest.param({"slot": 3}, "F14 cannot_pay", id="F14-the-bricks-on-the-card-do-not-pay"),
        pytest.param({"slot": 2, "payment": ["white"]}, "F14 wrong_payment", id="F14-too-little"),
        pytest.param({"slot": 1, "payment": ["white", "white"]}, "F14 wrong_payment", id="F14-too-much"),
        pytest.param({"slot": 1, "payment": ["red"]}, "F14 no_such_brick", id="F14-not-held"),
    ],
)
def test_what_cannot_be_taken(fields: dict[str, Any], why: str) -> None:
    """With two white bricks the slots 0 to 2 can be paid for, before anything is taken."""
    assert refused(table(), "take_card", **fields) == why


def test_a_card_must_be_chosen_first() -> None:
    """F14: nothing but a card or Personnel before that."""
    state = table()
    assert refused(state, "build") == refused(state, "end_turn") == "F14 wrong_phase"
    assert refused(state, "exchange", slot=0, take="white") == "F14 wrong_phase"
    assert refused(state, "take_card", 1, slot=0) == "F1 not_your_turn"


@pytest.mark.parametrize(
    ("card", "held", "place"),
    [
        pytest.param(Card.ALCHEMIST, (), "cards", id="F15-personnel-to-the-hand"),
        pytest.param(Card.SCANDAL, (), "cards", id="F15-celebration-to-the-hand"),
        pytest.param(Card.WORKSHOP, (), "cards", id="F15-building-opens"),
        pytest.param(Card.WORKSHOP, (Card.WORKSHOP,), "discards", id="F15-second-building-discarded"),
        pytest.param(Card.PRIVILEGE, (), "church", id="F15-church-opens"),
        pytest.param(Card.BOTCH, (), "discards", id="F15-event-discarded"),
    ],
)
def test_where_a_taken_card_goes(card: Card, held: tuple[Card, ...], place: str) -> None:
    """Its bricks go to the storehouse in any case."""
    state = table()
    deal(state, 0, *held)
    offer(state, 0, card, GREEN, GREEN)
    do(state, "take_card", slot=0)
    player = state.players[0]
    found = {"cards": player.cards[card] - len(held), "discards": state.discards[card], "church": card in state.church}
    assert {name for name, count in found.items() if count} == {place}
    assert stock(state, 0) == {"white": 2, "green": 2}


def test_the_row_closes_up_and_is_refilled_at_once() -> None:
    """F16: the others move left; a card with four bricks comes to slot 5, and serves the exchange of this turn."""
    state = table()
    cards = [slot.card for slot in state.row]
    events = do(state, "take_card", slot=1)
    drawn = only(events, ev.RowRefilled)
    assert [slot.card for slot in state.row] == [cards[0], *cards[2:], drawn.card]
    assert sum(state.row[5].bricks) == len(drawn.bricks) == 4
    do(state, "exchange", slot=5, take=drawn.bricks[0].wire)


def test_while_an_event_waits_the_row_has_five_cards() -> None:
    """F16: the refill is drawn after the event, and no Personnel may be played before."""
    state = table()
    deal(state, 0, Card.PATRICIAN, Card.ALCHEMIST)
    offer(state, 0, Card.RENAISSANCE, GREEN)
    do(state, "take_card", slot=0)
    assert len(state.row) == 5
    assert refused(state, "play_personnel", card="alchemist", take="red", give="green") == "F31 wrong_phase"
    do(state, "answer_event", patrician=False)
    assert len(state.row) == 6


def test_a_short_pouch_gives_what_it_has() -> None:
    """F16: two bricks are left, two lie on the new card, and it is never topped up."""
    state = table()
    hide_pouch(state, keep=2)
    do(state, "take_card", slot=0)
    assert (sum(state.row[5].bricks), sum(state.pouch)) == (2, 0)
    store(state, 0)
    assert sum(state.row[5].bricks) == 2


def hide_pouch(state: State, keep: int) -> None:
    """Leave only so many white bricks in the pouch; the others go to seat 1."""
    storehouse = state.players[1].storehouse
    storehouse[:] = [have + more for have, more in zip(storehouse, state.pouch, strict=True)]
    storehouse[WHITE] -= keep
    state.pouch[:] = [keep, 0, 0, 0, 0, 0]


def test_the_discards_become_the_deck() -> None:
    """F17: with an empty deck the discards are shuffled."""
    state = table()
    empty_deck(state)
    state.discards[Card.FAME], state.players[1].cards[Card.FAME] = 2, 0
    events = do(state, "take_card", slot=0)
    assert tags(events)[-2:] == ["deck_shuffled", "row_refilled"]
    assert state.row[5].card is Card.FAME
    assert (state.deck[Card.FAME], sum(state.discards)) == (1, 0)


def test_without_any_card_the_row_gets_shorter() -> None:
    """F17: no deck and no discards."""
    state = table()
    empty_deck(state)
    assert tags(do(state, "take_card", slot=0))[-1] == "row_shortened"
    assert len(state.row) == 5
    do(state, "end_turn", cards=[])
    do(state, "take_card", 1, slot=0)
    assert len(state.row) == 4


def empty_deck(state: State) -> None:
    """Give all cards of the deck to seat 1."""
    for card in Card:
        state.players[1].cards[card] += state.deck[card] + state.start[card]
        state.deck[card] = state.start[card] = 0


# ---- exchange (F18) --------------------------------------------------------------------------------------------------


def building(**stored: int) -> State:
    """Seat 0 has chosen its card and holds these bricks."""
    state = table(step="build")
    store(state, 0, **stored)
    return state


def test_three_bricks_buy_one() -> None:
    """F18: the three go onto the card, whatever their colour, and it is for once a turn."""
    state = building(white=2, yellow=1, green=3)
    do(state, "exchange", slot=3, take="white", give=bricks("white white yellow"))
    assert stock(state, 0) == {"white": 1, "green": 3}
    assert state.row[3].bricks == [3, 3, 0, 0, 0, 0]
    assert refused(state, "exchange", slot=3, take="white") == "F18 already_exchanged"


def test_the_bridge_saves_a_brick() -> None:
    """F18: 2 with the Bridge."""
    state = building(white=1, green=1)
    assert refused(state, "exchange", slot=0, take="white") == "F18 cannot_pay"
    deal(state, 0, Card.BRIDGE)
    do(state, "exchange", slot=0, take="yellow")
    assert stock(state, 0) == {"yellow": 1}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"slot": 6, "take": "white"}, "F18 no_such_slot", id="F18-no-such-slot"),
        pytest.param({"slot": 0, "take": "red"}, "F18 no_such_brick", id="F18-not-on-the-card"),
        pytest.param({"slot": 0, "take": "white", "give": ["red"]}, "F18 no_such_brick", id="F18-not-held"),
        pytest.param({"slot": 0, "take": "white", "give": ["white"] * 4}, "F18 too_many_bricks", id="F18-too-many"),
    ],
)
def test_what_cannot_be_exchanged(fields: dict[str, Any], why: str) -> None:
    """The brick must lie there, and the price be held."""
    assert refused(building(white=5), "exchange", **fields) == why


# ---- build (F19) -----------------------------------------------------------------------------------------------------

COSTS = [
    pytest.param((), [0, 0, 0, 1, 3, 6, 10], id="F19-plain"),
    pytest.param((Card.WORKSHOP,), [0, 0, 0, 0, 2, 5, 9], id="F19-workshop"),
    pytest.param((Card.MASON,), [0, 0, 0, 0, 0, 3, 7], id="F19-mason"),
    pytest.param((Card.WORKSHOP, Card.MASON), [0, 0, 0, 0, 0, 2, 6], id="F19-both"),
]


@pytest.mark.parametrize(("cards", "costs"), COSTS)
def test_what_laying_bricks_costs(cards: tuple[Card, ...], costs: list[int]) -> None:
    """The table of costs, less 1, 3 or 4, never below 0; the bricks go to the pouch."""
    for count, price in enumerate(costs):
        state = building(red=count, white=price)
        deal(state, 0, *cards)
        if Card.MASON in cards:
            do(state, "play_personnel", card="mason")
        assert GAME.view(state, 0)["build"]["cost"] == costs
        events = do(state, "build", lay=[{"colour": "red", "bricks": count}] if count else [])
        assert stock(state, 0) == {}
        assert only(events, ev.Built).payment == (WHITE,) * price


def test_building_can_be_just_too_expensive() -> None:
    """F19: the price is paid out of what is left after laying."""
    state = building(red=4, white=2)
    assert refused(state, "build", lay=[{"colour": "red", "bricks": 4}]) == "F19 cannot_pay"
    store(state, 0, red=4, white=3)
    do(state, "build", lay=[{"colour": "red", "bricks": 4}], payment=bricks("white white white"))
    assert towers(state, 0) == [(RED, 4)]


@pytest.mark.parametrize(
    ("lay", "why"),
    [
        pytest.param([("red", 7, None)], "F19 too_many_bricks", id="F19-six-at-most"),
        pytest.param([("red", 0, None)], "F19 too_few_bricks", id="F19-nothing-laid"),
        pytest.param([("red", 3, None), ("red", -2, None)], "F19 too_few_bricks", id="F19-never-lowered"),
        pytest.param([("blue", 1, None)], "F19 no_such_brick", id="F19-not-held"),
        pytest.param([("red", 1, 5)], "F19 no_such_tower", id="F19-no-such-tower"),
        pytest.param([("red", 1, 0)], "F19 wrong_colour", id="F19-one-colour-a-tower"),
    ],
)
def test_what_cannot_be_built(lay: list[tuple[str, int, int | None]], why: str) -> None:
    """Seat 0 has a white tower and red bricks."""
    state = building(red=12, white=3)
    raise_tower(state, 0, WHITE, 2, idle=True)
    entries = [{"colour": c, "bricks": n} | ({} if t is None else {"tower": t}) for c, n, t in lay]
    assert refused(state, "build", lay=entries) == why


def test_entries_add_up_and_new_towers_stay_apart() -> None:
    """F19: two entries for one tower make one raise; two new towers of one colour are two; a tower may pass 8."""
    state = building(green=2, red=2, white=3)
    number = raise_tower(state, 0, GREEN, 8, idle=True)
    onto = {"colour": "green", "bricks": 1, "tower": number}
    do(state, "build", lay=[onto, onto, {"colour": "red", "bricks": 1}, {"colour": "red", "bricks": 1}], payment=[])
    assert towers(state, 0) == [(GREEN, 10), (RED, 1), (RED, 1)]
    assert [tower.id for tower in state.players[0].towers] == [0, 1, 2]


def test_building_is_once_a_turn_and_after_the_exchange() -> None:
    """F19: neither again nor an exchange after it."""
    state = building(red=3)
    do(state, "build")
    assert refused(state, "build") == refused(state, "exchange", slot=0, take="white") == "F21 wrong_phase"


def test_fulfilling_without_building_comes_too_late() -> None:
    """F19, F20: without a build every standing tower is torn down, so none can be delivered."""
    state = building(red=3)
    raise_tower(state, 0, RED, 5, idle=True)
    assert refused(state, "fulfil", tower=0, colour="red", height=5) == "F20 build_first"


# ---- tear down (F20) -------------------------------------------------------------------------------------------------

UNRAISED = [
    pytest.param(1, 1, 0, id="F20-one"),
    pytest.param(4, 2, 2, id="F20-even"),
    pytest.param(5, 3, 2, id="F20-odd"),
]


@pytest.mark.parametrize(("height", "lost", "saved"), UNRAISED)
def test_an_unraised_tower_is_lost(height: int, lost: int, saved: int) -> None:
    """[F20-unraised-tower-lost] Half its bricks, rounded up, go to the pouch, the rest to the storehouse."""
    state = building(white=1)
    raise_tower(state, 0, RED, height, idle=True)
    pouch = state.pouch[RED]
    do(state, "build", lay=[{"colour": "white", "bricks": 1}])
    assert towers(state, 0) == [(WHITE, 1)]
    assert (state.pouch[RED] - pouch, state.players[0].storehouse[RED]) == (lost, saved)


def test_a_raised_or_new_tower_stays_until_the_next_turn() -> None:
    """F20: raised now it stays; a turn later it is idle again, and the view says what is at stake."""
    state = building(red=1, white=1)
    raise_tower(state, 0, RED, 2, idle=True)
    raise_tower(state, 1, BLUE, 3)
    do(state, "build", lay=[{"colour": "red", "bricks": 1, "tower": 0}, {"colour": "white", "bricks": 1}])
    assert [tower["lost_unless_raised"] for tower in GAME.view(state, 0)["players"][0]["towers"]] == [False, False]
    do(state, "end_turn")
    assert [tower["lost_unless_raised"] for tower in GAME.view(state, 0)["players"][1]["towers"]] == [True]
    assert towers(state, 0) == [(RED, 3), (WHITE, 1)]


def test_ending_the_turn_without_a_build_tears_down() -> None:
    """F19, F20: it is a build of nothing first."""
    state = building()
    raise_tower(state, 0, RED, 3, idle=True)
    assert tags(do(state, "end_turn")) == ["built", "tower_torn_down", "turn_began"]
    assert stock(state, 0) == {"red": 1}


# ---- limits (F24) ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "cards", "left"),
    [
        pytest.param(13, (), 10, id="F24-ten"),
        pytest.param(10, (), 10, id="F24-just-ten"),
        pytest.param(17, (Card.WAREHOUSE,), 15, id="F24-warehouse"),
    ],
)
def test_the_storehouse_limit(held: int, cards: tuple[Card, ...], left: int) -> None:
    """The surplus goes to the pouch, by F25 if it is not named."""
    state = building(green=held - 4, yellow=4)
    deal(state, 0, *cards)
    do(state, "end_turn")
    assert sum(stock(state, 0).values()) == left


def test_the_player_chooses_the_surplus() -> None:
    """F24: bricks that are not named are chosen by F25; no more than are due may be named."""
    state = building(white=6, red=6)
    assert refused(state, "end_turn", bricks=bricks("red red red")) == "F24 too_many_bricks"
    do(state, "end_turn", bricks=["red"])
    assert stock(state, 0) == {"white": 5, "red": 5}


def test_the_surplus_is_counted_after_the_tear_down() -> None:
    """F24: bricks that come back from a torn tower count."""
    state = building(white=10)
    raise_tower(state, 0, RED, 4, idle=True)
    do(state, "end_turn")
    assert sum(stock(state, 0).values()) == 10


FIVE = (Card.ALCHEMIST, Card.MASON, Card.WORKSHOP, Card.BRIDGE, Card.FAME)
CARD_LIMITS: list[Any] = [
    pytest.param((*FIVE, Card.PATRICIAN), None, "F24 wrong_discards", id="F24-must-be-named"),
    pytest.param((*FIVE, Card.PATRICIAN), ["fame"], "F24 wrong_discards", id="F24-no-celebrations"),
    pytest.param((*FIVE, Card.PATRICIAN), ["mason", "bridge"], "F24 wrong_discards", id="F24-exactly-as-many"),
    pytest.param((*FIVE, Card.PATRICIAN), ["saboteur"], "F24 wrong_discards", id="F24-not-held"),
    pytest.param(FIVE, ["mason"], "F24 wrong_discards", id="F24-none-due"),
    pytest.param((*FIVE, Card.PATRICIAN), ["bridge"], {Card.BRIDGE}, id="F24-chosen"),
    pytest.param((*FIVE, Card.WAREHOUSE, Card.MASON), None, set(), id="F24-no-limit-with-a-warehouse"),
    pytest.param((Card.FAME, Card.FAME, *[Card.SCANDAL] * 2, Card.DISGRACE, Card.MASON), None, {Card.MASON},
                 id="F24-five-celebrations"),
    pytest.param((Card.FAME, Card.FAME, *[Card.SCANDAL] * 2, *[Card.DISGRACE] * 2, Card.MASON, Card.BRIDGE), None,
                 {Card.MASON, Card.BRIDGE}, id="F24-everything-else-goes"),
    pytest.param((*[Card.FAME] * 2, *[Card.SCANDAL] * 2, *[Card.MASON] * 2), None, {Card.MASON}, id="F24-no-choice"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "named", "expected"), CARD_LIMITS)
def test_the_card_limit(held: tuple[Card, ...], named: list[str] | None, expected: Any) -> None:
    """Five cards, hand and buildings together; Personnel and Buildings go by choice, Celebrations never."""
    state = building()
    deal(state, 0, *held)
    if isinstance(expected, str):
        assert refused(state, "end_turn", cards=named) == expected
        return
    do(state, "end_turn", cards=named)
    assert {card for card in Card if state.discards[card]} == expected


# ---- the automatic rule (F25) ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "building_of", "chosen"),
    [
        pytest.param(2, (), "white white", id="F25-cheapest-first"),
        pytest.param(2, (WHITE,), "yellow purple", id="F25-not-what-is-being-built"),
        pytest.param(4, (WHITE, YELLOW), "purple white white yellow", id="F25-then-the-others"),
        pytest.param(9, (), "white white yellow purple", id="F25-all-there-is"),
    ],
)
def test_the_automatic_rule(count: int, building_of: tuple[int, ...], chosen: str) -> None:
    """Colours of which no tower is being built first, within each the cheapest first."""
    assert [c.wire for c in automatic(count, [2, 1, 0, 0, 0, 1], building_of)] == bricks(chosen)


def test_a_tower_begun_by_the_same_build_counts() -> None:
    """F25: white is being built by this very build, so yellow pays."""
    state = building(white=5, yellow=1)
    assert only(do(state, "build", lay=[{"colour": "white", "bricks": 3}]), ev.Built).payment == (YELLOW,)


def test_payments_left_out_go_by_the_rule() -> None:
    """F25: for a card, an exchange and a surplus alike."""
    state = table()
    store(state, 0, white=1, yellow=1, purple=1)
    raise_tower(state, 0, WHITE, 1, idle=True)
    assert only(do(state, "take_card", slot=1), ev.CardTaken).payment == (YELLOW,)
    store(state, 0, white=3, purple=2)
    assert only(do(state, "exchange", slot=0, take="white"), ev.BricksExchanged).give == (PURPLE, PURPLE, WHITE)


# ---- the listing of builds -------------------------------------------------------------------------------------------


def test_the_listing_of_builds_is_bounded_and_holds_what_matters() -> None:
    """F19: the empty build and one that raises every tower are listed however many builds there are."""
    state = building(white=5, yellow=5, green=5, red=5, blue=5, purple=4)
    for colour in (WHITE, RED, BLUE, PURPLE):
        raise_tower(state, 0, colour, 1, idle=True)
    moves = [move for move in GAME.legal_moves(state, 0) if type(move).tag == "build"]
    assert 100 < len(moves) < 150
    assert () in [move.lay for move in moves]
    assert {0, 1, 2, 3} in [{lay.tower for lay in move.lay} for move in moves]
    assert state.agenda[-1].step is Step.BUILD
