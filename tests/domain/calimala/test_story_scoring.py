"""What Calimala's story says of scorings and of the end, each by its rule."""

from typing import Any

import pytest

from domain.calimala.agenda import FinalScoring, Scoring
from domain.calimala.components import TILES, Category, Decider
from domain.calimala.events import (
    FinalCardScored,
    FinalCardsRevealed,
    MatchEnded,
    PlayEnded,
    TileScored,
)
from domain.story import Sentence
from tests.domain.calimala.table import table
from tests.domain.calimala.telling import case, heading, told

LISBON = Category.LISBON

# ---- scorings ------------------------------------------------------------------------------------


def tile(
    category: Category,
    *standings: tuple[int, int],
    order: tuple[int, ...],
    decided_by: tuple[Decider, ...] = (),
) -> TileScored:
    """Return a scoring; standings: how much each seat has, and its points."""
    counts, points = zip(*standings, strict=True)
    return TileScored(
        category=category,
        counts=counts,
        order=order,
        decided_by=decided_by,
        points=points,
    )


SCORINGS = [
    case(
        "C36-by-cubes",
        tile(
            LISBON,
            (2, 2),
            (4, 3),
            (1, 1),
            order=(1, 0, 2),
            decided_by=(Decider.COUNT, Decider.COUNT),
        ),
        "Lisbon is scored: Bob gets 3 points for 4 cloth, Ada gets 2 for 2, Cleo gets 1 for 1.",
        "C36",
    ),
    case(
        "C36-one-cube",
        tile(Category.SAN_MINIATO, (0, 0), (1, 3), (0, 0), order=(1,)),
        "San Miniato is scored: Bob gets 3 points for 1 cube.",
        "C36",
    ),
    case(
        "C36-nobody",
        tile(Category.TRADE_CITIES, (0, 0), (0, 0), (0, 0), order=()),
        "Trade cities are scored: nobody has anything there, so there are no points.",
        "C36",
    ),
    case(
        "C37-sum-then-seats",
        tile(
            Category.ARTWORK,
            (2, 2),
            (2, 3),
            (2, 1),
            order=(1, 0, 2),
            decided_by=(Decider.SUM, Decider.SEATS),
        ),
        "Artworks are scored: "
        "Bob gets 3 points for 2 artworks (tie with Ada won by more seats and Palazzo Vecchio "
        "artworks), Ada gets 2 for 2 (tie with Cleo won by more seats), Cleo gets 1 for 2.",
        "C36",
        "C37",
    ),
    case(
        "C37-first-to-seats",
        tile(LISBON, (2, 3), (2, 2), (0, 0), order=(0, 1), decided_by=(Decider.FIRST_TO_SEATS,)),
        "Lisbon is scored: Ada gets 3 points for 2 cloth "
        "(tie with Bob won by taking as many seats first), Bob gets 2 for 2.",
        "C36",
        "C37",
    ),
    case(
        "C37-first-artwork",
        tile(LISBON, (2, 3), (2, 2), (0, 0), order=(0, 1), decided_by=(Decider.FIRST_ARTWORK,)),
        "Lisbon is scored: Ada gets 3 points for 2 cloth "
        "(tie with Bob won by the earlier artwork at Palazzo Vecchio), Bob gets 2 for 2.",
        "C36",
        "C37",
    ),
    case(
        "C37-first-place-shared",
        tile(
            LISBON,
            (2, 2),
            (1, 1),
            (2, 2),
            order=(0, 2, 1),
            decided_by=(Decider.SHARED, Decider.COUNT),
        ),
        "Lisbon is scored: Ada and Cleo get 2 points each for 2 cloth (tie shared), "
        "Bob gets 1 for 1.",
        "C36",
        "C37",
    ),
    case(
        "C37-won-against-two-who-share",
        tile(
            Category.CONTRIBUTED_BRICK,
            (1, 1),
            (1, 3),
            (1, 1),
            order=(1, 0, 2),
            decided_by=(Decider.SUM, Decider.SHARED),
        ),
        "Contributed brick is scored: Bob gets 3 points for 1 brick (tie with Ada and Cleo won by "
        "more seats and Palazzo Vecchio artworks), Ada and Cleo get 1 each for 1 (tie shared).",
        "C36",
        "C37",
    ),
]


@pytest.mark.parametrize(("event", "text", "rules"), SCORINGS)
def test_a_tile(event: Any, text: str, rules: tuple[str, ...]) -> None:
    """C36, C37: who gets how much for what, and what decided ties."""
    state = table()
    state.agenda.append(Scoring())

    sentence = told(state, event)
    assert (sentence.text, sentence.rules) == (text, rules)


def test_a_fourth_place_gets_nothing() -> None:
    """C36: the sharing of nothing needs no word."""
    event = tile(
        LISBON,
        (4, 3),
        (3, 2),
        (2, 1),
        (1, 0),
        (1, 0),
        order=(0, 1, 2, 3, 4),
        decided_by=(Decider.COUNT, Decider.COUNT, Decider.COUNT, Decider.SHARED),
    )
    assert told(table(5), event).text.endswith("Cleo gets 1 for 2, Dan and Eve get nothing for 1.")


