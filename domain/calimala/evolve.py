"""What each event changes (no rules: only what the event says happened)."""

from collections.abc import Callable
from typing import Any

from domain.calimala import events as e
from domain.calimala.agenda import (
    Activation,
    Drafting,
    Exchange,
    FinalScoring,
    Keeping,
    Promotion,
    Scoring,
    Turn,
)
from domain.calimala.components import (
    ACTIONS,
    CARDS_OF_EACH_ACTION,
    COSTS,
    DRAFTED,
    ENDS,
    WHITE,
    Action,
    Building,
    Disc,
    Project,
)
from domain.calimala.state import Player, State

Deed = e.ActionPerformed | e.CardPlayed


def evolve(state: State, event: Any) -> None:
    """Change the state in place as the event says."""
    _ON[type(event)](state, event)


# ---- setup -----------------------------------------------------------------------------------------------------------


def _on_board_laid_out(state: State, event: e.BoardLaidOut) -> None:
    seats = len(state.players)
    state.grid, state.council, state.face_up = (
        list(event.grid or ()),
        list(event.council or ()),
        event.face_up,
    )
    state.open_cards = [int(action in DRAFTED) for action in ACTIONS]
    state.deck = [CARDS_OF_EACH_ACTION - open_ for open_ in state.open_cards]
    state.agenda = [Turn(0), *(Drafting(seat) for seat in range(seats)), Keeping()]


def _on_scoring_cards_dealt(state: State, event: e.ScoringCardsDealt) -> None:
    state.players[event.seat].dealt = list(event.cards or ())


def _on_scoring_card_kept(state: State, event: e.ScoringCardKept) -> None:
    state.players[event.seat].kept = event.card
    if all(player.kept is not None for player in state.players):
        state.agenda.pop()


def _on_action_card_taken(state: State, event: e.ActionCardTaken) -> None:
    state.open_cards[event.card] -= 1
    state.players[event.seat].hand[event.card] += 1
    state.agenda.pop()


def _on_draft_ended(state: State, event: e.DraftEnded) -> None:
    for card in event.left:
        state.open_cards[card] -= 1
        state.deck[card] += 1


# ---- a turn ----------------------------------------------------------------------------------------------------------


def _on_disc_placed(state: State, event: e.DiscPlaced) -> None:
    player, stack, seat, street = (
        state.players[event.seat],
        state.streets[event.street],
        event.seat,
        event.street,
    )
    if event.disc is Disc.WHITE:
        player.whites -= 1
        stack.append(WHITE)
    else:
        player.discs -= 1
        stack.append(seat)
    agenda = state.agenda
    agenda[-1] = Turn((seat + 1) % len(state.players))
    if len(stack) > 3:
        agenda.append(Promotion(seat, street))
    for owner in event.activates[:0:-1]:
        agenda.append(Activation(owner, street, [1, 1], duty=False))
    agenda.append(
        Activation(seat, street, [2, 2] if event.disc is Disc.WHITE else [1, 1], duty=True)
    )


def _on_action_performed(state: State, event: e.ActionPerformed) -> None:
    _carry_out(state, state.players[event.seat], event)
    _use_up(state, event.action).duty = False


def _on_card_played(state: State, event: e.CardPlayed) -> None:
    player = state.players[event.seat]
    player.hand[event.action] -= 1
    state.discards[event.action] += 1
    _carry_out(state, player, event)


def _on_compensated(state: State, event: e.Compensated) -> None:
    _use_up(state, event.action)
    if event.card is not None:
        state.deck[event.card] -= 1
        state.players[event.seat].hand[event.card] += 1


def _on_deck_renewed(state: State, _event: e.DeckRenewed) -> None:
    state.deck = [old + new for old, new in zip(state.deck, state.discards, strict=True)]
    state.discards = [0] * len(ACTIONS)


def _on_action_skipped(state: State, event: e.ActionSkipped) -> None:
    _use_up(state, event.action)


def _on_activation_ended(state: State, _event: e.ActivationEnded) -> None:
    state.agenda.pop()


def _use_up(state: State, action: Action) -> Activation:
    """Count one activation of the action as used."""
    activation = state.agenda[-1]
    assert type(activation) is Activation
    activation.left[state.grid[ENDS[activation.street][0]] != action] -= 1
    return activation


# ---- the actions -----------------------------------------------------------------------------------------------------


def _carry_out(state: State, player: Player, event: Deed) -> None:
    if event.workshops is not None:
        _move_cloth(state, player, event)
    elif event.building is not None:
        _give(state, player, event, event.building)
    elif event.build is not None:
        _build(player, event, event.build)
    else:
        player.stock[event.action] += 1
        player.reserve -= 1


