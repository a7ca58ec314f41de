"""The moves of a seat during the activation of its disc: actions and cards (C17-C21)."""

from domain.calimala import commands, events
from domain.calimala.actions import CHOICES, Choice, Indexes, choices, index_of, possible
from domain.calimala.agenda import Activation
from domain.calimala.components import ACTIONS, CAPACITY, Action, Building, City, Project, Resource
from domain.calimala.duty import forgoable
from domain.calimala.refusals import expect
from domain.calimala.state import Player, State, street_actions
from domain.chance import pick
from domain.errors import RuleBroken
from domain.game import Draft
from domain.kit import in_a_row


def perform(draft: Draft[State], command: commands.Perform) -> None:
    """Carry out an activated action (C19)."""
    activation = expect(draft.state, command, Activation)
    _activated(draft.state, activation, command.action)

    parameters = _parameters(draft.state, command)
    draft.emit(events.ActionPerformed(command.seat, command.action, *parameters))


def play_card(draft: Draft[State], command: commands.PlayCard) -> None:
    """Play a card during an own activation. Its action must be possible at least in part (C20)."""
    expect(draft.state, command, Activation)
    _check_hand(draft.state.players[command.seat], command.action)

    parameters = _parameters(draft.state, command)
    draft.emit(events.CardPlayed(command.seat, command.action, *parameters))


def compensate(draft: Draft[State], command: commands.Compensate) -> None:
    """Draw a card for an activated action. Refused if any part of the action is possible (C19)."""
    state = draft.state
    action = command.action
    activation = expect(state, command, Activation)
    which = _activated(state, activation, action)

    player = state.players[command.seat]
    if possible(state, player, action):
        detail = f"You can carry {action.wire} out: perform or skip it."
        raise RuleBroken("action_possible", "C19", detail)
    _check_duty(state, activation, which)

    card = draw_card(draft)
    drew = card is not None
    draft.emit(events.Compensated(command.seat, action, drew, card))
    renew_deck(draft)


def skip(draft: Draft[State], command: commands.Skip) -> None:
    """Give an activated action up for nothing (C19)."""
    activation = expect(draft.state, command, Activation)
    which = _activated(draft.state, activation, command.action)
    _check_duty(draft.state, activation, which)
    draft.emit(events.ActionSkipped(command.seat, command.action))


def end_activation(draft: Draft[State], command: commands.EndActivation) -> None:
    """End an activation. Refused until both actions are used up (C21)."""
    activation = expect(draft.state, command, Activation)
    if any(activation.left):
        rest = _left_in_words(draft.state, activation)
        detail = f"First perform, compensate or skip {rest}."
        raise RuleBroken("actions_left", "C21", detail)
    draft.emit(events.ActivationEnded(command.seat))


# ---- checks --------------------------------------------------------------------------------------


def _check_hand(player: Player, card: Action) -> None:
    """Refuse to play a card that is not in the hand (C20)."""
    if player.hand[card]:
        return
    held_cards = [action for action in ACTIONS if player.hand[action]]
    in_words = in_a_row(held_cards) or "no card"
    raise RuleBroken("card_not_held", "C20", f"You hold {in_words}.")


def _activated(state: State, activation: Activation, action: Action) -> int:
    """Return the street's index (0 or 1) of an action with a use left. Refuse all others (C19)."""
    actions = street_actions(state, activation.street)
    for which in (0, 1):
        if actions[which] == action and activation.left[which]:
            return which

    rest = _left_in_words(state, activation)
    if rest:
        detail = f"Actions left to use: {rest}."
    else:
        detail = "All actions are used up. Play a card or end the activation."
    raise RuleBroken("action_not_activated", "C19", detail)


def _left_in_words(state: State, activation: Activation) -> str:
    """Return the actions with uses left: "brick, wood". "" for none."""
    actions = zip(street_actions(state, activation.street), activation.left, strict=True)
    return in_a_row(action for action, times in actions if times)


