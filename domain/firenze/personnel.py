"""Personnel cards: their steps, fields and effects (F26-F31)."""

from collections.abc import Callable, Sequence

from domain.chance import Chance
from domain.errors import RuleBroken
from domain.firenze import events
from domain.firenze.agenda import TURN_STEPS, Step
from domain.firenze.build import (
    automatic,
    built_colours,
    in_words,
    listed,
    own_tower,
    towers_in_words,
)
from domain.firenze.commands import PlayPersonnel
from domain.firenze.components import HAND_CARDS, KIND_OF, PERSONNEL, Card, Colour, Kind, add_bricks
from domain.firenze.row import draw_bricks
from domain.firenze.state import Player, State, find_tower
from domain.game import Draft
from domain.kit import in_a_row
from domain.story import upper_first

# By card, the steps of the own turn to play it (F27-F31).
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

# By card, the fields that the command may have beside seat and card.
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
    """Play a card from the hand. No two cards of the same name are played in a turn (F26)."""
    _check_card(draft.state, command)
    _check_fields(command)

    # Compute the effect before the card is played: a card without an effect is refused.
    find_effect = EFFECTS[command.card]
    effect = find_effect(draft.state, command, draft.chance)

    draft.emit(events.PersonnelPlayed(command.seat, command.card))
    if effect is not None:
        draft.emit(effect)


def _check_card(state: State, command: PlayPersonnel) -> None:
    """Raise RuleBroken unless the card can be played now (F26)."""
    card = command.card
    if KIND_OF[card] is not Kind.PERSONNEL:
        wrong = f"The {card.wire} is no Personnel"
        raise RuleBroken("not_personnel", "F26", f"{wrong}. {_may_play(state, command.seat)}.")

    if not state.players[command.seat].cards[card]:
        wrong = f"You hold no {card.wire}"
        raise RuleBroken("card_not_held", "F26", f"{wrong}. {_may_play(state, command.seat)}.")

    if card in state.played:
        wrong = f"One {card.wire} has been played this turn"
        raise RuleBroken("already_played", "F26", f"{wrong}. {_may_play(state, command.seat)}.")

    if state.agenda[-1].step not in STEPS[card]:
        rule = "F28" if card is Card.ARCHITECT else "F29"
        wrong = f"The {card.wire} is played {_WHEN_IN_WORDS[card]}"
        raise RuleBroken("wrong_phase", rule, f"{wrong}. {_may_play(state, command.seat)}.")


def _check_fields(command: PlayPersonnel) -> None:
    """Raise RuleBroken for a field that the card does not take (F26)."""
    allowed = _FIELDS[command.card]
    for name in _ALL_FIELDS:
        if name in allowed or getattr(command, name) is None:
            continue
        fields = ", ".join(allowed) or "no fields"
        detail = f"The {command.card.wire} has no field `{name}`. It takes {fields}."
        raise RuleBroken("superfluous_field", "F26", detail)


def _may_play(state: State, seat: int) -> str:
    return f"Now you may play {in_a_row(playable(state, seat)) or 'none of your cards'}"


def playable(state: State, seat: int) -> list[Card]:
    """Return the Personnel of the hand that may be played in this step (F26).

    Names that were played this turn are left out.
    """
    cards = state.players[seat].cards
    step = state.agenda[-1].step
    return [
        card
        for card in PERSONNEL
        if cards[card] and card not in state.played and step in STEPS[card]
    ]


def may_play(state: State, seat: int, card: Card) -> bool:
    """Return True if this Personnel card may be played now (F26)."""
    count = state.players[seat].cards[card]
    step = state.agenda[-1].step
    return count > 0 and card not in state.played and step in STEPS[card]


# ---- effects by card (F27-F31) -------------------------------------------------------------------


Effect = (
    events.BrickSwapped
    | events.ArchitectHired
    | events.CardDiscarded
    | events.BrickRemoved
    | events.BricksTraded
    | events.SlotRestocked
)


def rivals(state: State, seat: int) -> list[int]:
    """Return the other seats."""
    return [other for other in range(len(state.players)) if other != seat]


# ---- swaps of bricks: Alchemist, Smuggler ----------------------------------------------------


def _alchemist(state: State, command: PlayPersonnel, _chance: Chance) -> events.BrickSwapped:
    """Swap one storehouse brick for one of a colour in the pouch (F27)."""
    take = _named_brick(command.take, state.pouch, "the pouch", "F27")
    player = state.players[command.seat]
    give = _given(player, command.give, take, "F27")
    return events.BrickSwapped(command.seat, give, take)


def _smuggler(state: State, command: PlayPersonnel, _chance: Chance) -> events.BricksTraded:
    """Swap one own storehouse brick for one of another player's storehouse (F30)."""
    target = command.target
    others = rivals(state, command.seat)
    if target is None or target not in others:
        seats = " or ".join(map(str, others))
        detail = f"The smuggler trades with another seat. Its `target` must be {seats}."
        raise RuleBroken("no_such_seat", "F30", detail)

    theirs = state.players[target].storehouse
    place = f"the storehouse of seat {target}"
    take = _named_brick(command.take, theirs, place, "F30")

    player = state.players[command.seat]
    give = _given(player, command.give, take, "F30")
    return events.BricksTraded(
        seat=command.seat,
        target=target,
        give=give,
        take=take,
    )