def test_a_tile_after_the_last_disc_has_no_seat() -> None:
    """C39: the story says so, under the tile's own heading."""
    state = table()
    state.agenda = [FinalScoring()]

    sentence = told(state, tile(Category.PORT_CITIES, (0, 0), (2, 3), (0, 0), order=(1,)))
    assert heading(sentence) == "scoring: Scoring: Port cities"
    assert sentence.rules == ("C36", "C39")
    assert sentence.text == (
        "Port cities are scored without a council seat: Bob gets 3 points for 2 cloth."
    )


# ---- the end -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scored", "text", "rule"),
    [
        pytest.param(
            len(TILES),
            "All tiles are scored and the round is complete, so play is over.",
            "C40",
            id="C40-tiles",
        ),
        pytest.param(
            len(TILES) - 1,
            "All discs are placed; the tiles that are left are scored without council seats.",
            "C39",
            id="C39-discs",
        ),
    ],
)
def test_the_end_of_play(scored: int, text: str, rule: str) -> None:
    """C39, C40: it is told which of the two ended play."""
    state = table()
    state.scored = scored

    sentence = told(state, PlayEnded())
    assert (sentence.text, sentence.rules) == (text, (rule,))
    assert heading(sentence) == "scoring: Final scoring"


@pytest.mark.parametrize(
    ("face_up", "finals", "card"),
    [
        pytest.param(LISBON, 0, "The open final card", id="C41-open-card"),
        pytest.param(LISBON, 1, "Ada's final card", id="C41-first-seat"),
        pytest.param(None, 2, "Cleo's final card", id="C41-without-open-card"),
    ],
)
def test_a_final_card(face_up: Category | None, finals: int, card: str) -> None:
    """C41: the story says whose card is scored; Palazzo Vecchio counts seats and artworks."""
    state = table()
    state.face_up = face_up
    state.finals = finals
    event = FinalCardScored(
        category=Category.PALAZZO_VECCHIO,
        counts=(3, 1, 0),
        order=(0, 1),
        decided_by=(Decider.COUNT,),
        points=(5, 3, 0),
    )

    sentence = told(state, event)
    assert heading(sentence) == "scoring: Final scoring: Palazzo Vecchio"
    assert sentence.rules == ("C41",)
    assert sentence.text == (
        f"{card}, Palazzo Vecchio, is scored: "
        "Ada gets 5 points for 3 seats and artworks, Bob gets 3 for 1."
    )


@pytest.mark.parametrize(
    ("face_up", "end"),
    [
        pytest.param(
            Category.SANTA_CROCE, ", Cleo has kept London and Santa Croce lies open.", id="C41-open"
        ),
        pytest.param(None, " and Cleo has kept London.", id="C41-none-open"),
    ],
)
def test_final_cards_are_shown(face_up: Category | None, end: str) -> None:
    """C41: each seat's card, and the open one where there is one."""
    state = table()
    state.face_up = face_up
    event = FinalCardsRevealed((Category.BRUGES, LISBON, Category.LONDON))

    beginning = "The final scoring cards are shown: Ada has kept Bruges, Bob has kept Lisbon"
    assert told(state, event) == Sentence(f"{beginning}{end}", ("C41",))


ENDS = [
    case(
        "C42-by-points",
        MatchEnded((30, 41, 12), (2, 1, 3)),
        "Bob wins with 41 points, before Ada with 30 and Cleo with 12.",
        "C42",
    ),
    case(
        "C42-by-seats-and-artworks",
        MatchEnded((41, 41, 12), (2, 1, 3)),
        "Bob wins with 41 points, before Ada with 41 and Cleo with 12; "
        "the tie with Ada is won by 3 council seats and Palazzo Vecchio artworks.",
        "C42",
    ),
    case(
        "C42-shared",
        MatchEnded((41, 12, 41), (1, 3, 1)),
        "Ada and Cleo share the victory with 41 points each, before Bob with 12.",
        "C42",
    ),
    case(
        "C42-shared-by-all",
        MatchEnded((41, 41, 41), (1, 1, 1)),
        "Ada, Bob and Cleo share the victory with 41 points each.",
        "C42",
    ),
]


@pytest.mark.parametrize(("event", "text", "rules"), ENDS)
def test_the_end_of_the_match(event: Any, text: str, rules: tuple[str, ...]) -> None:
    """C42: who has won, and by what a tie was broken; Bob has two seats and an artwork."""
    state = table()
    state.council_seats = (1, 0, 1)
    state.artworks[-1] = (1, 1, 0)

    sentence = told(state, event)
    assert (sentence.text, sentence.rules) == (text, rules)
    assert heading(sentence) == "end: The end"
