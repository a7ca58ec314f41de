"""Personnel cards (F26-F31)."""

from collections.abc import Callable, Collection, Sequence

from domain.chance import Chance
from domain.errors import RuleBroken
from domain.firenze import events as ev
from domain.firenze.build import standing, towers_in_words
from domain.firenze.commands import PlayPersonnel
from domain.firenze.components import (
    CELEBRATIONS,
    COLOURS,
    KINDS,
    PERSONNEL,
    Card,
    Colour,
    Kind,
    Step,
)
from domain.firenze.payment import automatic, in_words, listed
from domain.firenze.state import Player, State, built_colours, find_tower
from domain.firenze.table import draw_bricks
from domain.game import Draft

ANY = (Step.CHOOSE, Step.BUILD, Step.FULFIL)
STEPS = {
    Card.ALCHEMIST: ANY,
    Card.ARCHITECT: (Step.FULFIL,),
    Card.MASON: (Step.BUILD,),
    Card.PATRICIAN: ANY,
    Card.PRINCESS: (Step.CHOOSE,),
    Card.SABOTEUR: ANY,
    Card.SMUGGLER: ANY,
    Card.WHOLESALER: (Step.CHOOSE, Step.BUILD),
}
WHEN = {
    Card.ARCHITECT: "after build (an empty build will do)",
    Card.MASON: "after take_card and before build",
    Card.PRINCESS: "before take_card",
    Card.WHOLESALER: "before build",
}
FIELDS: dict[Card, tuple[str, ...]] = {
    Card.ALCHEMIST: ("take", "give"),
    Card.ARCHITECT: ("tower", "by"),
    Card.MASON: (),
    Card.PATRICIAN: ("discard",),
    Card.PRINCESS: (),
    Card.SABOTEUR: ("target", "tower"),
    Card.SMUGGLER: ("target", "take", "give"),
    Card.WHOLESALER: ("slot",),
}
ALL_FIELDS = ("slot", "take", "give", "target", "tower", "by", "discard")


def play_personnel(draft: Draft[State], command: PlayPersonnel) -> None:
    """Play a card from the hand, no two of the same name in a turn (F26)."""
    state, card = draft.state, command.card
    _check_card(state, command)
    for name in ALL_FIELDS:
        if getattr(command, name) is not None and name not in FIELDS[card]:
            fields = ", ".join(FIELDS[card]) or "no fields"
            detail = f"The field {name} does not belong to the {card.wire}, which takes {fields}."
            raise RuleBroken("superfluous_field", "F26", detail)
    effect = EFFECTS[card](state, command, draft.chance)
    draft.emit(ev.PersonnelPlayed(command.seat, card))
    if effect is not None:
        draft.emit(effect)


def _check_card(state: State, command: PlayPersonnel) -> None:
    card, held = command.card, state.players[command.seat].cards
    if KINDS[card] is not Kind.PERSONNEL:
        raise RuleBroken(
            "not_personnel",
            "F26",
            f"The {card.wire} is no Personnel; {_may_play(state, command.seat)}.",
        )
    if not held[card]:
        raise RuleBroken(
            "card_not_held", "F26", f"You hold no {card.wire}; {_may_play(state, command.seat)}."
        )
    if card in state.played:
        detail = f"One {card.wire} has been played this turn; {_may_play(state, command.seat)}."
        raise RuleBroken("already_played", "F26", detail)
    if state.agenda[-1].step not in STEPS[card]:
        rule = "F28" if card is Card.ARCHITECT else "F29"
        detail = f"The {card.wire} is played {WHEN[card]}; {_may_play(state, command.seat)}."
        raise RuleBroken("wrong_phase", rule, detail)


def playable(state: State, seat: int) -> list[Card]:
    """Return the Personnel of the hand that is in its phase, none of its name played this turn (F26)."""
    held, step = state.players[seat].cards, state.agenda[-1].step
    return [
        card
        for card in PERSONNEL
        if held[card] and card not in state.played and step in STEPS[card]
    ]


def _may_play(state: State, seat: int) -> str:
    return f"now you may play {', '.join(card.wire for card in playable(state, seat)) or 'none of your cards'}"


def _alchemist(state: State, command: PlayPersonnel, _chance: Chance) -> ev.BrickSwapped:
    """One storehouse brick against one of a colour that is in the pouch (F27)."""
    take = _taken(command.take, state.pouch, "the pouch", "F27")
    give = _given(state.players[command.seat], command.give, take, "F27")
    return ev.BrickSwapped(command.seat, give, take)


def _taken(take: Colour | None, pile: Sequence[int], place: str, rule: str) -> Colour:
    if take is None or not pile[take]:
        wrong = (
            "A brick to take must be named"
            if take is None
            else f"There is no {take.wire} in {place}"
        )
        raise RuleBroken("no_such_brick", rule, f"{wrong}; {place} holds {in_words(pile)}.")
    return take


