"""Choosing a card, exchanging, building, and the limits at the end (F14-F20, F24, F25, F36)."""

import json
from typing import Any

import pytest

from domain import wire
from domain.chance import Draws
from domain.firenze import GAME
from domain.firenze.build import automatic
from domain.firenze.commands import Build
from domain.firenze.components import NO_BRICKS, PERSONNEL, Card
from domain.firenze.events import Built
from domain.firenze.state import State
from domain.game import decide
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    bricks,
    building,
    command,
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

# ---- paying for a card (F14) -----------------------------------------------------------------


NOT_TAKEN = [
    pytest.param({"slot": 6}, "F14 no_such_slot", id="F14-no-such-slot"),
    pytest.param({"slot": -1}, "F14 no_such_slot", id="F14-slot-from-the-right"),
    pytest.param({"slot": 3}, "F14 cannot_pay", id="F14-the-bricks-on-the-card-do-not-pay"),
    pytest.param({"slot": 2, "payment": ["white"]}, "F14 wrong_payment", id="F14-too-little"),
    pytest.param({"slot": 1, "payment": ["white"] * 2}, "F14 wrong_payment", id="F14-too-much"),
    pytest.param({"slot": 0, "payment": ["white"]}, "F14 wrong_payment", id="F14-slot-0-is-free"),
    pytest.param({"slot": 1, "payment": ["red"]}, "F14 no_such_brick", id="F14-not-held"),
]


@pytest.mark.parametrize(("fields", "why"), NOT_TAKEN)
def test_illegal_takes_are_refused(fields: dict[str, Any], why: str) -> None:
    """With two white bricks the slots 0 to 2 can be paid for, before anything is taken."""
    assert refused(table(), "take_card", **fields) == why


def test_a_card_must_be_chosen_first() -> None:
    """F14: a turn begins with a card or Personnel, and nobody acts in another's turn (F1)."""
    state = table()
    assert refused(state, "build") == "F14 wrong_phase"
    assert refused(state, "end_turn") == "F14 wrong_phase"
    assert refused(state, "exchange", slot=0, take="white") == "F14 wrong_phase"
    assert refused(state, "take_card", 1, slot=0) == "F1 not_your_turn"


# ---- where it goes (F15) ---------------------------------------------------------------------

PLACES = [
    pytest.param(Card.ALCHEMIST, (), "cards", id="F15-personnel-to-the-hand"),
    pytest.param(Card.SCANDAL, (), "cards", id="F15-celebration-to-the-hand"),
    pytest.param(Card.WORKSHOP, (), "cards", id="F15-building-opens"),
    pytest.param(Card.WORKSHOP, (Card.WORKSHOP,), "discards", id="F15-second-building-discarded"),
    pytest.param(Card.PRIVILEGE, (), "church", id="F15-church-opens"),
    pytest.param(Card.BOTCH, (), "discards", id="F15-event-discarded"),
]


@pytest.mark.parametrize(("card", "hand", "place"), PLACES)
def test_a_taken_card_goes_to_its_place(card: Card, hand: tuple[Card, ...], place: str) -> None:
    """The bricks of a taken card go to the storehouse in any case."""
    state = table()
    deal(state, 0, *hand)
    offer(state, 0, card, GREEN, GREEN)

    do(state, "take_card", slot=0)

    copies = {
        "cards": state.players[0].cards[card] - len(hand),
        "discards": state.discards[card],
        "church": state.church.count(card),
    }

    assert [name for name, count in copies.items() if count] == [place]
    assert stock(state, 0) == {"white": 2, "green": 2}


# ---- the refill (F16, F17) -------------------------------------------------------------------


def test_a_short_pouch_gives_its_rest() -> None:
    """F16: with two bricks left, two lie on the new card, and the card is never topped up."""
    state = table()
    leave_in_pouch(state, 2)

    do(state, "take_card", slot=0)

    assert sum(state.row[5].bricks) == 2
    assert sum(state.pouch) == 0

    store(state, 0)
    assert sum(state.pouch) > 0
    assert sum(state.row[5].bricks) == 2


