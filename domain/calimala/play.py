"""May I? Each command is checked against the rules; what happens is emitted as events."""

from collections.abc import Callable
from typing import Any

from domain.calimala import commands as c
from domain.calimala import events as e
from domain.calimala.actions import index_of, possible, ways, workshops_after
from domain.calimala.agenda import (
    Activation,
    Drafting,
    Exchange,
    FinalScoring,
    Keeping,
    Opening,
    Scoring,
    Turn,
)
from domain.calimala.components import (
    ACTIONS,
    ENDS,
    FULL_STACK,
    STREETS,
    WAYS,
    WHITE,
    Action,
    Disc,
    Way,
)
from domain.calimala.duty import forgoable, placeable, serves
from domain.calimala.flow import (
    draw_card,
    givable,
    give_up,
    lay_out,
    proceed,
    renew_deck,
    settle_next,
)
from domain.calimala.refusals import expect, expect_house
from domain.calimala.state import State
from domain.errors import RuleBroken
from domain.game import Draft


def play(draft: Draft[State], command: Any) -> None:
    """Emit what a command causes, up to the next choice; raises RuleBroken."""
    _PLAY[type(command)](draft, command)
    proceed(draft)


def _names(kinds: Any) -> str:
    return ", ".join(kind.wire for kind in kinds)


def _set_up(draft: Draft[State], _command: c.SetUp) -> None:
    expect_house(draft.state, Opening)
    lay_out(draft)


def _score(draft: Draft[State], _command: c.Score) -> None:
    expect_house(draft.state, Scoring, FinalScoring)
    settle_next(draft)


def _keep_scoring_card(draft: Draft[State], command: c.KeepScoringCard) -> None:
    """Each seat keeps one of the cards it was dealt, once (C12)."""
    expect(draft.state, command.seat, Keeping)
    player = draft.state.players[command.seat]
    if player.kept is not None:
        raise RuleBroken(
            "already_kept", "C12", "You have kept a scoring card; wait for the other seats."
        )
    if command.card not in player.dealt:
        raise RuleBroken("card_not_dealt", "C12", f"You may keep one of {_names(player.dealt)}.")
    draft.emit(e.ScoringCardKept(command.seat, command.card))


def _take_action_card(draft: Draft[State], command: c.TakeActionCard) -> None:
    """A seat takes one of the open action cards (C13)."""
    expect(draft.state, command.seat, Drafting)
    cards = draft.state.open_cards
    if not cards[command.card]:
        left = _names(action for action in ACTIONS if cards[action])
        raise RuleBroken("card_not_open", "C13", f"You may take one of {left}.")
    draft.emit(e.ActionCardTaken(command.seat, command.card))


def _place_disc(draft: Draft[State], command: c.PlaceDisc) -> None:
    """A disc goes on any street where it may do its duty (C14, C15) and activates up to three discs (C16)."""
    state = draft.state
    expect(state, command.seat, Turn)
    player = state.players[command.seat]
    if not (player.whites if command.disc is Disc.WHITE else player.discs):
        other = "coloured" if command.disc is Disc.WHITE else "white"
        raise RuleBroken("no_such_disc", "C14", f"You have only {other} discs left to place.")
    if not serves(state, player, command.street) and command.street not in (
        streets := placeable(state, player)
    ):
        may = _names(STREETS[street] for street in streets)
        raise RuleBroken(
            "only_cards",
            "C15",
            f"You could carry out neither action there; you may place on {may}.",
        )
    below = state.streets[command.street][-(FULL_STACK - 1) :]
    owners = tuple(disc for disc in reversed(below) if disc != WHITE)
    draft.emit(e.DiscPlaced(command.seat, command.street, command.disc, (command.seat, *owners)))


def _perform(draft: Draft[State], command: c.Perform) -> None:
    """An activated action is carried out (C19)."""
    seat, action = command.seat, command.action
    _activated(draft.state, expect(draft.state, seat, Activation), action)
    draft.emit(e.ActionPerformed(seat, action, *_checked(draft.state, command)))


def _play_card(draft: Draft[State], command: c.PlayCard) -> None:
    """A card may be played during an own activation if it can be carried out, at least in part (C20)."""
    state, seat, action = draft.state, command.seat, command.action
    expect(state, seat, Activation)
    hand = state.players[seat].hand
    if not hand[action]:
        held = _names(card for card in ACTIONS if hand[card]) or "no card"
        raise RuleBroken("card_not_held", "C20", f"You hold {held}.")
    draft.emit(e.CardPlayed(seat, action, *_checked(state, command)))


