"""Playing Personnel cards: which, when, and with which fields (F26)."""

from domain.errors import RuleBroken
from domain.firenze.agenda import TURN_STEPS, Step
from domain.firenze.cards import KIND_OF, PERSONNEL, Card, Kind
from domain.firenze.commands import PlayPersonnel
from domain.firenze.events import PersonnelPlayed
from domain.firenze.personnel_effects import EFFECTS
from domain.firenze.state import State
from domain.game import Draft
from domain.kit.naming import in_a_row

# The steps of the own turn in which each card is played (F27-F31).
STEPS = {
    Card.ALCHEMIST: TURN_STEPS,
    Card.ARCHITECT: (Step.FULFIL,),
    Card.MASON: (Step.BUILD,),
    Card.PATRICIAN: TURN_STEPS,
    Card.PRINCESS: (Step.CHOOSE,),
    Card.SABOTEUR: TURN_STEPS,
    Card.SMUGGLER: TURN_STEPS,
    Card.WHOLESALER: (Step.CHOOSE, Step.BUILD),
}
_WHEN_IN_WORDS = {
    Card.ARCHITECT: "after build (an empty build will do)",
    Card.MASON: "after take_card and before build",
    Card.PRINCESS: "before take_card",
    Card.WHOLESALER: "before build",
}

# The fields of the command that each card takes.
_FIELDS: dict[Card, tuple[str, ...]] = {
    Card.ALCHEMIST: ("take", "give"),
    Card.ARCHITECT: ("tower", "by"),
    Card.MASON: (),
    Card.PATRICIAN: ("discard",),
    Card.PRINCESS: (),
    Card.SABOTEUR: ("target", "tower"),
    Card.SMUGGLER: ("target", "take", "give"),
    Card.WHOLESALER: ("slot",),
}
_ALL_FIELDS = ("slot", "take", "give", "target", "tower", "by", "discard")


def play_personnel(draft: Draft[State], command: PlayPersonnel) -> None:
    """Play a card from the hand, no two of the same name in a turn (F26)."""
    _check_card(draft.state, command)
    _check_fields(command)

    # The effect is found before the card is played: a card without any may not be played.
    find_effect = EFFECTS[command.card]
    effect = find_effect(draft.state, command, draft.chance)

    draft.emit(PersonnelPlayed(command.seat, command.card))
    if effect is not None:
        draft.emit(effect)


def _check_card(state: State, command: PlayPersonnel) -> None:
    """Raise RuleBroken unless the card can be played now (F26)."""
    card = command.card
    if KIND_OF[card] is not Kind.PERSONNEL:
        wrong = f"The {card.wire} is no Personnel"
        raise RuleBroken("not_personnel", "F26", f"{wrong}; {_may_play(state, command.seat)}.")

    if not state.players[command.seat].cards[card]:
        wrong = f"You hold no {card.wire}"
        raise RuleBroken("card_not_held", "F26", f"{wrong}; {_may_play(state, command.seat)}.")

    if card in state.played:
        wrong = f"One {card.wire} has been played this turn"
        raise RuleBroken("already_played", "F26", f"{wrong}; {_may_play(state, command.seat)}.")

    if state.agenda[-1].step not in STEPS[card]:
        rule = "F28" if card is Card.ARCHITECT else "F29"
        wrong = f"The {card.wire} is played {_WHEN_IN_WORDS[card]}"
        raise RuleBroken("wrong_phase", rule, f"{wrong}; {_may_play(state, command.seat)}.")


def _check_fields(command: PlayPersonnel) -> None:
    """Raise RuleBroken where a field is given that the card does not take (F26)."""
    taken = _FIELDS[command.card]
    for name in _ALL_FIELDS:
        if name in taken or getattr(command, name) is None:
            continue
        fields = ", ".join(taken) or "no fields"
        wrong = f"The field {name} does not belong to the {command.card.wire}"
        raise RuleBroken("superfluous_field", "F26", f"{wrong}, which takes {fields}.")


def _may_play(state: State, seat: int) -> str:
    return f"now you may play {in_a_row(playable(state, seat)) or 'none of your cards'}"


def playable(state: State, seat: int) -> list[Card]:
    """Return the Personnel of the hand that may be played in this step (F26).

    Cards of a name that was played this turn are left out.
    """
    held = state.players[seat].cards
    step = state.agenda[-1].step
    return [
        card
        for card in PERSONNEL
        if held[card] and card not in state.played and step in STEPS[card]
    ]


def may_play(state: State, seat: int, card: Card) -> bool:
    """Return whether this Personnel card may be played now (F26)."""
    held = state.players[seat].cards[card]
    step = state.agenda[-1].step
    return held > 0 and card not in state.played and step in STEPS[card]
