"""What follows without anybody's choice: draws, ends of activations, the council, the end of play."""

from collections.abc import Callable
from typing import Any

from domain.calimala import events as e
from domain.calimala.agenda import Activation, Exchange, Promotion, Scoring, Turn
from domain.calimala.components import (
    ACTIONS,
    CARDS_DEALT,
    CENTRE,
    FINAL_CARDS,
    FINAL_PLACES,
    FIRST_GAME,
    PLACES,
    STREETS,
    TILES,
    WHITE,
    Action,
    Edition,
    Layout,
    Street,
)
from domain.calimala.scoring import final_cards, final_result, next_tile, settle
from domain.calimala.state import State, all_scored
from domain.chance import Chance, pick, shuffled
from domain.game import Draft


def proceed(draft: Draft[State]) -> None:
    """Resolve the top of the agenda until somebody has a choice, the house must score, or the match is over."""
    state = draft.state
    while state.agenda:
        top = state.agenda[-1]
        step = _STEPS.get(type(top))
        if step is None or not step(draft, top):
            return


def _end_activation(draft: Draft[State], activation: Activation) -> bool:
    """An activation ends by itself when its actions are used up and its owner's hand is empty (C21)."""
    if any(activation.left) or any(draft.state.players[activation.seat].hand):
        return False
    draft.emit(e.ActivationEnded(activation.seat))
    return True


def _begin_turn(draft: Draft[State], turn: Turn) -> bool:
    """The unused open cards join the deck before the first turn (C13); a round may be the last one (C39, C40)."""
    state = draft.state
    if any(state.open_cards):
        draft.emit(e.DraftEnded(tuple(action for action in ACTIONS if state.open_cards[action])))
    first = state.players[0]
    if turn.seat == 0 and (all_scored(state) or not (first.discs or first.whites)):
        draft.emit(e.PlayEnded())
    return False


def _promote(draft: Draft[State], promotion: Promotion) -> bool:
    """The fourth disc leaves its stack for the council (C31-C34), or the game once all tiles are scored (C40)."""
    state, seat, street = draft.state, promotion.seat, promotion.street
    disc = state.streets[street][0]
    if all_scored(state):
        draft.emit(e.DiscRemoved(street))
    elif disc != WHITE:
        draft.emit(e.DiscPromoted(disc, street, next_tile(state)))
    elif state.players[seat].discs:
        draft.emit(e.WhiteDiscExchanged(seat, street, next_tile(state)))
    else:
        draft.emit(e.WhiteDiscLifted(seat, street))
    return True


def _exchange(draft: Draft[State], exchange: Exchange) -> bool:
    """A single disc to take is taken (C33); with none the seat stays empty (C34)."""
    may = givable(draft.state, exchange)
    if len(may) > 1:
        return False
    if may:
        give_up(draft, exchange, *may[0])
    else:
        draft.emit(e.SeatLeftEmpty(next_tile(draft.state)))
    return True


_STEPS: dict[type, Callable[[Draft[State], Any], bool]] = {
    Activation: _end_activation,
    Turn: _begin_turn,
    Promotion: _promote,
    Exchange: _exchange,
}


def givable(state: State, exchange: Exchange) -> list[tuple[Street, int]]:
    """Return the street and position of each disc that may be given up; not the same street in English rules (C33)."""
    return [
        (street, position)
        for street in STREETS
        if street != exchange.street or state.edition is not Edition.ENGLISH
        for position, disc in enumerate(state.streets[street])
        if disc == exchange.seat
    ]


def give_up(draft: Draft[State], exchange: Exchange, street: Street, position: int) -> None:
    """The disc takes the seat; the white one goes on its stack, or out of the game in German rules (C33)."""
    state = draft.state
    stays = state.edition is not Edition.GERMAN
    draft.emit(e.DiscGivenUp(exchange.seat, street, position, next_tile(state), stays))


# ---- the house -------------------------------------------------------------------------------------------------------


def lay_out(draft: Draft[State]) -> None:
    """Shuffle the tiles and the council (C4, C11) and deal the final scoring cards (C12)."""
    chance, seats = draft.chance, len(draft.state.players)
    cards = shuffled(chance, FINAL_CARDS)
    dealt = CARDS_DEALT[seats]
    face_up = None if seats * dealt == len(cards) else cards[-1]
    draft.emit(
        e.BoardLaidOut(_grid(draft.state.layout, chance), tuple(shuffled(chance, TILES)), face_up)
    )
    for seat in range(seats):
        draft.emit(
            e.ScoringCardsDealt(seat, tuple(sorted(cards[seat * dealt : (seat + 1) * dealt])))
        )


def _grid(layout: Layout, chance: Chance) -> tuple[Action, ...]:
    if layout is Layout.FIRST_GAME:
        return FIRST_GAME
    tiles = shuffled(chance, ACTIONS[:-1])
    return (*tiles[:CENTRE], Action.CONTRIBUTE, *tiles[CENTRE:])


def draw_card(draft: Draft[State]) -> Action | None:
    """Draw a random card; discards come back first if the deck is empty, and without any card there is none (C22)."""
    renew_deck(draft)
    deck = draft.state.deck
    return ACTIONS[pick(draft.chance, deck)] if any(deck) else None


def renew_deck(draft: Draft[State]) -> None:
    """Make the discards the deck when its last card has been drawn (C22)."""
    if not any(draft.state.deck) and any(draft.state.discards):
        draft.emit(e.DeckRenewed())


def settle_next(draft: Draft[State]) -> None:
    """Settle one tile, or one final card once all tiles are settled (C38, C41); after the last card the match ends."""
    state = draft.state
    if type(state.agenda[-1]) is Scoring or not all_scored(state):
        tile = next_tile(state)
        draft.emit(e.TileScored(tile, *settle(state, tile, PLACES)))
        return
    if not state.revealed:
        draft.emit(
            e.FinalCardsRevealed(
                tuple(player.kept for player in state.players if player.kept is not None)
            )
        )
    cards = final_cards(state)
    card = cards[state.finals]
    draft.emit(e.FinalCardScored(card, *settle(state, card, FINAL_PLACES)))
    if state.finals == len(cards):
        result = final_result(state)
        draft.emit(e.MatchEnded(result.points, result.ranks))