def leave_in_pouch(state: State, count: int) -> None:
    """Leave only so many white bricks in the pouch. The others go to seat 1."""
    storehouse = state.players[1].storehouse
    for colour, bricks_left in enumerate(state.pouch):
        storehouse[colour] += bricks_left
    storehouse[WHITE] -= count
    state.pouch = [*NO_BRICKS]
    state.pouch[WHITE] = count


def test_without_any_card_the_row_gets_shorter() -> None:
    """F17: without a deck and discards the row gets shorter."""
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
        state.deck[card] = 0
        state.start[card] = 0


# ---- the Monument (F36) --------------------------------------------------------------------------


MONUMENTS: list[Any] = [
    pytest.param([2], [3], 1, id="F36-whose-turn-it-is-not"),
    pytest.param([4], [3], 0, id="F36-taker"),
    pytest.param([1], [], 0, id="F36-one-level-is-a-tower"),
    pytest.param([3, 3], [2], 0, id="F36-two-own-are-no-tie"),
    pytest.param([3], [3], None, id="F36-tie"),
    pytest.param([], [], None, id="F36-no-towers"),
]


@pytest.mark.parametrize(("own", "others", "winner"), MONUMENTS)
def test_the_monument_goes_to_the_tallest_tower(
    own: list[int], others: list[int], winner: int | None
) -> None:
    """F36: towers count when the card is taken. No Patrician is asked. Its taker has the bricks."""
    state = table()
    deal(state, 0, Card.PATRICIAN)
    for height in own:
        raise_tower(state, 0, RED, height, idle=True)
    for height in others:
        raise_tower(state, 1, BLUE, height)
    offer(state, 0, Card.MONUMENT, PURPLE)

    do(state, "take_card", slot=0)

    monuments = [player.cards[Card.MONUMENT] for player in state.players]

    assert monuments == [winner == 0, winner == 1]
    assert state.discards[Card.MONUMENT] == (winner is None)
    assert stock(state, 0) == {"white": 2, "purple": 1}


# ---- exchange (F18) --------------------------------------------------------------------------


def test_three_bricks_buy_one() -> None:
    """F18: three of any colours go onto the card, only once a turn."""
    state = building(white=2, yellow=1, green=3)

    do(state, "exchange", slot=3, take="white", give=bricks("white white yellow"))

    assert stock(state, 0) == {"white": 1, "green": 3}
    assert state.row[3].bricks == [3, 3, 0, 0, 0, 0]
    assert refused(state, "exchange", slot=3, take="white") == "F18 already_exchanged"


def test_the_bridge_saves_a_brick() -> None:
    """F18: with the Bridge an exchange costs 2 bricks."""
    state = building(white=1, green=1)
    assert refused(state, "exchange", slot=0, take="white") == "F18 cannot_pay"

    deal(state, 0, Card.BRIDGE)
    do(state, "exchange", slot=0, take="yellow")
    assert stock(state, 0) == {"yellow": 1}


NOT_EXCHANGED: list[Any] = [
    pytest.param(6, "white", None, "F18 no_such_slot", id="F18-no-such-slot"),
    pytest.param(0, "red", None, "F18 no_such_brick", id="F18-not-on-the-card"),
    pytest.param(0, "white", ["red"], "F18 no_such_brick", id="F18-not-held"),
    pytest.param(0, "white", ["white"] * 4, "F18 too_many_bricks", id="F18-too-many"),
]


@pytest.mark.parametrize(("slot", "take", "give", "why"), NOT_EXCHANGED)
def test_illegal_exchanges_are_refused(
    slot: int, take: str, give: list[str] | None, why: str
) -> None:
    """F18: the brick must lie on the card, and the seat must have the price."""
    state = building(white=5)
    assert refused(state, "exchange", slot=slot, take=take, give=give) == why


