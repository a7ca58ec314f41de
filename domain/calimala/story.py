"""The story of Calimala in English, event by event.

A street is named by the two actions that it joins. The state before the event tells these actions.
"""

from collections import Counter
from collections.abc import Sequence

from domain.calimala import components as box, events, story_scoring
from domain.calimala.agenda import Activation, Exchange
from domain.calimala.evolve import Effect
from domain.calimala.state import State
from domain.calimala.words import action_name, effect_name, street_name, tile_name
from domain.game import Message, Story
from domain.kit import one_for_each
from domain.story import (
    Heading,
    Names,
    Part,
    Sentence,
    counted,
    listed,
    one,
    spoken,
    times,
    titled,
    worded,
)

_WOOD = worded(box.Action.WOOD.wire)
_BRICK = worded(box.Action.BRICK.wire)
ROW = 3  # cells of the grid


def story(state: State, event: Message, names: Names) -> Sentence:
    """Return the sentence for an event. state: before the event."""
    return _STORIES[type(event)](state, event, names)


# ---- setup ---------------------------------------------------------------------------------------


def _board_laid_out(_state: State, event: events.BoardLaidOut, _names: Names) -> Sentence:
    """Tell the grid, the tiles in the order of their scoring, and the open card."""
    if event.grid is None or event.council is None:
        return Sentence("The streets of Florence are laid out.", rules=("C11",))

    grid = _grid_in_words(event.grid)
    tiles = listed([tile_name(tile) for tile in event.council])
    text = f"Florence is laid out with {grid}. The council will score, in this order, {tiles}."
    if event.face_up is not None:
        text += f" The final card {tile_name(event.face_up)} lies open."

    return Sentence(text, rules=("C11",))


def _grid_in_words(grid: Sequence[box.Action]) -> str:
    """Return the action tiles row by row: "Brick, Artwork, Ship / Wood, Contribute, ..."."""
    rows = []
    for first in range(0, len(grid), ROW):
        names = [action_name(action) for action in grid[first : first + ROW]]
        rows.append(", ".join(names))
    return " / ".join(rows)


def _scoring_cards_dealt(state: State, event: events.ScoringCardsDealt, names: Names) -> Sentence:
    name = names[event.seat]
    if event.cards is None:
        count = spoken(box.CARDS_DEALT[len(state.players)])
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
    """Tell the player, the disc, and the owners of the other discs that it activates."""
    name = names[event.seat]
    street = street_name(state, event.street)
    if event.disc is box.Disc.WHITE:
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
    """Return the number of the turn, before its disc is placed. Each turn places one disc.

    An exchange at the council changes no player's number of discs to be placed.
    """
    seats = len(state.players)
    all_discs = seats * (box.COLOURED_DISCS[seats] + box.WHITE_DISCS[seats])
    unplaced = sum(player.discs + player.whites for player in state.players)
    return all_discs - unplaced + 1


def _action_performed(state: State, event: events.ActionPerformed, names: Names) -> Sentence:
    return Sentence(f"{names[event.seat]} {effect(state, event)}.")


def _card_played(state: State, event: events.CardPlayed, names: Names) -> Sentence:
    card = _card(event.action)
    return Sentence(f"{names[event.seat]} plays {card} and {effect(state, event)}.")


def _compensated(_state: State, event: events.Compensated, names: Names) -> Sentence:
    text = f"{names[event.seat]} cannot {effect_name(event.action)}"
    if not event.drew:
        return Sentence(f"{text}, and no card is left to draw.", rules=("C19", "C22"))
    card = "a card" if event.card is None else _card(event.card)
    return Sentence(f"{text} and draws {card} instead.", rules=("C19",))


def _card(action: box.Action) -> str:
    """Return an action card in words: "a Weave card"."""
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


# ---- actions in words, to follow the name of a seat (C23-C29) ------------------------------------


def effect(state: State, event: Effect) -> str:
    """Return an action in words: "weaves two cloth". state: before the action.

    The parameters of the event tell its kind, as in `domain.calimala.evolve`.
    """
    if event.workshops is not None:
        return _cloth_moved(state, event)
    if event.resource is not None:
        return f"contributes {worded(event.resource.wire)} to {_building(event)}"
    if event.building is not None:
        return f"gives an artwork to {_building(event)}"
    if event.build is not None:
        return _built(event.build, event.city)
    return f"stores one {worded(event.action.wire)}"


def _building(event: Effect) -> str:
    assert event.building is not None
    return titled(event.building.wire)


def _built(project: box.Project, city: box.City | None) -> str:
    """Return a building with its city and its price, in words (C24)."""
    wood, brick = box.COSTS[project]
    parts = []
    if wood:
        parts.append(f"{spoken(wood)} {_WOOD}")
    if brick:
        parts.append(counted(brick, _BRICK))
    price = listed(parts)

    what = one(worded(project.wire))
    where = f" in {titled(city.wire)}" if city is not None else ""
    return f"builds {what}{where} for {price}"