def _check_duty(state: State, activation: Activation, which: int) -> None:
    """Refuse to give up a use of an action if the duty could then not be met any more (C15)."""
    if forgoable(state, activation, which):
        return
    action = street_actions(state, activation.street)[which].wire
    must = "One of the two actions must be carried out"
    detail = f"{must}. Perform {action}, after playing cards if need be."
    raise RuleBroken("duty_unmet", "C15", detail)


# ---- the parameters of actions and cards ---------------------------------------------------------

Parameters = tuple[
    Project | None,
    City | None,
    Building | None,
    Resource | None,
    tuple[City, ...] | None,
    tuple[int, ...] | None,
]

_RULES = ("C23", "C23", "C23", "C24", "C25", "C26", "C27", "C28", "C29")  # by Action


def _parameters(state: State, command: commands.Perform | commands.PlayCard) -> Parameters:
    """Return the fields that come after `action` in the event (C23-C30).

    These are the parameters of the choice, with sorted cities, and `workshops`. Raises RuleBroken
    for an illegal choice.
    """
    action = command.action
    player = state.players[command.seat]
    legal_choices = choices(state, player, action)
    index = index_of(command)
    if index not in legal_choices:
        raise _no_such_choice(action, legal_choices)

    _, build, city, building, resource, cities = CHOICES[index]
    workshops = workshops_after(player, action, command.cities)
    return build, city, building, resource, cities, workshops


def _no_such_choice(action: Action, legal_choices: Indexes) -> RuleBroken:
    rule = _RULES[action]
    if not legal_choices:
        detail = f"You cannot carry {action.wire} out now. Skip it or use another."
        return RuleBroken("action_impossible", rule, detail)

    in_words = "; ".join(_in_words(CHOICES[index]) for index in legal_choices)
    return RuleBroken("no_such_way", rule, f"You may carry {action.wire} out with {in_words}.")


def _in_words(choice: Choice) -> str:
    """Return the parameters in words: "build trade_house city troyes", "cities lisbon+london"."""
    words = []
    for name in ("build", "city", "building", "resource"):
        value = getattr(choice, name)
        if value is not None:
            words += [name, value.wire]

    if choice.cities is not None:
        names = [city.wire for city in choice.cities]
        words += ["cities", "+".join(names)]

    return " ".join(words) or "no parameters"


# ---- the deck of action cards (C22) --------------------------------------------------------------


def draw_card(draft: Draft[State]) -> Action | None:
    """Return a random card of the deck, without removing it. None: no card is left (C22).

    If the deck is empty, the discards become the deck first.
    """
    renew_deck(draft)
    deck = draft.state.deck
    if not any(deck):
        return None
    return ACTIONS[pick(draft.chance, deck)]


def renew_deck(draft: Draft[State]) -> None:
    """Make the discards the deck if the deck is empty (C22)."""
    if not any(draft.state.deck) and any(draft.state.discards):
        draft.emit(events.DeckRenewed())


# ---- the cloth in each workshop after an action (C26, C30) ---------------------------------------


def woven(player: Player) -> tuple[int, ...]:
    """Return the cloth in each workshop after weaving (C26).

    Each workshop with room takes one cube while the reserve lasts, the emptiest first.
    """
    cloth = list(player.cloth)
    takers = [place for place, cubes in enumerate(cloth) if cubes < CAPACITY]
    takers.sort(key=cloth.__getitem__)

    for place in takers[: player.reserve]:
        cloth[place] += 1
    return tuple(cloth)


def taken_out(player: Player, count: int) -> tuple[int, ...]:
    """Return the cloth in each workshop after `count` cloth left, each from the fullest (C30)."""
    cloth = list(player.cloth)
    for _ in range(count):
        fullest = cloth.index(max(cloth))
        cloth[fullest] -= 1
    return tuple(cloth)


def workshops_after(
    player: Player, action: Action, cities: tuple[City, ...] | None
) -> tuple[int, ...] | None:
    """Return the cloth in each workshop after the action. None: the action moves no cloth."""
    if cities is not None:
        return taken_out(player, len(cities))
    if action is Action.WEAVE:
        return woven(player)
    return None
