"""Commissions, the end of play and the final scoring, in English (F21-F23, F37-F45)."""

from domain.firenze import events, words
from domain.firenze.board import NUMERALS
from domain.firenze.components import CAMPANILE, PRIVILEGES, End, commission_index
from domain.firenze.state import State
from domain.game import Story
from domain.kit import winners
from domain.story import Heading, Names, Part, Sentence, listed, upper_first

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
    """Return a part for each colour with seals, and one for the colours without any (F41)."""
    won = [_majority(majority, names) for majority in event.majorities if majority.tied]
    without = [majority.colour.wire for majority in event.majorities if not majority.tied]
    if not won:
        return ["Nobody has a seal, so there are no majorities"]
    if without:
        won.append(f"Nobody has a seal on {listed(without, 'or')}")
    return won


def _majority(majority: events.Majority, names: Names) -> str:
    """Return who has most seals on a colour; a tie with what decided it (F41)."""
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
    """Return what the Celebration cards bring each seat in all, with what each card brings."""
    parts = []
    for seat, name in enumerate(names):
        own = [celebrated for celebrated in event.celebrations if celebrated.seat == seat]
        if own:
            total = sum(celebrated.points for celebrated in own)
            cards = listed([_celebration(celebrated) for celebrated in own])
            parts.append(f"{words.with_points(total)} to {name} ({cards})")
    return f"Celebrations bring {listed(parts)}"


def _celebration(celebrated: events.Celebrated) -> str:
    """Return what copies of one card bring: "6 for 2 Fame"."""
    copies = f"{celebrated.copies} " if celebrated.copies > 1 else ""
    return f"{celebrated.points} for {copies}{words.card_name(celebrated.card)}"


def _totals(event: events.FinalScored, names: Names) -> str:
    """Return the points of all, the best first, with those before the final scoring."""
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


STORIES: dict[type, Story[State]] = {
    events.CommissionFulfilled: _fulfilled,
    events.BellTowerDelivered: _bell_tower,
    events.ChurchClosed: _church_closed,
    events.EndTileTaken: _end_tile,
    events.PlayEnded: _play_ended,
    events.FinalScored: _final_scored,
}
