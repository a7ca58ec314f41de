"""What the house scores, tile by tile and card by card, and how a match comes out (C38-C42)."""

from domain.calimala.agenda import Scoring
from domain.calimala.components import FINAL_PLACES, PLACES, Category
from domain.calimala.events import FinalCardScored, FinalCardsRevealed, MatchEnded, TileScored
from domain.calimala.majorities import settle
from domain.calimala.state import State, all_scored, kept_cards, next_tile, standing
from domain.game import Draft, Outcome
from domain.kit.ranking import competition_ranks


def score(draft: Draft[State]) -> None:
    """Settle one tile, or one final card once all tiles are settled (C38, C41).

    After the last card the match ends.
    """
    state = draft.state
    if type(state.agenda[-1]) is Scoring or not all_scored(state):
        _score_tile(draft)
        return

    if not state.revealed:
        revealed = tuple(kept_cards(state))
        draft.emit(FinalCardsRevealed(revealed))

    cards = final_cards(state)
    next_card = cards[state.finals]
    _score_final_card(draft, next_card)

    if state.finals == len(cards):
        result = final_result(state)
        draft.emit(MatchEnded(result.points, result.ranks))


def _score_tile(draft: Draft[State]) -> None:
    tile = next_tile(draft.state)
    result = settle(draft.state, tile, PLACES)
    draft.emit(TileScored(tile, *result))


def _score_final_card(draft: Draft[State], card: Category) -> None:
    result = settle(draft.state, card, FINAL_PLACES)
    draft.emit(FinalCardScored(card, *result))


def final_cards(state: State) -> list[Category]:
    """Return the cards of the final scoring: the open one first, then by seat (C41)."""
    kept = kept_cards(state)
    return kept if state.face_up is None else [state.face_up, *kept]


def final_result(state: State) -> Outcome:
    """Rank by points, then by seats and Palazzo Vecchio artworks; still tied is shared (C42)."""
    points = _points(state)
    scores = [(gained, standing(state, seat)) for seat, gained in enumerate(points)]
    return Outcome(points, competition_ranks(scores))


def outcome(state: State) -> Outcome | None:
    """Return the outcome once the match has ended."""
    if not state.ranks:
        return None
    return Outcome(_points(state), tuple(state.ranks))


def _points(state: State) -> tuple[int, ...]:
    return tuple(player.points for player in state.players)
