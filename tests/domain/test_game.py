"""What follows for every game from its functions, shown with the toy."""

import pytest

from domain import wire
from domain.chance import Draws
from domain.errors import RuleBroken
from domain.game import (
    HOUSE,
    Draft,
    Message,
    Previewed,
    ReplayDraft,
    Setup,
    decide,
    fold,
    foreseen,
    preview,
)
from tests.toy import (
    TOY,
    CardDealt,
    CardKept,
    CoinTossed,
    Deal,
    Keep,
    RoundPaid,
    Settle,
    Swap,
    Table,
)

SEATS = 2


def draws(seed: int = 0) -> Draws:
    return Draws(seed.to_bytes(32, "big"))


@pytest.fixture
def empty() -> Table:
    """The toy before its opening."""
    return TOY.initial(Setup(SEATS, TOY.read_options({})))


@pytest.fixture
def dealt(empty: Table) -> Table:
    """The toy with cards 3 and 1 dealt; seat 0 is to act."""
    return fold(TOY, empty, [CardDealt(0, 3), CardDealt(1, 1)])


def test_a_draft_applies_what_it_is_told_and_keeps_it(empty: Table) -> None:
    """What a command emits is in the state at once, so that its next step can build on it."""
    draft = Draft(empty, TOY.evolve, draws())
    draft.emit(CardDealt(0, 3))
    assert draft.state.cards == [3]
    assert draft.events == [CardDealt(0, 3)]


def test_deciding_leaves_the_state_alone(dealt: Table) -> None:
    """The events come back, and nothing else has happened."""
    kept = wire.dump(dealt)
    assert decide(TOY, dealt, Keep(0), draws()) == [CardKept(0)]
    assert wire.dump(dealt) == kept


def test_deciding_refuses_what_the_rules_do_not_allow(dealt: Table) -> None:
    """The refusal is the game's own."""
    with pytest.raises(RuleBroken, match="T2 not_your_turn"):
        decide(TOY, dealt, Keep(1), draws())


def test_folding_changes_the_state_in_place_and_returns_it(dealt: Table) -> None:
    """Events are applied one after the other."""
    assert fold(TOY, dealt, [CardKept(0), CardKept(1)]) is dealt
    assert dealt.turn == HOUSE


def test_a_guided_draft_takes_recorded_draws_over(dealt: Table) -> None:
    """Decided again without the seed, a command causes the very events that were recorded."""
    fold(TOY, dealt, [CardKept(0), CardKept(1)])
    recorded = decide(TOY, dealt, Settle(), draws(seed=1))
    guided = ReplayDraft(dealt.copy(), TOY.evolve, draws(seed=2), recorded=recorded)
    TOY.play(guided, Settle())

    assert decide(TOY, dealt, Settle(), draws(seed=2)) != recorded, "the seeds must differ"
    assert guided.events == recorded


@pytest.mark.parametrize(
    "recorded", [[], [CardKept(0)]], ids=["nothing-there", "another-type-there"]
)
def test_a_guided_draft_keeps_its_own_draws_where_none_are_recorded(
    dealt: Table, recorded: list[Message]
) -> None:
    """A record of other events is seen to differ; it does not lead astray."""
    guided = ReplayDraft(dealt.copy(), TOY.evolve, draws(), recorded=recorded)
    guided.emit(CoinTossed(heads=True))
    assert guided.events == [CoinTossed(heads=True)]


def test_a_guided_draft_takes_over_nothing_but_draws(dealt: Table) -> None:
    """What is no draw stays as it was decided, so that a forged value shows."""
    forged = RoundPaid(cards=(9, 9), points=(9, 9))
    guided = ReplayDraft(dealt.copy(), TOY.evolve, draws(), recorded=[forged])
    guided.emit(RoundPaid(cards=(3, 1), points=(3, 1)))
    assert guided.events == [RoundPaid(cards=(3, 1), points=(3, 1))]


def test_a_preview_names_what_chance_decides_and_leaves_it_out(dealt: Table) -> None:
    """Everything else is in the events."""
    assert preview(TOY, dealt, Keep(0), draws()) == [Previewed(CardKept(0), ())]
    assert preview(TOY, dealt, Swap(0), draws()) == [Previewed(CardDealt(0, None), ("card",))]


def test_views_are_foreseen_up_to_the_first_draw(dealt: Table) -> None:
    """One before all, one after each event that is certain."""
    certain = foreseen(TOY, dealt, preview(TOY, dealt, Keep(0), draws()), seat=0)
    assert [view["turn"] for view in certain] == [0, 1]

    drawn = foreseen(TOY, dealt, preview(TOY, dealt, Swap(0), draws()), seat=0)
    assert [view["turn"] for view in drawn] == [0]


def test_foreseeing_leaves_the_state_alone(dealt: Table) -> None:
    """The views are of a copy."""
    kept = wire.dump(dealt)
    foreseen(TOY, dealt, preview(TOY, dealt, Keep(0), draws()), seat=0)
    assert wire.dump(dealt) == kept


def test_a_game_lists_every_move_unless_it_says_otherwise(dealt: Table) -> None:
    """Nothing is described beside the list."""
    assert TOY.unlisted(dealt, 0) == {}


def test_a_view_shows_all_that_is_known_unless_a_game_says_otherwise(dealt: Table) -> None:
    """Nothing is told beside it."""
    assert TOY.known(dealt) == {}


def test_the_opening_is_a_command_like_any_other(empty: Table) -> None:
    """The house deals, and the first seat is to act."""
    assert TOY.opening == Deal()
    fold(TOY, empty, decide(TOY, empty, TOY.opening, draws()))
    assert TOY.actors(empty) == (0,)
