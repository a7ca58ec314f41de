"""The change of the state by each event. Nothing here checks a rule."""

from domain.calimala import events
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
    FULL_STACK,
    SEATS,
    WHITE,
    Action,
    Building,
    City,
    Disc,
    Project,
    row_of,
    trade_index,
)
from domain.calimala.state import Player, State, one_more
from domain.game import Change, Message
from domain.kit import one_for_each

Effect = events.ActionPerformed | events.CardPlayed

# CPython 3.11 finds a name of the module faster than a member of an enum.
_WHITE_DISC = Disc.WHITE
_PALAZZO_VECCHIO = Building.PALAZZO_VECCHIO
_SHIP = Project.SHIP
_MARBLE = int(Action.MARBLE)

# The turn of each seat, made once.
_TURNS = tuple(Turn(seat) for seat in range(max(SEATS)))


def evolve(state: State, event: Message) -> None:
    """Apply the event to the state in place."""
    _CHANGES[type(event)](state, event)


# ---- setup ---------------------------------------------------------------------------------------


def _on_board_laid_out(state: State, event: events.BoardLaidOut) -> None:
    state.grid = event.grid or ()
    state.council = event.council or ()
    state.face_up = event.face_up

    # One card of each drafted action lies open, all others are in the deck.
    open_cards = [int(action in DRAFTED) for action in ACTIONS]
    state.open_cards = open_cards
    state.deck = [CARDS_OF_EACH_ACTION - count for count in open_cards]

    # All seats keep a card at once. Then the last seat drafts first, and seat 0 has the first turn.
    state.agenda = [_TURNS[0]]
    for seat in range(len(state.players)):
        state.agenda.append(Drafting(seat))
    state.agenda.append(Keeping())


def _on_scoring_cards_dealt(state: State, event: events.ScoringCardsDealt) -> None:
    state.players[event.seat].dealt = event.cards or ()


def _on_scoring_card_kept(state: State, event: events.ScoringCardKept) -> None:
    state.players[event.seat].kept = event.card
    if all(player.kept is not None for player in state.players):
        state.agenda.pop()


def _on_action_card_taken(state: State, event: events.ActionCardTaken) -> None:
    state.open_cards[event.card] -= 1
    player = state.players[event.seat]
    player.hand[event.card] += 1
    player.drafted = event.card
    state.agenda.pop()


def _on_draft_ended(state: State, event: events.DraftEnded) -> None:
    for card in event.left:
        state.open_cards[card] -= 1
        state.deck[card] += 1


# ---- a turn --------------------------------------------------------------------------------------


def _on_disc_placed(state: State, event: events.DiscPlaced) -> None:
    """Put the disc onto its stack, and the next items onto the agenda, the last one first."""
    seat = event.seat
    street = event.street
    player = state.players[seat]
    stack = state.streets[street]
    agenda = state.agenda

    if event.disc is _WHITE_DISC:
        player.whites -= 1
        stack = (*stack, WHITE)
        times = 2
    else:
        player.discs -= 1
        stack = (*stack, seat)
        times = 1
    state.streets[street] = stack

    agenda[-1] = _TURNS[(seat + 1) % len(state.players)]
    if len(stack) > FULL_STACK:
        agenda.append(Promotion(seat, street))
    # The last argument is `duty`. A call by keyword takes longer.
    for owner in event.activates[:0:-1]:
        agenda.append(Activation(owner, street, [1, 1], False))
    agenda.append(Activation(seat, street, [times, times], True))


def _on_action_performed(state: State, event: events.ActionPerformed) -> None:
    carry_out(state, event)
    activation = _use_up(state, event.action)
    activation.duty = False


def _on_card_played(state: State, event: events.CardPlayed) -> None:
    player = state.players[event.seat]
    player.hand[event.action] -= 1
    state.discards[event.action] += 1
    if player.drafted == event.action:
        player.drafted = None
    carry_out(state, event)


def _on_compensated(state: State, event: events.Compensated) -> None:
    _use_up(state, event.action)
    if event.card is not None:
        state.deck[event.card] -= 1
        state.players[event.seat].hand[event.card] += 1


def _on_deck_renewed(state: State, _event: events.DeckRenewed) -> None:
    state.deck = [old + new for old, new in zip(state.deck, state.discards, strict=True)]
    state.discards = [0] * len(ACTIONS)


def _on_action_skipped(state: State, event: events.ActionSkipped) -> None:
    _use_up(state, event.action)


def _on_activation_ended(state: State, _event: events.ActivationEnded) -> None:
    state.agenda.pop()


def _use_up(state: State, action: Action) -> Activation:
    """Take one use of the action off the activation on top, and return that activation."""
    activation = state.agenda[-1]
    assert type(activation) is Activation
    first_cell = ENDS[activation.street][0]
    which = 0 if state.grid[first_cell] == action else 1
    activation.left[which] -= 1
    return activation


# ---- the council ---------------------------------------------------------------------------------


def _on_disc_promoted(state: State, event: events.DiscPromoted) -> None:
    _take_lowest(state, event.street)
    _take_seat(state, event.seat)


def _on_white_disc_exchanged(state: State, event: events.WhiteDiscExchanged) -> None:
    _take_lowest(state, event.street)
    player = state.players[event.seat]
    player.discs -= 1
    player.whites += 1
    _take_seat(state, event.seat)


def _on_white_disc_lifted(state: State, event: events.WhiteDiscLifted) -> None:
    _take_lowest(state, event.street)
    state.agenda[-1] = Exchange(event.seat, event.street)


