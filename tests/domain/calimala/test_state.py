"""A state can be copied, and a copy has nothing in common with it."""

from domain import wire
from domain.calimala import GAME
from domain.calimala.state import State
from domain.game import Setup
from tests.domain.calimala.table import BRICK_WOOD, activate, table
from tests.domain.laws import walk


def rich_state() -> State:
    """Return a state far into a match, with an activation on top."""
    setup = Setup(4, GAME.read_options({}))
    for step in walk(GAME, setup, seed=4):
        if step.version == 150:
            state: State = step.after
            activate(state, 1, BRICK_WOOD)
            return state
    raise AssertionError("the match was too short")


def test_a_copy_is_equal() -> None:
    """Every field of the state and of its players is copied."""
    state = rich_state()
    assert state.copy() == state
    assert wire.dump(state.copy()) == wire.dump(state)


def test_a_copy_is_independent() -> None:
    """Whatever changes in the copy, the state stays as it is; tuples never change."""
    state = rich_state()
    before = wire.dump(state)
    copy = state.copy()
    for heaps in (copy.streets, copy.cloth, copy.contributed, copy.artworks):
        heaps.append((7,))
    for counts in (copy.deck, copy.discards, copy.open_cards):
        counts.append(7)
    for room in (copy.city_room, copy.row_room, copy.artwork_room):
        room.append(7)
    copy.agenda.clear()

    for player in copy.players:
        player.hand.append(7)
        player.stock.append(7)
        player.houses.append(7)
        player.points += 7

    assert wire.dump(state) == before


def test_the_activation_of_a_copy_is_its_own() -> None:
    """Activations count down in place, so each copy has its own."""
    state = table()
    activate(state, 0, BRICK_WOOD)
    copy = state.copy()
    activation = copy.agenda[-1]

    assert activation == state.agenda[-1]
    assert activation is not state.agenda[-1]
