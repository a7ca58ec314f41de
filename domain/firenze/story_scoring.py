"""The final scoring, told in English: majorities with their ties, celebrations, who wins."""

from collections.abc import Sequence

from domain.firenze.events import Celebrated, FinalScored, Majority
from domain.firenze.state import State
from domain.firenze.words import Teller, card_name, numbered, with_points
from domain.kit import winners
from domain.story import Heading, Part, Sentence, listed, upper_first


def _final_scored(_state: State, event: FinalScored, names: Sequence[str]) -> Sentence:
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


def _majorities(event: FinalScored, names: Sequence[str]) -> list[str]:
    """Return a part for each colour with seals, and one for the colours without any (F41)."""
    won = [_majority(majority, names) for majority in event.majorities if majority.tied]
    without = [majority.colour.wire for majority in event.majorities if not majority.tied]
    if not won:
        return ["Nobody has a seal, so there are no majorities"]
    if without:
        won.append(f"Nobody has a seal on {listed(without, 'or')}")
    return won


def _majority(majority: Majority, names: Sequence[str]) -> str:
    """Return who has most seals on a colour; a tie with what decided it (F41)."""
    winner = majority.seat
    assert winner is not None
    colour = upper_first(majority.colour.wire)
    points = with_points(majority.points)
    seals = numbered(majority.seals[winner], "seal")

    rivals = [seat for seat in majority.tied if seat != winner]
    if not rivals:
        return f"{colour} brings {points} to {names[winner]} for {seals}"

    beaten = [f"{names[seat]}'s {majority.highest[seat]}" for seat in rivals]
    highest = f"{names[winner]}'s highest, {majority.highest[winner]},"
    return f"{colour} is tied at {seals}, and {highest} beats {listed(beaten)} for {points}"


def _celebrations(event: FinalScored, names: Sequence[str]) -> str:
    """Return what the Celebration cards bring each seat in all, with what each card brings."""
    parts = []
    for seat, name in enumerate(names):
        own = [celebrated for celebrated in event.celebrations if celebrated.seat == seat]
        if own:
            total = sum(celebrated.points for celebrated in own)
            cards = listed([_celebration(celebrated) for celebrated in own])
            parts.append(f"{with_points(total)} to {name} ({cards})")
    return f"Celebrations bring {listed(parts)}"


def _celebration(celebrated: Celebrated) -> str:
    """Return what copies of one card bring: "6 for 2 Fame"."""
    copies = f"{celebrated.copies} " if celebrated.copies > 1 else ""
    return f"{celebrated.points} for {copies}{card_name(celebrated.card)}"


def _totals(event: FinalScored, names: Sequence[str]) -> str:
    """Return the points of all, the best first, with those before the final scoring."""
    first, *others = sorted(range(len(names)), key=event.ranks.__getitem__)
    points = with_points(event.points[first])
    best = f"{names[first]} ends with {points} ({event.before[first]} before the final scoring)"
    rest = [f"{names[seat]} with {event.points[seat]} ({event.before[seat]})" for seat in others]
    return listed([best, *rest])


def _winners(event: FinalScored, names: Sequence[str]) -> str:
    first = winners(event.ranks, names)
    if len(first) == 1:
        return f"{first[0]} wins"
    return f"{listed(first)} share the victory"


SCORING_STORIES: dict[type, Teller] = {FinalScored: _final_scored}