def _move_cloth(state: State, player: Player, event: Deed) -> None:
    before = sum(player.cloth)
    player.cloth = list(event.workshops or ())
    if event.cities is None:
        player.reserve -= sum(player.cloth) - before
        return
    for city in event.cities:
        state.cloth[city][event.seat] += 1
        state.city_room[city] -= 1


def _give(state: State, player: Player, event: Deed, building: Building) -> None:
    if event.resource is not None:
        row = 3 * building + event.resource
        player.stock[event.resource] -= 1
        state.contributed[row][event.seat] += 1
        state.row_room[row] -= 1
        return
    player.stock[Action.MARBLE] -= 1
    state.artworks[building][event.seat] += 1
    state.artwork_room[building] -= 1
    if building is Building.PALAZZO_VECCHIO:
        state.patrons.append(event.seat)


def _build(player: Player, event: Deed, project: Project) -> None:
    wood, brick = COSTS[project]
    player.stock[0] -= wood
    player.stock[1] -= brick
    player.reserve += wood + brick
    if event.city is not None:
        player.houses[event.city - 3] = 1
    elif project is Project.SHIP:
        player.ships += 1
    else:
        player.cloth.append(0)


# ---- the council -----------------------------------------------------------------------------------------------------


def _on_disc_promoted(state: State, event: e.DiscPromoted) -> None:
    del state.streets[event.street][0]
    _take_seat(state, event.seat)


def _on_white_disc_exchanged(state: State, event: e.WhiteDiscExchanged) -> None:
    del state.streets[event.street][0]
    player = state.players[event.seat]
    player.discs -= 1
    player.whites += 1
    _take_seat(state, event.seat)


def _on_white_disc_lifted(state: State, event: e.WhiteDiscLifted) -> None:
    del state.streets[event.street][0]
    state.agenda[-1] = Exchange(event.seat, event.street)


def _on_disc_given_up(state: State, event: e.DiscGivenUp) -> None:
    stack = state.streets[event.street]
    del stack[event.position]
    if event.white_stays:
        stack.append(WHITE)
    _take_seat(state, event.seat)


def _on_seat_left_empty(state: State, _event: e.SeatLeftEmpty) -> None:
    _take_seat(state, WHITE)


def _take_seat(state: State, seat: int) -> None:
    state.council_seats.append(seat)
    state.agenda[-1] = Scoring()


def _on_disc_removed(state: State, event: e.DiscRemoved) -> None:
    del state.streets[event.street][0]
    state.agenda.pop()


# ---- scoring ---------------------------------------------------------------------------------------------------------


def _on_tile_scored(state: State, event: e.TileScored) -> None:
    _add_points(state, event.points)
    state.scored += 1
    if type(state.agenda[-1]) is Scoring:
        state.agenda.pop()
    else:
        state.council_seats.append(WHITE)


def _on_play_ended(state: State, _event: e.PlayEnded) -> None:
    state.agenda = [FinalScoring()]


def _on_final_cards_revealed(state: State, _event: e.FinalCardsRevealed) -> None:
    state.revealed = True


def _on_final_card_scored(state: State, event: e.FinalCardScored) -> None:
    _add_points(state, event.points)
    state.finals += 1


def _on_match_ended(state: State, event: e.MatchEnded) -> None:
    state.ranks = list(event.ranks)
    state.agenda = []


def _add_points(state: State, points: tuple[int, ...]) -> None:
    for player, gained in zip(state.players, points, strict=True):
        player.points += gained


_ON: dict[type, Callable[[State, Any], None]] = {
    e.BoardLaidOut: _on_board_laid_out,
    e.ScoringCardsDealt: _on_scoring_cards_dealt,
    e.ScoringCardKept: _on_scoring_card_kept,
    e.ActionCardTaken: _on_action_card_taken,
    e.DraftEnded: _on_draft_ended,
    e.DiscPlaced: _on_disc_placed,
    e.ActionPerformed: _on_action_performed,
    e.CardPlayed: _on_card_played,
    e.Compensated: _on_compensated,
    e.DeckRenewed: _on_deck_renewed,
    e.ActionSkipped: _on_action_skipped,
    e.ActivationEnded: _on_activation_ended,
    e.DiscPromoted: _on_disc_promoted,
    e.WhiteDiscExchanged: _on_white_disc_exchanged,
    e.WhiteDiscLifted: _on_white_disc_lifted,
    e.DiscGivenUp: _on_disc_given_up,
    e.SeatLeftEmpty: _on_seat_left_empty,
    e.DiscRemoved: _on_disc_removed,
    e.TileScored: _on_tile_scored,
    e.PlayEnded: _on_play_ended,
    e.FinalCardsRevealed: _on_final_cards_revealed,
    e.FinalCardScored: _on_final_card_scored,
    e.MatchEnded: _on_match_ended,
}