# ---- build (F19) -----------------------------------------------------------------------------

COSTS = [
    pytest.param((), [0, 0, 0, 1, 3, 6, 10], id="F19-plain"),
    pytest.param((Card.WORKSHOP,), [0, 0, 0, 0, 2, 5, 9], id="F19-workshop"),
    pytest.param((Card.MASON,), [0, 0, 0, 0, 0, 3, 7], id="F19-mason"),
    pytest.param((Card.WORKSHOP, Card.MASON), [0, 0, 0, 0, 0, 2, 6], id="F19-both"),
]


@pytest.mark.parametrize(("cards", "costs"), COSTS)
def test_laying_bricks_has_its_cost(cards: tuple[Card, ...], costs: list[int]) -> None:
    """F19: bricks cost as in the table, less 1, 3 or 4, never below 0. The pouch gets them."""
    for count, price in enumerate(costs):
        state = building(red=count, white=price)
        deal(state, 0, *cards)
        if Card.MASON in cards:
            do(state, "play_personnel", card="mason")
        assert GAME.view(state, 0)["build"]["cost"] == costs

        lay = [{"colour": "red", "bricks": count}] if count else []
        built = only(do(state, "build", lay=lay), Built)

        assert built.payment == (WHITE,) * price
        assert stock(state, 0) == {}


NOT_BUILT: list[Any] = [
    pytest.param([("red", 7, None)], "F19 too_many_bricks", id="F19-six-at-most"),
    pytest.param([("red", 0, None)], "F19 too_few_bricks", id="F19-nothing-laid"),
    pytest.param(
        [("red", 3, None), ("red", -2, None)], "F19 too_few_bricks", id="F19-never-lowered"
    ),
    pytest.param([("blue", 1, None)], "F19 no_such_brick", id="F19-not-held"),
    pytest.param([("red", 1, 5)], "F19 no_such_tower", id="F19-no-such-tower"),
    pytest.param([("red", 1, 0)], "F19 wrong_colour", id="F19-one-colour-a-tower"),
    pytest.param([("red", 6, None)], "F19 cannot_pay", id="F19-one-brick-short-of-the-price"),
]


@pytest.mark.parametrize(("entries", "why"), NOT_BUILT)
def test_illegal_builds_are_refused(entries: list[tuple[str, int, int | None]], why: str) -> None:
    """Seat 0 has a white tower and red bricks. After laying six of them nine are left."""
    state = building(red=12, white=3)
    raise_tower(state, 0, WHITE, 2, idle=True)

    lay = [{"colour": colour, "bricks": count, "tower": tower} for colour, count, tower in entries]
    assert refused(state, "build", lay=lay) == why


def test_building_is_once_a_turn_and_after_the_exchange() -> None:
    """F19: after a build there is neither another build nor an exchange."""
    state = building(red=3)
    do(state, "build")
    assert refused(state, "build") == "F21 wrong_phase"
    assert refused(state, "exchange", slot=0, take="white") == "F21 wrong_phase"


def test_fulfilling_without_building_comes_too_late() -> None:
    """F19, F20: without a build every standing tower is torn down, so none can be delivered."""
    state = building(red=3)
    raise_tower(state, 0, RED, 5, idle=True)
    assert refused(state, "fulfil", tower=0, colour="red", height=5) == "F20 build_first"


# ---- tear down (F20) -------------------------------------------------------------------------

UNRAISED = [
    pytest.param(1, 1, 0, id="F20-one"),
    pytest.param(4, 2, 2, id="F20-even"),
    pytest.param(5, 3, 2, id="F20-odd"),
]


