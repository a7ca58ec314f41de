"""Scorings and the end, told in English (C35-C37, C39-C42)."""

from collections.abc import Sequence

from domain.calimala.agenda import Scoring, Turn
from domain.calimala.components import TILES, Category
from domain.calimala.events import (
    FinalCardScored,
    FinalCardsRevealed,
    MatchEnded,
    PlayEnded,
    TileScored,
)
from domain.calimala.state import State, all_scored, standing
from domain.calimala.story_places import Scored, is_tied, result
from domain.calimala.words import tile_name
from domain.kit.ranking import winners
from domain.kit.wording import listed, upper_first
from domain.story import Heading, Part, Sentence

Names = Sequence[str]

_PLURALS = (Category.ARTWORK, Category.PORT_CITIES, Category.TRADE_CITIES)


def tile_scored(state: State, event: TileScored, names: Names) -> Sentence:
    """Tell a scoring tile; after the last disc nobody has taken its seat (C39)."""
    title = upper_first(tile_name(event.category))
    scored = "are scored" if event.category in _PLURALS else "is scored"
    rules = ["C36"]

    has_seat = type(state.agenda[-1]) is Scoring
    if not has_seat:
        scored += " without a council seat"
        rules.append("C39")

    text = f"{title} {scored}: {result(state, event, names)}."
    rules += _rules_of_ties(event)
    if _ends_play_later(state):
        text += " It was the last tile, so play ends with this round."
        rules.append("C40")

    return Sentence(
        text,
        rules=tuple(rules),
        heading=Heading(Part.SCORING, f"Scoring: {title}"),
    )


def _ends_play_later(state: State) -> bool:
    """Return whether it is the last tile and some seat's turn is left in this round (C40)."""
    if state.scored + 1 < len(TILES):
        return False
    return any(type(item) is Turn and item.seat != 0 for item in state.agenda)


def final_card_scored(state: State, event: FinalCardScored, names: Names) -> Sentence:
    """Tell a final scoring card: first the open one, then each seat's (C41)."""
    title = tile_name(event.category)
    card = _card_now(state, names)
    return Sentence(
        f"{card}, {title}, is scored: {result(state, event, names)}.",
        rules=("C41", *_rules_of_ties(event)),
        heading=Heading(Part.SCORING, f"Final scoring: {title}"),
    )


def _card_now(state: State, names: Names) -> str:
    """Return whose final card is settled next (C41)."""
    if state.face_up is None:
        return f"{names[state.finals]}'s final card"
    if state.finals == 0:
        return "The open final card"
    return f"{names[state.finals - 1]}'s final card"


def _rules_of_ties(event: Scored) -> list[str]:
    return ["C37"] if is_tied(event) else []


# ---- the end -------------------------------------------------------------------------------------


def play_ended(state: State, _event: PlayEnded, _names: Names) -> Sentence:
    """Tell why no more discs are placed (C39, C40)."""
    if all_scored(state):
        text = "All tiles are scored and the round is complete, so play is over."
        rule = "C40"
    else:
        text = "All discs are placed; the tiles that are left are scored without council seats."
        rule = "C39"

    heading = Heading(Part.SCORING, "Final scoring")
    return Sentence(text, (rule,), heading)


def final_cards_revealed(state: State, event: FinalCardsRevealed, names: Names) -> Sentence:
    """Tell the card that each seat has kept, and the open one (C41)."""
    shown = []
    for name, card in zip(names, event.cards, strict=True):
        shown.append(f"{name} has kept {tile_name(card)}")
    if state.face_up is not None:
        shown.append(f"{tile_name(state.face_up)} lies open")

    return Sentence(
        f"The final scoring cards are shown: {listed(shown)}.",
        rules=("C41",),
        heading=Heading(Part.SCORING, "Final scoring cards"),
    )


def match_ended(state: State, event: MatchEnded, names: Names) -> Sentence:
    """Tell who has won, with how much, and what broke a tie (C42)."""
    text = _victory(event, names)
    others = _others(event, names)
    if others:
        text += f", before {listed(others)}"

    beaten = _beaten_in_a_tie(event)
    if beaten:
        best = standing(state, event.ranks.index(1))
        sums = listed([str(standing(state, seat)) for seat in beaten])
        text += (
            f"; the tie with {listed([names[seat] for seat in beaten])} is won by {best} to {sums} "
            "in council seats and Palazzo Vecchio artworks"
        )

    return Sentence(
        f"{text}.",
        rules=("C42",),
        heading=Heading(Part.END, "The end"),
    )


def _victory(event: MatchEnded, names: Names) -> str:
    """Return who has won: "Ada wins with 41 points"."""
    first = winners(event.ranks, names)
    points = max(event.points)
    if len(first) == 1:
        return f"{first[0]} wins with {points} points"
    return f"{listed(first)} share the victory with {points} points each"


def _others(event: MatchEnded, names: Names) -> list[str]:
    """Return all who have not won, the best first: "Ada with 30"."""
    others = [seat for seat, rank in enumerate(event.ranks) if rank > 1]
    others.sort(key=event.ranks.__getitem__)
    return [f"{names[seat]} with {event.points[seat]}" for seat in others]


def _beaten_in_a_tie(event: MatchEnded) -> list[int]:
    """Return the seats with as many points as the winner that have not won."""
    most = max(event.points)
    by_seat = enumerate(zip(event.points, event.ranks, strict=True))
    return [seat for seat, (points, rank) in by_seat if points == most and rank > 1]
