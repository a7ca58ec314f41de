"""What Calimala's story says of scorings and of the end, each by its rule."""

from typing import Any

import pytest

from domain.calimala.agenda import FinalScoring, Scoring, Turn
from domain.calimala.components import PLACES, TILES, Category, City, Decider
from domain.calimala.events import (
    FinalCardScored,
    FinalCardsRevealed,
    MatchEnded,
    PlayEnded,
    TileScored,
)
from domain.calimala.scoring import settle
from domain.story import Heading, Part, Sentence
from tests.domain.calimala.story_cases import case, heading, told
from tests.domain.calimala.table import deliver, table

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
        category=category, counts=counts, order=order, decided_by=decided_by, points=points
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
        "C36-bricks",
        tile(
            Category.CONTRIBUTED_BRICK,
            (1, 2),
            (4, 3),
            (0, 0),
            order=(1, 0),
            decided_by=(Decider.COUNT,),
        ),
        "Contributed brick is scored: Bob gets 3 points for 4 bricks, Ada gets 2 for 1.",
        "C36",
    ),
]


@pytest.mark.parametrize(("event", "text", "rules"), SCORINGS)
def test_a_tile(event: Any, text: str, rules: tuple[str, ...]) -> None:
    """C36: who gets how much for what."""
    state = table()
    state.agenda.append(Scoring())

    sentence = told(state, event)
    assert (sentence.text, sentence.rules) == (text, rules)


SUMS = "in seats and Palazzo Vecchio artworks"


def tie(name: str, *, cloth: str, seats: str = "", artworks: str = "", text: str) -> Any:
    """Return a tie about Lisbon.

    cloth: how much each seat has there. seats, artworks: who took council seats, and who gave
    artworks to Palazzo Vecchio, in their order.
    """
    return pytest.param(cloth, seats, artworks, text, id=name)


TIES = [
    tie(
        "C37-sum-then-seats",
        cloth="222",
        seats="10102",
        artworks="122",
        text=f"Bob gets 3 points for 2 cloth (tie with Cleo, at 3 each {SUMS}, won by 2 to 1 in "
        f"seats), Cleo gets 2 for 2 (tie with Ada won by 3 to 2 {SUMS}), Ada gets 1 for 2",
    ),
    tie(
        "C37-first-to-seats",
        cloth="220",
        seats="0110",
        text=f"Bob gets 3 points for 2 cloth (tie with Ada, at 2 each {SUMS}, won by reaching "
        "2 seats first), Ada gets 2 for 2",
    ),
    tie(
        "C37-first-to-one-seat",
        cloth="220",
        seats="01",
        text=f"Ada gets 3 points for 2 cloth (tie with Bob, at 1 each {SUMS}, won by reaching "
        "1 seat first), Bob gets 2 for 2",
    ),
    tie(
        "C37-first-artwork",
        cloth="220",
        artworks="10",
        text=f"Bob gets 3 points for 2 cloth (tie with Ada, at 1 each {SUMS}, won by the earlier "
        "artwork at Palazzo Vecchio), Ada gets 2 for 2",
    ),
    tie(
        "C37-first-place-shared",
        cloth="212",
        text="Ada and Cleo get 2 points each for 2 cloth (tie shared: 5 points split, rounded "
        "down), Bob gets 1 for 1",
    ),
    tie(
        "C37-won-against-two-who-share",
        cloth="111",
        seats="1",
        text=f"Bob gets 3 points for 1 cloth (tie with Ada and Cleo won by 1 to 0 {SUMS}), "
        "Ada and Cleo get 1 each for 1 (tie shared: 3 points split, rounded down)",
    ),
    tie(
        "C37-all-share",
        cloth="111",
        text="Ada, Bob and Cleo get 2 points each for 1 cloth (tie shared: 6 points split)",
    ),
    tie(
        "C37-the-last-place-is-shared-for-nothing",
        cloth="43211",
        text="Ada gets 3 points for 4 cloth, Bob gets 2 for 3, Cleo gets 1 for 2, "
        "Dan and Eve get nothing for 1",
    ),
    tie(
        "C37-one-point-cannot-be-shared",
        cloth="43220",
        text="Ada gets 3 points for 4 cloth, Bob gets 2 for 3, "
        "Cleo and Dan get nothing for 2 (tie shared: 1 point split, rounded down)",
    ),
]


@pytest.mark.parametrize(("cloth", "seats", "artworks", "text"), TIES)
def test_a_tie(cloth: str, seats: str, artworks: str, text: str) -> None:
    """C37: what decided it, with the sums that were compared, or what was shared."""
    state = table(len(cloth))
    deliver(state, City.LISBON, *map(int, cloth))
    state.council_seats = tuple(map(int, seats))
    state.patrons = tuple(map(int, artworks))
    state.artworks[-1] = tuple(artworks.count(str(seat)) for seat in range(len(cloth)))
    state.agenda.append(Scoring())

    result = settle(state, LISBON, PLACES)
    sentence = told(state, TileScored(LISBON, *result))
    assert sentence.text == f"Lisbon is scored: {text}."
    assert sentence.rules == ("C36", "C37")


def test_the_points_of_a_final_card_are_shared() -> None:
    """C37, C41: these are 5, 3 and 1."""
    event = FinalCardScored(
        category=LISBON,
        counts=(2, 0, 2),
        order=(0, 2),
        decided_by=(Decider.SHARED,),
        points=(4, 0, 4),
    )
    shared = "Ada and Cleo get 4 points each for 2 cloth (tie shared: 8 points split)."
    assert told(table(), event).text == f"The open final card, Lisbon, is scored: {shared}"


@pytest.mark.parametrize(
    ("scored", "next_seat", "is_told"),
    [
        pytest.param(len(TILES) - 1, 2, True, id="C40-a-turn-is-left"),
        pytest.param(len(TILES) - 1, 0, False, id="C40-the-round-is-complete"),
        pytest.param(len(TILES) - 2, 2, False, id="C40-a-tile-is-left"),
    ],
)
def test_the_last_tile_begins_the_end(scored: int, next_seat: int, *, is_told: bool) -> None:
    """C40: it is told at once that no other round comes; a complete round ends play by itself."""
    state = table()
    state.scored = scored
    state.agenda = [Turn(next_seat), Scoring()]

    sentence = told(state, tile(LISBON, (0, 0), (2, 3), (0, 0), order=(1,)))
    is_said = sentence.text.endswith(". It was the last tile, so play ends with this round.")
    assert is_said == is_told
    assert ("C40" in sentence.rules) == is_told


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
    heading = Heading(Part.SCORING, "Final scoring cards")
    assert told(state, event) == Sentence(f"{beginning}{end}", ("C41",), heading)


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
        "the tie with Ada is won by 3 to 1 in council seats and Palazzo Vecchio artworks.",
        "C42",
    ),
    case(
        "C42-two-are-beaten-in-a-tie",
        MatchEnded((41, 41, 41), (2, 1, 3)),
        "Bob wins with 41 points, before Ada with 41 and Cleo with 41; "
        "the tie with Ada and Cleo is won by 3 to 1 and 0 in council seats and Palazzo Vecchio "
        "artworks.",
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
    state.council_seats = (1, 1)
    state.artworks[-1] = (1, 1, 0)

    sentence = told(state, event)
    assert (sentence.text, sentence.rules) == (text, rules)
    assert heading(sentence) == "end: The end"
