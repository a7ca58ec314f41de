"""What is secret and what everybody may see (C43)."""

import json
from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.calimala import commands as c
from domain.calimala import events as e
from domain.calimala.components import FINAL_CARDS, Action, Category
from domain.calimala.state import State, initial
from domain.chance import Draws
from domain.game import Setup
from tests.domain.calimala.table import BRICK_WOOD, activate, deal, do, give, table


def secretive() -> State:
    """A table where every seat holds cards."""
    state = table(4)
    deal(state, 0, Action.WOOD, Action.WOOD)
    deal(state, 1, Action.SHIP)
    deal(state, 2, Action.WEAVE, Action.BUILD, Action.BUILD)
    return state


def dealt(seats: int) -> State:
    state = initial(Setup(seats, {"edition": "english", "layout": "random"}))
    do(state, "set_up")
    return state


def test_a_seat_sees_its_own_cards() -> None:
    """C43: its hand, and the scoring cards dealt to it and kept."""
    own = GAME.view(secretive(), 2)["own"]
    assert own == {
        "hand": {"build": 2, "weave": 1},
        "scoring_cards_dealt": ["london"],
        "scoring_card_kept": "london",
    }


@pytest.mark.parametrize(
    "viewer", [pytest.param(None, id="C43-public"), pytest.param(0, id="C43-another-seat")]
)
def test_others_see_only_how_many_cards_there_are(viewer: int | None) -> None:
    """C43: changing a hand, the deck's composition or a kept card changes no other view."""
    state = secretive()
    before = GAME.view(state, viewer)
    assert ("own" in before) == (viewer is not None)
    assert [player["hand_size"] for player in before["players"]] == [2, 1, 3, 0]
    assert before["deck_size"] == 39
    state.players[2].hand, state.deck = [0, 0, 0, 0, 3, 0, 0, 0, 0], [0, 0, 0, 0, 39, 0, 0, 0, 0]
    state.players[2].dealt, state.players[2].kept = [Category.SAN_MINIATO], Category.SAN_MINIATO
    assert GAME.view(state, viewer) == before


def test_all_else_is_public() -> None:
    """C43: every heap, stack, seat and engine that changes the state changes the public view."""
    changes: list[Any] = [
        lambda state: give(state, 1, wood=1),
        lambda state: give(state, 1, cloth=1),
        lambda state: setattr(state.players[1], "ships", 2),
        lambda state: setattr(state.players[1], "houses", [0, 1, 0]),
        lambda state: setattr(state.players[1], "points", 2),
        lambda state: setattr(state.players[1], "whites", 0),
        lambda state: state.discards.__setitem__(3, 2),
        lambda state: state.streets[3].append(-1),
        lambda state: state.council_seats.append(1),
        lambda state: state.cloth[2].__setitem__(1, 3),
        lambda state: state.contributed[2].__setitem__(1, 3),
        lambda state: state.artworks[2].__setitem__(1, 3),
        lambda state: state.patrons.append(1),
        lambda state: activate(state, 1, BRICK_WOOD),
    ]
    plain = GAME.view(table(), None)
    for number, change in enumerate(changes):
        state = table()
        change(state)
        assert GAME.view(state, None) != plain, f"change {number}"


def test_final_cards_become_public_when_revealed() -> None:
    """C41, C43: the kept ones only."""
    state = dealt(3)
    for seat in range(3):
        do(state, "keep_scoring_card", seat, card=state.players[seat].dealt[0].wire)
    assert GAME.view(state, None)["final_cards"] is None
    state.revealed = True
    assert GAME.view(state, None)["final_cards"] == [
        player.dealt[0].wire for player in state.players
    ]


SECRET: list[Any] = [
    pytest.param(e.ScoringCardsDealt(1, (Category.LISBON,)), "cards", id="C43-dealt"),
    pytest.param(e.ScoringCardKept(1, Category.LISBON), "card", id="C43-kept"),
    pytest.param(
        e.Compensated(1, Action.SHIP, drew=True, card=Action.WOOD), "card", id="C43-drawn"
    ),
    pytest.param(c.KeepScoringCard(1, Category.LISBON), "card", id="C43-command"),
]


@pytest.mark.parametrize(("message", "field"), SECRET)
def test_messages_hide_what_is_secret(message: Any, field: str) -> None:
    """C43: the seat itself reads the card, others read the message without it."""
    assert wire.redact(message, 1) == message
    for viewer in (None, 0):
        assert field not in wire.encode(wire.redact(message, viewer))


def test_a_match_tells_the_public_no_card_before_it_is_shown() -> None:
    """C43: in the redacted opening nothing but the open card of the ten is named outside the council."""
    state = initial(Setup(4, {"edition": "english", "layout": "random"}))
    events = [wire.encode(wire.redact(event, None)) for event in do(state, "set_up")]
    told = json.dumps([{k: v for k, v in event.items() if k != "council"} for event in events])
    assert [card.wire for card in FINAL_CARDS if f'"{card.wire}"' in told] == [
        state.face_up.wire if state.face_up else ""
    ]


# ---- imagining -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seats", [pytest.param(seats, id=f"C43-{seats}-seats") for seats in (3, 4, 5)]
)
def test_an_imagined_state_fits_what_the_seat_knows(seats: int) -> None:
    """C43: own cards stay, hand sizes stay, five of each action and ten different scoring cards make up the whole."""
    state = dealt(seats)
    for seat in range(seats - 1):
        do(state, "keep_scoring_card", seat, card=state.players[seat].dealt[0].wire)
        deal(state, seat, Action.SHIP, Action.WOOD)
    for seed in range(20):
        imagined = GAME.imagine(state, 1, Draws(bytes([seed])))
        assert imagined.players[1] == state.players[1]
        assert [sum(player.hand) for player in imagined.players] == [
            sum(player.hand) for player in state.players
        ]
        cards = zip(
            imagined.deck,
            imagined.open_cards,
            *(player.hand for player in imagined.players),
            strict=True,
        )
        assert [sum(each) for each in cards] == [5] * 9
        shown = [card for player in imagined.players for card in player.dealt]
        assert len({*shown, state.face_up}) == len(shown) + 1
        assert all(player.kept in player.dealt for player in imagined.players[:-1])


def test_imagining_draws_anew_what_is_hidden() -> None:
    """C43: in the long run another seat may hold any card, and may have kept any that is not seen."""
    state = secretive()
    hands, kept = set(), set()
    for seed in range(300):
        imagined = GAME.imagine(state, 0, Draws(seed.to_bytes(2, "big")))
        hands.add(imagined.players[1].hand.index(1))
        kept.add(imagined.players[1].kept)
    assert hands == set(Action)
    assert kept == set(FINAL_CARDS) - {state.face_up, *state.players[0].dealt}


def test_imagining_keeps_what_has_been_revealed() -> None:
    """C41, C43: after the final reveal the kept cards are known."""
    state = secretive()
    state.revealed = True
    for player, boxed in zip(state.players, FINAL_CARDS[4:], strict=False):
        player.dealt = [*player.dealt, boxed]
    for seed in range(20):
        imagined = GAME.imagine(state, 0, Draws(bytes([seed])))
        assert [player.kept for player in imagined.players] == [
            player.kept for player in state.players
        ]
        assert len({card for player in imagined.players for card in player.dealt}) == 8