def _named_brick(choice: Colour | None, pile: Sequence[int], place: str, rule: str) -> Colour:
    """Return the named colour. Raises RuleBroken unless the pile has a brick of it."""
    if choice is None:
        wrong = "A brick to take must be named"
    elif not pile[choice]:
        wrong = f"There is no {choice.wire} in {place}"
    else:
        return choice
    raise RuleBroken(
        "no_such_brick", rule, f"{wrong}. {upper_first(place)} holds {in_words(pile)}."
    )


def _given(player: Player, give: Colour | None, take: Colour, rule: str) -> Colour:
    """Return the brick to give: the named one, else one chosen by F25. Raises RuleBroken.

    A swap of equal colours is refused, since it has no effect (F26).
    """
    others = player.storehouse[:]
    others[take] = 0
    if not any(others) or give is take:
        another = f"For {take.wire} another colour must be given"
        detail = f"{another}. Besides {take.wire} you have {in_words(others)}."
        raise RuleBroken("no_effect", "F26", detail)

    if give is None:
        building = built_colours(player)
        return automatic(1, others, building)[0]
    return _named_brick(give, player.storehouse, "your storehouse", rule)


# ---- towers: Architect, Saboteur -------------------------------------------------------------


def _architect(state: State, command: PlayPersonnel, _chance: Chance) -> events.ArchitectHired:
    """Hire the Architect: for a tower and one level more or less, or without these (F28)."""
    player = state.players[command.seat]
    if not player.towers:
        without = "You have no tower for the architect"
        detail = f"{without}. Play another card or end the turn (end_turn)."
        raise RuleBroken("no_effect", "F26", detail)

    if command.tower is None and command.by is None:
        return events.ArchitectHired(command.seat)

    own_tower(player, command.tower, "F28")
    if command.by not in (-1, 1):
        detail = (
            f"With tower {command.tower} `by` must be 1 or -1. Or leave both `tower` and `by` out."
        )
        raise RuleBroken("wrong_level", "F28", detail)
    return events.ArchitectHired(
        seat=command.seat,
        tower=command.tower,
        by=command.by,
    )


def _saboteur(state: State, command: PlayPersonnel, _chance: Chance) -> events.BrickRemoved:
    """Put one brick of another player's tower into the pouch (F30)."""
    target = command.target
    others = rivals(state, command.seat)
    if target in others:
        tower = find_tower(state.players[target], command.tower)
        if tower is not None:
            return events.BrickRemoved(target, tower.id, tower.colour)

    towers = [f"seat {seat} has {towers_in_words(state.players[seat])}" for seat in others]
    detail = f"Name another seat as `target`, and a tower of it: {'; '.join(towers)}."
    raise RuleBroken("no_such_tower", "F30", detail)


# ---- cards and the row: Patrician, Wholesaler ------------------------------------------------


def _patrician(state: State, command: PlayPersonnel, _chance: Chance) -> events.CardDiscarded:
    """Discard one card of the hand, also a Celebration (F31)."""
    choice = patrician_discards(state.players[command.seat])
    if command.discard not in choice:
        names = in_a_row(choice) or "nothing, for it is your only card"
        detail = f"The patrician discards another card of your hand. It may be {names}."
        raise RuleBroken("no_such_card", "F31", detail)
    return events.CardDiscarded(command.seat, command.discard)


def patrician_discards(player: Player) -> list[Card]:
    """Return the cards of the hand that a Patrician may discard, each name once (F31)."""
    others = player.cards[:]
    others[Card.PATRICIAN] -= 1
    return [card for card in HAND_CARDS if others[card] > 0]


def _wholesaler(state: State, command: PlayPersonnel, chance: Chance) -> events.SlotRestocked:
    """Put all bricks of a row card into the pouch, then as many random ones back onto it (F29)."""
    slot = command.slot
    filled = slots_with_bricks(state)
    if slot is None or slot not in filled:
        slots = ", ".join(map(str, filled)) or "none, for all are empty"
        detail = f"The wholesaler needs a slot with bricks. Its `slot` may be {slots}."
        raise RuleBroken("no_effect", "F26", detail)

    gone = state.row[slot].bricks
    pouch = add_bricks(state.pouch, gone)
    drawn = draw_bricks(pouch, sum(gone), chance)
    return events.SlotRestocked(
        seat=command.seat,
        slot=slot,
        gone=listed(gone),
        bricks=drawn,
    )


def slots_with_bricks(state: State) -> list[int]:
    """Return the slots of the row with any bricks."""
    return [number for number, slot in enumerate(state.row) if any(slot.bricks)]


def _no_effect_yet(_state: State, _command: PlayPersonnel, _chance: Chance) -> None:
    """Return None. Mason and Princess only have to be among the played cards (F29)."""


EFFECTS: dict[Card, Callable[[State, PlayPersonnel, Chance], Effect | None]] = {
    Card.ALCHEMIST: _alchemist,
    Card.ARCHITECT: _architect,
    Card.MASON: _no_effect_yet,
    Card.PATRICIAN: _patrician,
    Card.PRINCESS: _no_effect_yet,
    Card.SABOTEUR: _saboteur,
    Card.SMUGGLER: _smuggler,
    Card.WHOLESALER: _wholesaler,
}
