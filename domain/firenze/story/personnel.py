"""Personnel cards, told in English."""

from collections.abc import Sequence

from domain.firenze.cards import MASON, PRINCESS, Card
from domain.firenze.events import (
    ArchitectHired,
    BrickRemoved,
    BricksTraded,
    BrickSwapped,
    PersonnelPlayed,
    SlotRestocked,
)
from domain.firenze.state import State
from domain.firenze.story.words import (
    Teller,
    bricks_in_words,
    levels,
    slot_name,
    the_card,
    tower_of,
)
from domain.story import Sentence

# What the cards do that have no event of their own for it (F29).
_LASTING = {
    MASON: "building costs 3 bricks less this turn",
    PRINCESS: "the card costs nothing this turn",
}


def _played(_state: State, event: PersonnelPlayed, names: Sequence[str]) -> Sentence:
    played = f"{names[event.seat]} plays {the_card(event.card)}"
    lasting = _LASTING.get(event.card)
    if lasting is None:
        return Sentence(f"{played}.")
    return Sentence(f"{played}: {lasting}.", ("F29",))


def _brick_swapped(_state: State, event: BrickSwapped, names: Sequence[str]) -> Sentence:
    given = bricks_in_words((event.give,))
    taken = bricks_in_words((event.take,))
    text = f"The Alchemist turns {given} of {names[event.seat]}'s into {taken} of the pouch."
    return Sentence(text, ("F27",))


def _architect_hired(state: State, event: ArchitectHired, names: Sequence[str]) -> Sentence:
    name = names[event.seat]
    if event.tower is None or event.by is None:
        text = f"The Architect will serve {name}'s first commission that is one level off."
        return Sentence(text, ("F28",))

    tower = tower_of(state, event.seat, event.tower)
    whole = f"{tower.colour.wire} tower of {levels(tower.height)}"
    other_height = levels(tower.height + event.by)
    text = f"The Architect lets {name}'s {whole} count as one of {other_height}, too."
    return Sentence(text, ("F28",))


def _slot_restocked(state: State, event: SlotRestocked, _names: Sequence[str]) -> Sentence:
    card = slot_name(state, event.slot)
    gone = bricks_in_words(event.gone)
    if event.bricks is None:
        text = f"The Wholesaler puts {gone} from {card} into the pouch, and draws as many for it."
    else:
        drawn = bricks_in_words(event.bricks)
        text = f"The Wholesaler puts {gone} from {card} into the pouch, and draws {drawn} for it."
    return Sentence(text, ("F29",))


def _brick_removed(state: State, event: BrickRemoved, names: Sequence[str]) -> Sentence:
    """Tell of a Botch, which is the taken card then, or of a Saboteur."""
    is_botch = state.taken is Card.BOTCH
    culprit = "Botch" if is_botch else "Saboteur"
    left = tower_of(state, event.seat, event.tower).height - 1

    tower = f"{names[event.seat]}'s {event.colour.wire} tower"
    rest = f"{levels(left)} of it stand" if left > 1 else "1 level of it stands"
    if not left:
        rest = "nothing is left of it"
    text = f"The {culprit} takes a brick off {tower}: {rest}."
    return Sentence(text, ("F32" if is_botch else "F30",))


def _bricks_traded(_state: State, event: BricksTraded, names: Sequence[str]) -> Sentence:
    given = bricks_in_words((event.give,))
    theirs = f"{bricks_in_words((event.take,))} of {names[event.target]}'s"
    text = f"The Smuggler brings {theirs} to {names[event.seat]} for {given}."
    return Sentence(text, ("F30",))


TELLERS: dict[type, Teller] = {
    PersonnelPlayed: _played,
    BrickSwapped: _brick_swapped,
    ArchitectHired: _architect_hired,
    SlotRestocked: _slot_restocked,
    BrickRemoved: _brick_removed,
    BricksTraded: _bricks_traded,
}
