"""Shared code of games: decisions with recorded draws, and dispatch."""

import pytest

from domain.chance import Draws
from domain.game import Message, ReplayDraft, Setup, decide, fold
from domain.kit import one_for_each
from tests.toy import TOY, CardDealt, CardKept, CoinTossed, RoundPaid, Settle, Table

# ---- drafts with recorded draws ------------------------------------------------------------------


SEATS = 2


def draws(seed: int = 0) -> Draws:
    return Draws(seed.to_bytes(32, "big"))


@pytest.fixture
def empty() -> Table:
    """The toy before its opening."""
    return TOY.initial(Setup(SEATS, TOY.read_options({})))


@pytest.fixture
def dealt(empty: Table) -> Table:
    """The toy with cards 3 and 1 dealt. Seat 0 is to act."""
    return fold(TOY, empty, [CardDealt(0, 3), CardDealt(1, 1)])


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
def test_a_guided_draft_without_recorded_draws_keeps_its_own(
    dealt: Table, recorded: list[Message]
) -> None:
    """The draft keeps its own event, so that a record of other events is seen to differ."""
    guided = ReplayDraft(dealt.copy(), TOY.evolve, draws(), recorded=recorded)
    guided.emit(CoinTossed(heads=True))
    assert guided.events == [CoinTossed(heads=True)]


def test_a_guided_draft_takes_over_nothing_but_draws(dealt: Table) -> None:
    """All other fields stay as decided, so that a forged value shows."""
    forged = RoundPaid(cards=(9, 9), points=(9, 9))
    guided = ReplayDraft(dealt.copy(), TOY.evolve, draws(), recorded=[forged])
    guided.emit(RoundPaid(cards=(3, 1), points=(3, 1)))
    assert guided.events == [RoundPaid(cards=(3, 1), points=(3, 1))]


def test_a_game_without_hooks_lists_every_move_and_fact(
    dealt: Table,
) -> None:
    """A game without hooks has no unlisted moves, and no facts beside its views."""
    assert TOY.unlisted(dealt, 0) == {}
    assert TOY.known(dealt) == {}


# ---- dispatch ------------------------------------------------------------------------------------


class Placed:
    """A message."""


class Taken:
    """Another message."""


KNOWN = {"placed": Placed, "taken": Taken}


def test_a_forgotten_message_is_told() -> None:
    """A message without an entry fails when the table is made, not when the message first comes."""
    with pytest.raises(TypeError, match=r"look at Taken$"):
        one_for_each(KNOWN, {Placed: "on placed"})


def test_an_unknown_message_is_told() -> None:
    """An entry for something that is no message of the game fails as well."""
    with pytest.raises(TypeError, match=r"look at int$"):
        one_for_each(KNOWN, {Placed: "on placed", Taken: "on taken", int: "on int"})