def _cloth_moved(state: State, event: Effect) -> str:
    """Return the woven cloth (C26), or the cloth brought to cities (C27, C28), in words."""
    if event.cities is not None:
        verb = "ships" if event.action is box.Action.SHIP else "transports"
        return f"{verb} {_load(event.cities)}"

    player = state.players[event.seat]
    before = sum(player.cloth)
    after = sum(event.workshops or ())
    return f"weaves {spoken(after - before)} cloth"


def _load(cities: Sequence[box.City]) -> str:
    """Return a load of cloth in words: "two cloth, one to Troyes and one to Bruges"."""
    cloth = f"{spoken(len(cities))} cloth"
    by_city = Counter(titled(city.wire) for city in cities)
    if len(by_city) == 1:
        return f"{cloth} to {titled(cities[0].wire)}"

    parts = []
    for city, count in by_city.items():
        parts.append(f"{spoken(count)} to {city}")
    return f"{cloth}, {listed(parts)}"


# ---- from the streets to the council (C31-C34, C40) ----------------------------------------------


def _disc_promoted(state: State, event: events.DiscPromoted, names: Names) -> Sentence:
    """Tell that a bottom disc takes a council seat (C31)."""
    street = street_name(state, event.street)
    return Sentence(
        f"{names[event.seat]}'s disc leaves the bottom of {street} "
        f"and takes the council seat at {_tile(event.tile)}.",
        rules=("C31",),
    )


def _white_disc_exchanged(state: State, event: events.WhiteDiscExchanged, names: Names) -> Sentence:
    """Tell the exchange for a coloured disc of the reserve (C32)."""
    street = street_name(state, event.street)
    return Sentence(
        f"{names[event.seat]} exchanges the white disc at the bottom of {street}: "
        f"a coloured one from their reserve takes the council seat at {_tile(event.tile)}, "
        "and the white one joins the reserve.",
        rules=("C32",),
    )


def _white_disc_lifted(state: State, event: events.WhiteDiscLifted, names: Names) -> Sentence:
    """Tell that no coloured disc is in reserve for the exchange (C33)."""
    street = street_name(state, event.street)
    return Sentence(
        f"The white disc leaves the bottom of {street}, and {names[event.seat]} "
        "has no coloured disc in reserve to exchange it for.",
        rules=("C33",),
    )


def _disc_given_up(state: State, event: events.DiscGivenUp, names: Names) -> Sentence:
    """Tell the disc that took the seat, and the fate of the white one (C33)."""
    disc = _disc_in_stack(state, event)
    white = "goes on top of that stack" if event.white_stays else "leaves the game"
    return Sentence(
        f"{names[event.seat]} gives up their disc {disc} "
        f"for the council seat at {_tile(event.tile)}, and the white disc {white}.",
        rules=("C33",),
    )


def _disc_in_stack(state: State, event: events.DiscGivenUp) -> str:
    """Return the place of a disc in a stack of 1 to 3: "at the bottom of Ship/Build"."""
    street = street_name(state, event.street)
    top = len(state.streets[event.street]) - 1
    if not top:
        return f"on {street}"
    if event.position == top:
        return f"on top of {street}"
    return f"at the bottom of {street}" if event.position == 0 else f"in the middle of {street}"


def _seat_left_empty(state: State, event: events.SeatLeftEmpty, names: Names) -> Sentence:
    """Tell that the active player has no disc for the seat (C34)."""
    exchange = state.agenda[-1]
    assert type(exchange) is Exchange
    return Sentence(
        f"{names[exchange.seat]} has no disc to give up: the white one leaves the game, "
        f"and the council seat at {_tile(event.tile)} stays empty.",
        rules=("C34",),
    )


def _disc_removed(state: State, event: events.DiscRemoved, names: Names) -> Sentence:
    """Tell that a fourth disc leaves the game after all tiles are scored (C40)."""
    owner = state.streets[event.street][0]
    disc = "The white disc" if owner == box.WHITE else f"{names[owner]}'s disc"
    street = street_name(state, event.street)
    return Sentence(
        f"{disc} at the bottom of {street} leaves the game, since all tiles are scored.",
        rules=("C40",),
    )


def _tile(category: box.Category) -> str:
    """Return a tile of the council in words: "the Lisbon tile"."""
    return f"the {tile_name(category)} tile"


# ---- by class of event ---------------------------------------------------------------------------


_STORIES: dict[type, Story[State]] = one_for_each(
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
        events.DiscPromoted: _disc_promoted,
        events.WhiteDiscExchanged: _white_disc_exchanged,
        events.WhiteDiscLifted: _white_disc_lifted,
        events.DiscGivenUp: _disc_given_up,
        events.SeatLeftEmpty: _seat_left_empty,
        events.DiscRemoved: _disc_removed,
        **story_scoring.STORIES,
    },
)