def _on_disc_given_up(state: State, event: events.DiscGivenUp) -> None:
    stack = state.streets[event.street]
    above = stack[event.position + 1 :]
    white = (WHITE,) if event.white_stays else ()
    state.streets[event.street] = (*stack[: event.position], *above, *white)
    _take_seat(state, event.seat)


def _on_seat_left_empty(state: State, _event: events.SeatLeftEmpty) -> None:
    _take_seat(state, WHITE)


def _take_lowest(state: State, street: int) -> None:
    state.streets[street] = state.streets[street][1:]


def _take_seat(state: State, seat: int) -> None:
    state.council_seats = (*state.council_seats, seat)
    state.agenda[-1] = Scoring()


def _on_disc_removed(state: State, event: events.DiscRemoved) -> None:
    _take_lowest(state, event.street)
    state.agenda.pop()


# ---- scoring -------------------------------------------------------------------------------------


def _on_tile_scored(state: State, event: events.TileScored) -> None:
    _add_points(state, event.points)
    state.scored += 1
    if type(state.agenda[-1]) is Scoring:
        state.agenda.pop()
    else:
        state.council_seats = (*state.council_seats, WHITE)


def _on_play_ended(state: State, _event: events.PlayEnded) -> None:
    state.agenda = [FinalScoring()]


def _on_final_cards_revealed(state: State, _event: events.FinalCardsRevealed) -> None:
    state.revealed = True


def _on_final_card_scored(state: State, event: events.FinalCardScored) -> None:
    _add_points(state, event.points)
    state.finals += 1


def _on_match_ended(state: State, event: events.MatchEnded) -> None:
    state.ranks = event.ranks
    state.agenda = []


def _add_points(state: State, points: tuple[int, ...]) -> None:
    for player, gained in zip(state.players, points, strict=True):
        player.points += gained


# ---- the change by an action, activated or played as a card (C23-C30) ----------------------------


def carry_out(state: State, event: Effect) -> None:
    """Apply an action to the state in place. The parameters of the event tell its kind."""
    player = state.players[event.seat]
    if event.workshops is not None:
        _move_cloth(state, player, event)
    elif event.resource is not None:
        _contribute(state, player, event)
    elif event.building is not None:
        _give_artwork(state, player, event)
    elif event.build is not None:
        _build(player, event.build, event.city)
    else:
        player.stock[event.action] += 1
        player.reserve -= 1


def _move_cloth(state: State, player: Player, event: Effect) -> None:
    """Weave out of the reserve, or bring cloth to cities (C26-C28)."""
    before = sum(player.cloth)
    player.cloth = event.workshops or ()

    if event.cities is None:
        player.reserve -= sum(player.cloth) - before
        return

    for city in event.cities:
        state.cloth[city] = one_more(state.cloth[city], event.seat)
        state.city_room[city] -= 1


def _contribute(state: State, player: Player, event: Effect) -> None:
    """Give a cube for a row of slots (C29)."""
    assert event.building is not None
    assert event.resource is not None
    row = row_of(event.building, event.resource)
    player.stock[event.resource] -= 1
    state.contributed[row] = one_more(state.contributed[row], event.seat)
    state.row_room[row] -= 1


def _give_artwork(state: State, player: Player, event: Effect) -> None:
    """Give marble for an artwork. Palazzo Vecchio remembers the giver (C25, C37)."""
    assert event.building is not None
    building = event.building
    player.stock[_MARBLE] -= 1
    state.artworks[building] = one_more(state.artworks[building], event.seat)
    state.artwork_room[building] -= 1
    if building is _PALAZZO_VECCHIO:
        state.patrons = (*state.patrons, event.seat)


def _build(player: Player, project: Project, city: City | None) -> None:
    """Build for wood and brick. The cubes return to the reserve (C24)."""
    wood, brick = COSTS[project]
    player.stock[0] -= wood
    player.stock[1] -= brick
    player.reserve += wood + brick

    if city is not None:
        player.houses[trade_index(city)] = 1
    elif project is _SHIP:
        player.ships += 1
    else:
        player.cloth = (*player.cloth, 0)


# ---- by class of event ---------------------------------------------------------------------------


_CHANGES: dict[type, Change[State]] = one_for_each(
    events.EVENTS,
    {
        events.BoardLaidOut: _on_board_laid_out,
        events.ScoringCardsDealt: _on_scoring_cards_dealt,
        events.ScoringCardKept: _on_scoring_card_kept,
        events.ActionCardTaken: _on_action_card_taken,
        events.DraftEnded: _on_draft_ended,
        events.DiscPlaced: _on_disc_placed,
        events.ActionPerformed: _on_action_performed,
        events.CardPlayed: _on_card_played,
        events.Compensated: _on_compensated,
        events.DeckRenewed: _on_deck_renewed,
        events.ActionSkipped: _on_action_skipped,
        events.ActivationEnded: _on_activation_ended,
        events.DiscPromoted: _on_disc_promoted,
        events.WhiteDiscExchanged: _on_white_disc_exchanged,
        events.WhiteDiscLifted: _on_white_disc_lifted,
        events.DiscGivenUp: _on_disc_given_up,
        events.SeatLeftEmpty: _on_seat_left_empty,
        events.DiscRemoved: _on_disc_removed,
        events.TileScored: _on_tile_scored,
        events.PlayEnded: _on_play_ended,
        events.FinalCardsRevealed: _on_final_cards_revealed,
        events.FinalCardScored: _on_final_card_scored,
        events.MatchEnded: _on_match_ended,
    },
)
