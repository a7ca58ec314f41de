"""What happened, told in English, event by event.

Streets are named by the actions that they join, which the state before the event says.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from domain.calimala import events, story_council, story_scoring
from domain.calimala.agenda import Activation
from domain.calimala.components import (
    CARDS_DEALT,
    COLOURED_DISCS,
    WHITE_DISCS,
    Action,
    Disc,
)
from domain.calimala.state import State
from domain.calimala.story_deeds import deed
from domain.calimala.words import action_name, deed_name, street_name, tile_name
from domain.kit.dispatch import one_for_each
from domain.kit.wording import listed, one, spoken, times
from domain.story import Heading, Part, Sentence

Names = Sequence[str]

ROW = 3  # cells of the grid


def tell(state: State, event: Any, names: Names) -> Sentence:
    """Return what an event says happened, in English; the state is the one before it."""
    return _TELLERS[type(event)](state, event, names)


# ---- setup ---------------------------------------------------------------------------------------


def _board_laid_out(_state: State, event: events.BoardLaidOut, _names: Names) -> Sentence:
    """The whole grid, the tiles in the order of their scoring, and the open card."""
    if event.grid is None or event.council is None:
        return Sentence("The streets of Florence are laid out.", rules=("C11",))

    grid = _grid_in_words(event.grid)
    tiles = listed([tile_name(tile) for tile in event.council])
    text = f"Florence is laid out with {grid}. The council will score, in this order, {tiles}."
    if event.face_up is not None:
        text += f" The final card {tile_name(event.face_up)} lies open."

    return Sentence(text, rules=("C11",))


def _grid_in_words(grid: Sequence[Action]) -> str:
    """Return the action tiles row by row: "Brick, Artwork, Ship / Wood, Contribute, ..."."""
    rows = []
    for first in range(0, len(grid), ROW):
        names = [action_name(action) for action in grid[first : first + ROW]]
        rows.append(", ".join(names))
    return " / ".join(rows)


def _scoring_cards_dealt(state: State, event: events.ScoringCardsDealt, names: Names) -> Sentence:
    name = names[event.seat]
    if event.cards is None:
        count = spoken(CARDS_DEALT[len(state.players)])
        return Sentence(f"{name} is dealt {count} final scoring cards.")
    cards = listed([tile_name(card) for card in event.cards])
    return Sentence(f"{name} is dealt the final scoring cards {cards}.")


def _scoring_card_kept(_state: State, event: events.ScoringCardKept, names: Names) -> Sentence:
    name = names[event.seat]
    if event.card is None:
        return Sentence(f"{name} keeps a final scoring card in secret.")
    return Sentence(f"{name} keeps the final scoring card {tile_name(event.card)}.")


def _action_card_taken(_state: State, event: events.ActionCardTaken, names: Names) -> Sentence:
    return Sentence(f"{names[event.seat]} takes the open {action_name(event.card)} card.")


def _draft_ended(_state: State, event: events.DraftEnded, _names: Names) -> Sentence:
    cards = listed([action_name(card) for card in event.left])
    join = "card joins" if len(event.left) == 1 else "cards join"
    return Sentence(f"Nobody takes more: the open {cards} {join} the deck.", rules=("C13",))


# ---- a turn --------------------------------------------------------------------------------------


def _disc_placed(state: State, event: events.DiscPlaced, names: Names) -> Sentence:
    """Who placed what, and whom it activates besides."""
    name = names[event.seat]
    street = street_name(state, event.street)
    if event.disc is Disc.WHITE:
        text = f"{name} places a white disc on {street} and activates it twice"
    else:
        text = f"{name} places a coloured disc on {street}"

    below = Counter(event.activates[1:])
    if below:
        owners = [_activating(names[owner], count) for owner, count in below.items()]
        text += f"; the discs below activate it for {listed(owners)}"
    return Sentence(
        f"{text}.",
        rules=("C16",) if below else (),
        heading=Heading(Part.TURN, f"Turn {_turn_number(state)}: {name}"),
    )


def _activating(name: str, count: int) -> str:
    return name if count == 1 else f"{name} ({times(count)})"


def _turn_number(state: State) -> int:
    """Return the number of the turn that a disc begins: each turn places one of all discs.

    An exchange at the council changes no player's number of discs to be placed.
    """
    seats = len(state.players)
    all_discs = seats * (COLOURED_DISCS[seats] + WHITE_DISCS[seats])
    left = sum(player.discs + player.whites for player in state.players)
    return all_discs - left + 1


def _action_performed(state: State, event: events.ActionPerformed, names: Names) -> Sentence:
    return Sentence(f"{names[event.seat]} {deed(state, event)}.")


def _card_played(state: State, event: events.CardPlayed, names: Names) -> Sentence:
    card = _card(event.action)
    return Sentence(f"{names[event.seat]} plays {card} and {deed(state, event)}.")


def _compensated(_state: State, event: events.Compensated, names: Names) -> Sentence:
    text = f"{names[event.seat]} cannot {deed_name(event.action)}"
    if not event.drew:
        return Sentence(f"{text}, and no card is left to draw.", rules=("C19", "C22"))
    card = "a card" if event.card is None else _card(event.card)
    return Sentence(f"{text} and draws {card} instead.", rules=("C19",))


def _card(action: Action) -> str:
    """Return an action card: "a Weave card"."""
    return one(f"{action_name(action)} card")


def _deck_renewed(_state: State, _event: events.DeckRenewed, _names: Names) -> Sentence:
    return Sentence("The discard pile becomes the new deck of action cards.", rules=("C22",))


def _action_skipped(_state: State, event: events.ActionSkipped, names: Names) -> Sentence:
    return Sentence(f"{names[event.seat]} gives {action_name(event.action)} up for nothing.")


def _activation_ended(state: State, event: events.ActivationEnded, names: Names) -> Sentence:
    activation = state.agenda[-1]
    assert type(activation) is Activation
    street = street_name(state, activation.street)
    return Sentence(f"{names[event.seat]} is done with {street}.")


_TELLERS: dict[type, Callable[[State, Any, Names], Sentence]] = one_for_each(
    events.EVENTS,
    {
        events.BoardLaidOut: _board_laid_out,
        events.ScoringCardsDealt: _scoring_cards_dealt,
        events.ScoringCardKept: _scoring_card_kept,
        events.ActionCardTaken: _action_card_taken,
        events.DraftEnded: _draft_ended,
        events.DiscPlaced: _disc_placed,
        events.ActionPerformed: _action_performed,
        events.CardPlayed: _card_played,
        events.Compensated: _compensated,
        events.DeckRenewed: _deck_renewed,
        events.ActionSkipped: _action_skipped,
        events.ActivationEnded: _activation_ended,
        events.DiscPromoted: story_council.disc_promoted,
        events.WhiteDiscExchanged: story_council.white_disc_exchanged,
        events.WhiteDiscLifted: story_council.white_disc_lifted,
        events.DiscGivenUp: story_council.disc_given_up,
        events.SeatLeftEmpty: story_council.seat_left_empty,
        events.DiscRemoved: story_council.disc_removed,
        events.TileScored: story_scoring.tile_scored,
        events.PlayEnded: story_scoring.play_ended,
        events.FinalCardsRevealed: story_scoring.final_cards_revealed,
        events.FinalCardScored: story_scoring.final_card_scored,
        events.MatchEnded: story_scoring.match_ended,
    },
)
