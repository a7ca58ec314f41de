"""The final scoring, told in English: majorities with their ties, celebrations, who wins."""

from collections.abc import Sequence

from domain.firenze.events import Celebrated, FinalScored, Majority
from domain.firenze.state import State
from domain.firenze.story.words import Teller, card_name, numbered, with_points
from domain.kit.ranking import winners
from domain.kit.wording import listed, upper_first
from domain.story import Heading, Part, Sentence


def _final_scored(_state: State, event: FinalScored, names: Sequence[str]) -> Sentence:
    parts = [_majority(majority, names) for majority in event.majorities if majority.tied]
    if not parts:
        parts = ["nobody has a seal, so there are no majorities"]
    if event.celebrations:
        parts.append(_celebrations(event, names))
    parts += [_totals(event, names), _winners(event, names)]

    is_shared = event.ranks.count(1) > 1
    rules = ("F39", "F41") if event.celebrations else ("F41",)
    return Sentence(
        f"{upper_first('; '.join(parts))}.",
        (*rules, "F42") if is_shared else rules,
        Heading(Part.SCORING, "Final scoring"),
    )


def _majority(majority: Majority, names: Sequence[str]) -> str:
    """Return who has most seals on a colour; a tie with what decided it (F41)."""
    winner = majority.seat
    assert winner is not None
    colour = majority.colour.wire
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
            parts.append(f"{total} to {name} ({cards})")
    return f"Celebrations bring {listed(parts)}"


def _celebration(celebrated: Celebrated) -> str:
    """Return what copies of one card bring: "2 Fame 6"."""
    copies = f"{celebrated.copies} " if celebrated.copies > 1 else ""
    return f"{copies}{card_name(celebrated.card)} {celebrated.points}"


def _totals(event: FinalScored, names: Sequence[str]) -> str:
    """Return the points of all, the best first, with those before the final scoring."""
    by_rank = sorted(range(len(names)), key=event.ranks.__getitem__)
    totals = [f"{event.points[seat]} ({event.before[seat]}) for {names[seat]}" for seat in by_rank]
    return f"the points (before the final scoring) are {listed(totals)}"


def _winners(event: FinalScored, names: Sequence[str]) -> str:
    first = winners(event.ranks, names)
    if len(first) == 1:
        return f"{first[0]} wins"
    return f"{listed(first)} share the victory"


TELLERS: dict[type, Teller] = {FinalScored: _final_scored}