def _given(player: Player, give: Colour | None, take: Colour, rule: str) -> Colour:
    """The brick given, by F25 if it is not named; a swap of equal colours has no effect (F26)."""
    others = [0 if colour is take else player.storehouse[colour] for colour in COLOURS]
    if not any(others) or give is take:
        detail = f"For {take.wire} another colour must be given; besides {take.wire} you have {in_words(others)}."
        raise RuleBroken("no_effect", "F26", detail)
    if give is None:
        return automatic(1, others, built_colours(player))[0]
    return _taken(give, player.storehouse, "your storehouse", rule)


def _architect(state: State, command: PlayPersonnel, _chance: Chance) -> ev.ArchitectHired:
    """Bound to a tower and one level more or less, or to the first fulfilment one level off (F28)."""
    player = state.players[command.seat]
    if not player.towers:
        detail = (
            "You have no tower for the architect; play another card or end the turn (end_turn)."
        )
        raise RuleBroken("no_effect", "F26", detail)
    if command.tower is None and command.by is None:
        return ev.ArchitectHired(command.seat)
    standing(player, command.tower, "F28")
    if command.by not in (-1, 1):
        detail = f"With tower {command.tower} by must be 1 or -1; or leave both tower and by out."
        raise RuleBroken("wrong_level", "F28", detail)
    return ev.ArchitectHired(command.seat, command.tower, command.by)


def _no_effect_yet(_state: State, _command: PlayPersonnel, _chance: Chance) -> None:
    """Mason and Princess work by having been played (F29)."""


def _patrician(state: State, command: PlayPersonnel, _chance: Chance) -> ev.CardDiscarded:
    """Discard one card of the hand, also a Celebration (F31)."""
    choice = hand_cards(state.players[command.seat])
    if command.discard not in choice:
        names = ", ".join(card.wire for card in choice) or "nothing, for it is your only card"
        raise RuleBroken(
            "no_such_card",
            "F31",
            f"The patrician discards another card of your hand; it may be {names}.",
        )
    return ev.CardDiscarded(command.seat, command.discard)


def hand_cards(player: Player) -> list[Card]:
    """Return the cards of the hand that a Patrician may discard, one entry a name (F31)."""
    return [
        card for card in PERSONNEL + CELEBRATIONS if player.cards[card] > (card is Card.PATRICIAN)
    ]


def _saboteur(state: State, command: PlayPersonnel, _chance: Chance) -> ev.BrickRemoved:
    """One brick of another player's tower into the pouch (F30)."""
    target, others = command.target, rivals(state, command.seat)
    if target not in others or find_tower(state.players[target], command.tower) is None:
        towers = "; ".join(
            f"seat {seat} has {towers_in_words(state.players[seat])}" for seat in others
        )
        raise RuleBroken(
            "no_such_tower", "F30", f"Name another seat as target, and a tower of it: {towers}."
        )
    tower = standing(state.players[target], command.tower, "F30")
    return ev.BrickRemoved(target, tower.id, tower.colour)


def rivals(state: State, seat: int) -> list[int]:
    """Return the other seats."""
    return [other for other in range(len(state.players)) if other != seat]


def _smuggler(state: State, command: PlayPersonnel, _chance: Chance) -> ev.BricksTraded:
    """One own storehouse brick against one of another player's storehouse (F30)."""
    target = command.target
    if target is None or target not in rivals(state, command.seat):
        seats = " or ".join(map(str, rivals(state, command.seat)))
        raise RuleBroken(
            "no_such_seat", "F30", f"The smuggler trades with another seat; target must be {seats}."
        )
    take = _taken(
        command.take, state.players[target].storehouse, f"the storehouse of seat {target}", "F30"
    )
    give = _given(state.players[command.seat], command.give, take, "F30")
    return ev.BricksTraded(command.seat, target, give, take)


def _wholesaler(state: State, command: PlayPersonnel, chance: Chance) -> ev.SlotRestocked:
    """All bricks of one row card into the pouch, then as many random ones back onto it (F29)."""
    slot = command.slot
    filled: Collection[int] = [place for place, one in enumerate(state.row) if any(one.bricks)]
    if slot is None or slot not in filled:
        slots = ", ".join(map(str, filled)) or "none, for all are empty"
        raise RuleBroken(
            "no_effect", "F26", f"The wholesaler needs a slot with bricks; slot may be {slots}."
        )
    bricks = state.row[slot].bricks
    pouch = [have + back for have, back in zip(state.pouch, bricks, strict=True)]
    return ev.SlotRestocked(
        command.seat, slot, listed(bricks), draw_bricks(pouch, sum(bricks), chance)
    )


Effect = (
    ev.BrickSwapped
    | ev.ArchitectHired
    | ev.CardDiscarded
    | ev.BrickRemoved
    | ev.BricksTraded
    | ev.SlotRestocked
)
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
