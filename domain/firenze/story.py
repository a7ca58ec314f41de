"""What happened, in English, event by event."""

from collections import Counter

from domain.firenze import components as box, events, story_cards, story_scoring, words
from domain.firenze.board import NUMERALS
from domain.firenze.build import listed as listed_bricks
from domain.firenze.state import State, find_tower
from domain.game import Message, Story
from domain.kit import one_for_each
from domain.story import Heading, Names, Part, Sentence, listed


def story(state: State, event: Message, names: Names) -> Sentence:
    """Return an event in English.

    state: the match before the event. names: of the seats, by their numbers. Where a preview leaves
    out what chance decides, the sentence does not say it either.
    """
    return _STORIES[type(event)](state, event, names)


# ---- the table, and turns ------------------------------------------------------------------------


def _table_laid(_state: State, event: events.TableLaid, _names: Names) -> Sentence:
    if event.balconies is None or event.neutral is None or event.row is None:
        text = "The table is laid: balconies, neutral seals and the row are drawn."
        return Sentence(text)

    balconies = [
        _balcony(numeral, balcony)
        for numeral, balcony in zip(NUMERALS, event.balconies, strict=True)
    ]
    neutral = [words.commission_name(covered.colour, covered.height) for covered in event.neutral]
    row = [_dealt(dealt) for dealt in event.row]
    parts = [
        f"Balconies lie on {listed(balconies)}",
        f"Neutral seals cover {listed(neutral)}",
        f"In the row are {listed(row)}",
    ]
    return Sentence(f"{'. '.join(parts)}.", ("F10", "F11", "F13"))


def _balcony(numeral: str, balcony: events.PlacedBalcony) -> str:
    place = words.commission_name(balcony.colour, balcony.height)
    return f"{place} ({numeral}, {words.with_points(balcony.points)})"


def _dealt(dealt: events.Dealt) -> str:
    return f"{words.card_name(dealt.card)} ({words.bricks_in_words(dealt.bricks)})"


def _turn_began(state: State, event: events.TurnBegan, names: Names) -> Sentence:
    name = names[event.seat]
    heading = Heading(Part.TURN, f"Turn {event.turn + 1}: {name}")
    if state.end_seat < 0:
        return Sentence(f"{name} begins with {_resources(state, event.seat)}.", heading=heading)

    text = f"{name} has one last turn, for {names[state.end_seat]} has no seals left."
    return Sentence(text, ("F40",), heading)


def _resources(state: State, seat: int) -> str:
    """Return what a seat has to act with: its bricks and its points."""
    player = state.players[seat]
    bricks = words.bricks_in_words(listed_bricks(player.storehouse))
    return f"{bricks} and {words.with_points(player.points)}"


# ---- building ------------------------------------------------------------------------------------


def _built(state: State, event: events.Built, names: Names) -> Sentence:
    name = names[event.seat]
    if not event.laid:
        return Sentence(f"{name} builds nothing.")

    built = f"{name} {listed(_laid(state, event))}"
    price = box.BUILDING_COSTS[sum(laid.bricks for laid in event.laid)]
    if not price:
        return Sentence(f"{built}.")

    helpers = _helpers(state, event.seat) if len(event.payment) < price else []
    thanks = f", thanks to {listed(helpers)}" if helpers else ""
    paid = words.bricks_in_words(event.payment) if event.payment else "nothing"
    return Sentence(f"{built}, paying {paid}{thanks}.", ("F19",))


def _laid(state: State, event: events.Built) -> list[str]:
    """Return what is done to each tower, with the height that it reaches."""
    bricks: Counter[int] = Counter()
    first_pieces: dict[int, events.Laid] = {}
    for laid in event.laid:
        bricks[laid.tower] += laid.bricks
        first_pieces.setdefault(laid.tower, laid)

    player = state.players[event.seat]
    done = []
    for number, piece in first_pieces.items():
        colour = piece.colour.wire
        standing = find_tower(player, number)
        if standing is None:
            done.append(f"begins a {colour} tower of {words.levels(bricks[number])}")
        else:
            height = words.levels(standing.height + bricks[number])
            done.append(f"raises the {colour} tower from {standing.height} to {height}")
    return done


def _helpers(state: State, seat: int) -> list[str]:
    """Return what makes building cheaper for the seat this turn (F19)."""
    helpers = []
    if state.players[seat].cards[box.WORKSHOP]:
        helpers.append(words.the_card(box.WORKSHOP))
    if box.MASON in state.played:
        helpers.append(words.the_card(box.MASON))
    return helpers


def _torn_down(state: State, event: events.TowerTornDown, names: Names) -> Sentence:
    tower = f"{event.colour.wire} tower of {words.levels(event.lost + event.saved)}"
    saved = f"{event.saved} saved" if event.saved else "none saved"
    fate = f"is torn down, {event.lost} of its bricks lost and {saved}"
    name = names[event.seat]
    if state.taken is None:
        return Sentence(f"{name}'s {tower}, which was not raised, {fate}.", ("F20",))

    text = f"{name} cannot pay {words.the_card(state.taken)} for the {tower}, which {fate}."
    return Sentence(text, ("F33", "F20"))


# ---- limits and losses ---------------------------------------------------------------------------


def _bricks_discarded(state: State, event: events.BricksDiscarded, names: Names) -> Sentence:
    name = names[event.seat]
    bricks = words.bricks_in_words(event.bricks)
    if state.taken is box.Card.STOREHOUSE_FIRE:
        return Sentence(f"The Storehouse Fire burns {bricks} of {name}'s.", ("F32",))

    has_warehouse = state.players[event.seat].cards[box.WAREHOUSE] > 0
    limit = box.WAREHOUSE_LIMIT if has_warehouse else box.STOREHOUSE_LIMIT
    return Sentence(f"{name} may keep {limit} bricks and gives up {bricks}.", ("F24",))


def _card_discarded(state: State, event: events.CardDiscarded, names: Names) -> Sentence:
    """A Patrician takes a card of the hand, or the limit does."""
    discarded = f"{names[event.seat]} discards {words.the_card(event.card)}"
    if state.at_work is box.PATRICIAN:
        return Sentence(f"{discarded} by the {words.card_name(box.PATRICIAN)}.", ("F31",))
    return Sentence(f"{discarded}, for the limit is {box.CARD_LIMIT} cards.", ("F24",))


# ---- by class of event ---------------------------------------------------------------------------


_STORIES: dict[type, Story[State]] = one_for_each(
    events.EVENTS,
    {
        events.TableLaid: _table_laid,
        events.TurnBegan: _turn_began,
        events.Built: _built,
        events.TowerTornDown: _torn_down,
        events.BricksDiscarded: _bricks_discarded,
        events.CardDiscarded: _card_discarded,
        **story_cards.STORIES,
        **story_scoring.STORIES,
    },
)
