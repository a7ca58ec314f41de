"""The story of Firenze in English, event by event."""

from collections import Counter

from domain.firenze import components as box, events, story_cards, words
from domain.firenze.board import NUMERALS
from domain.firenze.build import listed as listed_bricks
from domain.firenze.components import CAMPANILE, PRIVILEGES, End, commission_index
from domain.firenze.state import State, find_tower
from domain.game import Message, Story
from domain.kit import one_for_each, winners
from domain.story import Heading, Names, Part, Sentence, listed, upper_first


def story(state: State, event: Message, names: Names) -> Sentence:
    """Return the sentence for an event.

    state: the match before the event. names: by seat. The sentence leaves out drawn fields that are
    None, as in a preview.
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
    """Return the bricks and the points of a seat, in words."""
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
    """Return each tower of a build in words, with its new height."""
    bricks: Counter[int] = Counter()
    first_pieces: dict[int, events.Laid] = {}
    for laid in event.laid:
        bricks[laid.tower] += laid.bricks
        first_pieces.setdefault(laid.tower, laid)

    player = state.players[event.seat]
    parts = []
    for number, piece in first_pieces.items():
        colour = piece.colour.wire
        standing = find_tower(player, number)
        if standing is None:
            parts.append(f"begins a {colour} tower of {words.levels(bricks[number])}")
        else:
            height = words.levels(standing.height + bricks[number])
            parts.append(f"raises the {colour} tower from {standing.height} to {height}")
    return parts


def _helpers(state: State, seat: int) -> list[str]:
    """Return the cards that make building cheaper for the seat this turn (F19)."""
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
    """Tell that a card is discarded: by a Patrician, or for the limit."""
    discarded = f"{names[event.seat]} discards {words.the_card(event.card)}"
    if state.at_work is box.PATRICIAN:
        return Sentence(f"{discarded} by the {words.card_name(box.PATRICIAN)}.", ("F31",))
    return Sentence(f"{discarded}, for the limit is {box.CARD_LIMIT} cards.", ("F24",))


# ---- commissions ---------------------------------------------------------------------------------


def _fulfilled(state: State, event: events.CommissionFulfilled, names: Names) -> Sentence:
    commission = words.commission_name(event.colour, event.height)
    text = f"{names[event.seat]} fulfils {commission}"
    rules = []

    number = commission_index(event.colour, event.height)
    if number in state.balconies:
        text += f" under balcony {NUMERALS[state.balconies.index(number)]}"
        rules.append("F22")
    if event.architect:
        text += f" with a tower of {event.bricks} and the Architect"
        rules.append("F28")

    gains = [words.with_points(event.points)]
    if event.level:
        gains.append(f"{event.level} as the first to reach {words.levels(event.height)}")
        rules.append("F23")
    if event.privilege:
        church_card, _ = PRIVILEGES[event.height]
        gains.append(f"{event.privilege} by {words.the_card(church_card)}")
        rules.append("F37")

    text += f" for {listed(gains)}"
    if len(gains) > 1:
        total = event.points + event.level + event.privilege
        text += f", {total} in all"
    return Sentence(f"{text}.", tuple(rules))


def _bell_tower(_state: State, event: events.BellTowerDelivered, names: Names) -> Sentence:
    text = f"{names[event.seat]} delivers a bell tower of 3 white bricks to the Campanile."
    return Sentence(text, ("F38",))


def _church_closed(_state: State, event: events.ChurchClosed, _names: Names) -> Sentence:
    if event.card is CAMPANILE:
        text = "Everybody has delivered a bell tower: the Campanile is discarded."
        return Sentence(text, ("F38",))
    return Sentence(
        f"{upper_first(words.the_card(event.card))} is used up and discarded.", ("F37",)
    )


def _end_tile(_state: State, event: events.EndTileTaken, names: Names) -> Sentence:
    tile = f"takes the end tile for {words.with_points(event.points)}"
    text = f"{names[event.seat]} is the first to place their last seal, and {tile}."
    return Sentence(text, ("F40",))


# ---- the end of play -----------------------------------------------------------------------------


def _play_ended(state: State, event: events.PlayEnded, names: Names) -> Sentence:
    if event.reason is End.TURN_LIMIT:
        turns = words.numbered(state.turn_limit, "turn")
        return Sentence(f"Play ends, because everybody has had {turns}.", ("F45",))

    taker = names[state.end_seat]
    text = f"Play ends: all others have had one more turn since {taker}'s last seal was placed."
    return Sentence(text, ("F40",))


# ---- the final scoring ---------------------------------------------------------------------------


def _final_scored(_state: State, event: events.FinalScored, names: Names) -> Sentence:
    parts = _majorities(event, names)
    if event.celebrations:
        parts.append(_celebrations(event, names))
    parts += [_totals(event, names), _winners(event, names)]

    is_shared = event.ranks.count(1) > 1
    rules = ("F39", "F41") if event.celebrations else ("F41",)
    return Sentence(
        " ".join(f"{part}." for part in parts),
        (*rules, "F42") if is_shared else rules,
        Heading(Part.SCORING, "Final scoring"),
    )


def _majorities(event: events.FinalScored, names: Names) -> list[str]:
    """Return a sentence for each colour with seals, and one for the colours without any (F41)."""
    won = [_majority(majority, names) for majority in event.majorities if majority.tied]
    without = [majority.colour.wire for majority in event.majorities if not majority.tied]
    if not won:
        return ["Nobody has a seal, so there are no majorities"]
    if without:
        won.append(f"Nobody has a seal on {listed(without, 'or')}")
    return won


def _majority(majority: events.Majority, names: Names) -> str:
    """Return the majority of a colour in words, with the decision of a tie (F41)."""
    winner = majority.seat
    assert winner is not None
    colour = upper_first(majority.colour.wire)
    points = words.with_points(majority.points)
    seals = words.numbered(majority.seals[winner], "seal")

    rivals = [seat for seat in majority.tied if seat != winner]
    if not rivals:
        return f"{colour} brings {points} to {names[winner]} for {seals}"

    beaten = [f"{names[seat]}'s {majority.highest[seat]}" for seat in rivals]
    highest = f"{names[winner]}'s highest, {majority.highest[winner]},"
    return f"{colour} is tied at {seals}, and {highest} beats {listed(beaten)} for {points}"


def _celebrations(event: events.FinalScored, names: Names) -> str:
    """Return the points of Celebration cards in words: by seat in all, and by card."""
    parts = []
    for seat, name in enumerate(names):
        own = [celebrated for celebrated in event.celebrations if celebrated.seat == seat]
        if own:
            total = sum(celebrated.points for celebrated in own)
            cards = listed([_celebration(celebrated) for celebrated in own])
            parts.append(f"{words.with_points(total)} to {name} ({cards})")
    return f"Celebrations bring {listed(parts)}"


def _celebration(celebrated: events.Celebrated) -> str:
    """Return the points of the copies of one card in words: "6 for 2 Fame"."""
    copies = f"{celebrated.copies} " if celebrated.copies > 1 else ""
    return f"{celebrated.points} for {copies}{words.card_name(celebrated.card)}"


def _totals(event: events.FinalScored, names: Names) -> str:
    """Return the points of all seats, best first, and those before the final scoring."""
    first, *others = sorted(range(len(names)), key=event.ranks.__getitem__)
    points = words.with_points(event.points[first])
    best = f"{names[first]} ends with {points} ({event.before[first]} before the final scoring)"
    rest = [f"{names[seat]} with {event.points[seat]} ({event.before[seat]})" for seat in others]
    return listed([best, *rest])


def _winners(event: events.FinalScored, names: Names) -> str:
    first = winners(event.ranks, names)
    if len(first) == 1:
        return f"{first[0]} wins"
    return f"{listed(first)} share the victory"


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
        events.CommissionFulfilled: _fulfilled,
        events.BellTowerDelivered: _bell_tower,
        events.ChurchClosed: _church_closed,
        events.EndTileTaken: _end_tile,
        events.PlayEnded: _play_ended,
        events.FinalScored: _final_scored,
        **story_cards.STORIES,
    },
)