@pytest.mark.parametrize(("height", "lost", "saved"), UNRAISED)
def test_an_unraised_tower_is_lost(height: int, lost: int, saved: int) -> None:
    """[F20-unraised-tower-lost] Half the tower's bricks, rounded up, go to the pouch.

    The rest goes to the storehouse.
    """
    state = building(white=1)
    raise_tower(state, 0, RED, height, idle=True)
    pouch_before = state.pouch[RED]

    tower = {"colour": "white", "bricks": 1}
    do(state, "build", lay=[tower])

    assert towers(state, 0) == [(WHITE, 1)]
    assert state.pouch[RED] == pouch_before + lost
    assert state.players[0].storehouse[RED] == saved


# ---- the builds that are listed ------------------------------------------------------------------


def rich() -> State:
    """Seat 0 may do as much as ever: bricks of all colours, four towers, every Personnel card."""
    state = building(white=5, yellow=5, green=5, red=5, blue=5, purple=4)
    store(state, 1, white=1, yellow=1, green=1, red=1, blue=1, purple=1)
    for colour in (WHITE, RED, BLUE, PURPLE):
        raise_tower(state, 0, colour, 1, idle=True)
    deal(state, 0, *PERSONNEL)
    return state


def listed_builds(state: State) -> list[Build]:
    """Return the builds among the legal moves of seat 0."""
    return [move for move in GAME.legal_moves(state, 0) if isinstance(move, Build)]


def test_the_listing_holds_the_important_builds() -> None:
    """F19: building nothing and raising every tower are listed, however many builds there are."""
    builds = [build.lay for build in listed_builds(rich())]
    raised = [{lay.tower for lay in entries} for entries in builds]
    assert () in builds
    assert {0, 1, 2, 3} in raised


def test_the_listing_is_bounded() -> None:
    """F19: the listing has less than 100 kB on the wire, even in the fullest of positions."""
    moves = GAME.legal_moves(rich(), 0)
    assert len(json.dumps([wire.encode(move) for move in moves])) < 100_000


def test_builds_outside_the_listing_are_accepted() -> None:
    """F19: an example is a build of two new towers of one colour."""
    state = rich()
    tower = {"colour": "green", "bricks": 1}
    twins = command("build", 0, lay=[tower, tower])
    assert twins not in GAME.legal_moves(state, 0)
    assert decide(GAME, state, twins, Draws(b""))


def test_with_few_bricks_the_listing_is_complete() -> None:
    """F19: a red tower and two red bricks.

    None, one or two bricks go onto the tower, each with the choices left for a new tower.
    """
    state = building(red=2)
    raise_tower(state, 0, RED, 1, idle=True)

    lays = []
    for build in listed_builds(state):
        entries = tuple((lay.tower, lay.bricks) for lay in build.lay)
        lays.append(entries)

    expected: list[Any] = [
        (),
        ((None, 1),),
        ((None, 2),),
        ((0, 1),),
        ((0, 2),),
        ((0, 1), (None, 1)),
    ]

    assert sorted(lays, key=repr) == sorted(expected, key=repr)


# ---- the storehouse (F24) --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stock_before", "cards", "stock_after"),
    [
        pytest.param(13, (), 10, id="F24-ten"),
        pytest.param(10, (), 10, id="F24-just-ten"),
        pytest.param(17, (Card.WAREHOUSE,), 15, id="F24-warehouse"),
    ],
)
def test_the_storehouse_limit(stock_before: int, cards: tuple[Card, ...], stock_after: int) -> None:
    """The surplus goes to the pouch, by F25 if it is not named."""
    state = building(green=stock_before - 4, yellow=4)
    deal(state, 0, *cards)

    do(state, "end_turn")
    assert sum(stock(state, 0).values()) == stock_after


def test_the_player_chooses_the_surplus() -> None:
    """F24: bricks that are not named are chosen by F25. No more than are due may be named."""
    state = building(white=6, red=6)
    assert refused(state, "end_turn", bricks=bricks("red red red")) == "F24 too_many_bricks"

    do(state, "end_turn", bricks=["red"])
    assert stock(state, 0) == {"white": 5, "red": 5}