def _compensate(draft: Draft[State], command: c.Compensate) -> None:
    """A card is drawn only for an action that cannot be carried out at all (C19)."""
    state, seat, action = draft.state, command.seat, command.action
    activation = expect(state, seat, Activation)
    which = _activated(state, activation, action)
    if possible(state, state.players[seat], action):
        raise RuleBroken(
            "action_possible", "C19", f"You can carry {action.wire} out: perform or skip it."
        )
    _keep_duty(state, activation, which)
    card = draw_card(draft)
    draft.emit(e.Compensated(seat, action, card is not None, card))
    renew_deck(draft)


def _skip(draft: Draft[State], command: c.Skip) -> None:
    """An activated action may be given up for nothing (C19)."""
    activation = expect(draft.state, command.seat, Activation)
    _keep_duty(draft.state, activation, _activated(draft.state, activation, command.action))
    draft.emit(e.ActionSkipped(command.seat, command.action))


def _end_activation(draft: Draft[State], command: c.EndActivation) -> None:
    """An activation ends when its actions are used up (C21)."""
    activation = expect(draft.state, command.seat, Activation)
    if any(activation.left):
        raise RuleBroken(
            "actions_left",
            "C21",
            f"First perform, compensate or skip {_left(draft.state, activation)}.",
        )
    draft.emit(e.ActivationEnded(command.seat))


def _give_up_disc(draft: Draft[State], command: c.GiveUpDisc) -> None:
    """One of the active player's own discs is exchanged for the lifted white one (C33)."""
    exchange = expect(draft.state, command.seat, Exchange)
    may = givable(draft.state, exchange)
    if (command.street, command.position) not in may:
        places = ", ".join(
            f"{STREETS[street].wire} position {position}" for street, position in may
        )
        raise RuleBroken("disc_not_yours_to_give", "C33", f"You may take your disc from {places}.")
    give_up(draft, exchange, command.street, command.position)


# ---- what several commands check -------------------------------------------------------------------------------------


def _activated(state: State, activation: Activation, action: Action) -> int:
    """Return which of the street's actions this is (0 or 1); it must still be unused (C19)."""
    ends = ENDS[activation.street]
    for which in (0, 1):
        if state.grid[ends[which]] == action and activation.left[which]:
            return which
    left = _left(state, activation)
    may = (
        f"What is left to use is {left}."
        if left
        else "All actions are used up: play a card or end the activation."
    )
    raise RuleBroken("action_not_activated", "C19", may)


def _left(state: State, activation: Activation) -> str:
    ends = ENDS[activation.street]
    return _names(
        state.grid[end] for end, times in zip(ends, activation.left, strict=True) if times
    )


def _keep_duty(state: State, activation: Activation, which: int) -> None:
    if not forgoable(state, activation, which):
        action = state.grid[ENDS[activation.street][which]].wire
        detail = f"One of the two actions must be carried out: perform {action}, after playing cards if need be."
        raise RuleBroken("duty_unmet", "C15", detail)


def _checked(state: State, command: c.Perform | c.PlayCard) -> tuple[Any, ...]:
    """Return the parameters of the action, cities sorted, and the workshops afterwards (C23-C30)."""
    action = command.action
    wanted = Way(
        action, command.build, command.city, command.building, command.resource, command.cities
    )
    index = index_of(wanted)
    player = state.players[command.seat]
    may = ways(state, player, action)
    if index is None or index not in may:
        raise _no_such_way(action, [WAYS[each] for each in may])
    return (*WAYS[index][1:], workshops_after(player, action, wanted.cities))


def _no_such_way(action: Action, may: list[Way]) -> RuleBroken:
    rule = _RULES[action]
    if not may:
        return RuleBroken(
            "action_impossible",
            rule,
            f"You cannot carry {action.wire} out now; skip it or use another.",
        )
    return RuleBroken(
        "no_such_way", rule, f"You may carry {action.wire} out with {'; '.join(map(_spell, may))}."
    )


def _spell(way: Way) -> str:
    parts = [
        f"{name} {value.wire}"
        for name, value in way._asdict().items()
        if value is not None and name != "cities"
    ]
    if way.cities is not None:
        parts.append(f"cities {'+'.join(city.wire for city in way.cities)}")
    return " ".join(parts[1:]) or "no parameters"


_RULES = ("C23", "C23", "C23", "C24", "C25", "C26", "C27", "C28", "C29")

_PLAY: dict[type, Callable[[Draft[State], Any], None]] = {
    c.SetUp: _set_up,
    c.KeepScoringCard: _keep_scoring_card,
    c.TakeActionCard: _take_action_card,
    c.PlaceDisc: _place_disc,
    c.Perform: _perform,
    c.PlayCard: _play_card,
    c.Compensate: _compensate,
    c.Skip: _skip,
    c.EndActivation: _end_activation,
    c.GiveUpDisc: _give_up_disc,
    c.Score: _score,
}