def test_bricks_may_not_be_given_away_without_a_surplus() -> None:
    """F24: without a surplus no bricks are due, so none may be named."""
    state = building(white=6)
    assert refused(state, "end_turn", bricks=["white"]) == "F24 too_many_bricks"


# ---- the hand (F24) --------------------------------------------------------------------------

FIVE = (Card.ALCHEMIST, Card.MASON, Card.WORKSHOP, Card.BRIDGE, Card.FAME)
SIX = (*FIVE, Card.PATRICIAN)
FOUR_CELEBRATIONS = (Card.FAME, Card.FAME, Card.SCANDAL, Card.SCANDAL)
SIX_CELEBRATIONS = (*FOUR_CELEBRATIONS, Card.DISGRACE, Card.DISGRACE)

WRONG_DISCARDS: list[Any] = [
    pytest.param(SIX, None, id="F24-must-be-named"),
    pytest.param(SIX, ["fame"], id="F24-no-celebrations"),
    pytest.param(SIX, ["mason", "bridge"], id="F24-exactly-as-many"),
    pytest.param(SIX, ["saboteur"], id="F24-not-held"),
    pytest.param(FIVE, ["mason"], id="F24-none-due"),
]


@pytest.mark.parametrize(("hand", "choice"), WRONG_DISCARDS)
def test_cards_to_go_are_named_exactly(hand: tuple[Card, ...], choice: list[str] | None) -> None:
    """Five cards stay, hand and buildings together. Celebrations never go."""
    state = building()
    deal(state, 0, *hand)
    assert refused(state, "end_turn", cards=choice) == "F24 wrong_discards"


WITH_A_WAREHOUSE = (*FIVE, Card.WAREHOUSE, Card.MASON)
FIVE_AND_ONE = (*FOUR_CELEBRATIONS, Card.DISGRACE, Card.MASON)
SIX_AND_TWO = (*SIX_CELEBRATIONS, Card.MASON, Card.BRIDGE)
DISCARDS: dict[str, tuple[tuple[Card, ...], list[str] | None, set[Card]]] = {
    "F24-chosen": (SIX, ["bridge"], {Card.BRIDGE}),
    "F24-no-limit-with-a-warehouse": (WITH_A_WAREHOUSE, None, set()),
    "F24-five-celebrations": (FIVE_AND_ONE, None, {Card.MASON}),
    "F24-everything-else-goes": (SIX_AND_TWO, None, {Card.MASON, Card.BRIDGE}),
    "F24-no-choice": ((*FOUR_CELEBRATIONS, Card.MASON, Card.MASON), None, {Card.MASON}),
}


@pytest.mark.parametrize(("hand", "choice", "discarded"), DISCARDS.values(), ids=DISCARDS)
def test_the_card_limit(
    hand: tuple[Card, ...], choice: list[str] | None, discarded: set[Card]
) -> None:
    """Personnel and Buildings go by choice. Without a choice they need not be named."""
    state = building()
    deal(state, 0, *hand)

    do(state, "end_turn", cards=choice)
    assert {card for card in Card if state.discards[card]} == discarded


# ---- the automatic rule (F25) ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "building_of", "chosen"),
    [
        pytest.param(2, (), "white white", id="F25-cheapest-first"),
        pytest.param(2, (WHITE,), "yellow purple", id="F25-not-what-is-being-built"),
        pytest.param(4, (WHITE, YELLOW), "purple white white yellow", id="F25-then-the-others"),
        pytest.param(9, (), "white white yellow purple", id="F25-all-there-is"),
        pytest.param(0, (), "", id="F25-none-due"),
    ],
)
def test_the_automatic_rule(count: int, building_of: tuple[int, ...], chosen: str) -> None:
    """F25: colours of no tower being built go first, then the others, each the cheapest first."""
    colours = automatic(count, [2, 1, 0, 0, 0, 1], building_of)
    assert [colour.wire for colour in colours] == bricks(chosen)
