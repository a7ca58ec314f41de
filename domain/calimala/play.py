"""The checks and the events of each command."""

from collections.abc import Callable
from typing import Any

from domain.calimala import activation, commands, council, events, setup
from domain.calimala.agenda import (
    Activation,
    Drafting,
    Exchange,
    FinalScoring,
    Opening,
    Promotion,
    Scoring,
    Turn,
)
from domain.calimala.components import ACTIONS, FULL_STACK, STREETS, WHITE, Disc
from domain.calimala.council import Place, givable, give_up
from domain.calimala.duty import placeable, serves
from domain.calimala.refusals import expect, expect_house, expect_keeping
from domain.calimala.scoring import score
from domain.calimala.state import Player, State, all_scored, discs_left
from domain.errors import RuleBroken
from domain.game import Draft, Message, Play
from domain.kit import in_a_row, one_for_each


def play(draft: Draft[State], command: Message) -> None:
    """Emit the events of a command, up to the next choice. Raises RuleBroken."""
    _PLAY[type(command)](draft, command)
    proceed(draft)


# ---- the house -----------------------------------------------------------------------------------


def _set_up(draft: Draft[State], command: commands.SetUp) -> None:
    expect_house(draft.state, command, Opening)
    setup.lay_out(draft)


def _score(draft: Draft[State], command: commands.Score) -> None:
    expect_house(draft.state, command, Scoring, FinalScoring)
    score(draft)


# ---- before the first turn -----------------------------------------------------------------------


def _keep_scoring_card(draft: Draft[State], command: commands.KeepScoringCard) -> None:
    """Keep one of the dealt cards. Each seat does so once (C12)."""
    state = draft.state
    expect_keeping(state, command)
    player = state.players[command.seat]
    if player.kept is not None:
        detail = "You have kept a scoring card. Wait for the other seats."
        raise RuleBroken("already_kept", "C12", detail)

    if command.card not in player.dealt:
        detail = f"You may keep one of {in_a_row(player.dealt)}."
        raise RuleBroken("card_not_dealt", "C12", detail)

    draft.emit(events.ScoringCardKept(command.seat, command.card))


def _take_action_card(draft: Draft[State], command: commands.TakeActionCard) -> None:
    """Take one of the open action cards (C13)."""
    expect(draft.state, command, Drafting)
    cards = draft.state.open_cards
    if not cards[command.card]:
        names = in_a_row(action for action in ACTIONS if cards[action])
        raise RuleBroken("card_not_open", "C13", f"You may take one of {names}.")

    draft.emit(events.ActionCardTaken(command.seat, command.card))


# ---- a turn --------------------------------------------------------------------------------------


def _place_disc(draft: Draft[State], command: commands.PlaceDisc) -> None:
    """Place a disc on a legal street (C14, C15).

    The disc activates itself and the coloured discs among the two below it (C16).
    """
    state = draft.state
    expect(state, command, Turn)
    player = state.players[command.seat]
    _check_disc(player, command.disc)
    _check_street(state, player, command.street)

    stack = state.streets[command.street]
    top_two = stack[-(FULL_STACK - 1) :]
    owners = [disc for disc in reversed(top_two) if disc != WHITE]
    draft.emit(
        events.DiscPlaced(
            seat=command.seat,
            street=command.street,
            disc=command.disc,
            activates=(command.seat, *owners),
        )
    )


def _check_disc(player: Player, disc: Disc) -> None:
    count = player.whites if disc is Disc.WHITE else player.discs
    if not count:
        detail = f"You have only {in_a_row(discs_left(player))} discs left to place."
        raise RuleBroken("no_such_disc", "C14", detail)


def _check_street(state: State, player: Player, street: int) -> None:
    """Refuse an illegal street (C15). Check other streets only if this one serves no duty."""
    if serves(state, player, street):
        return
    legal_streets = placeable(state, player)
    if street not in legal_streets:
        names = in_a_row(STREETS[legal] for legal in legal_streets)
        detail = f"You could carry out neither action there. You may place on {names}."
        raise RuleBroken("only_cards", "C15", detail)


def _give_up_disc(draft: Draft[State], command: commands.GiveUpDisc) -> None:
    """Exchange one of the active player's discs for the lifted white one (C33)."""
    state = draft.state
    exchange = expect(state, command, Exchange)
    place = Place(command.street, command.position)
    legal_places = givable(state, exchange)

    if place not in legal_places:
        in_words = ", ".join(map(_place_in_words, legal_places))
        detail = f"You may take your disc from {in_words}."
        raise RuleBroken("disc_not_yours_to_give", "C33", detail)

    give_up(draft, exchange, place)


def _place_in_words(place: Place) -> str:
    return f"{place.street.wire} position {place.position}"


_PLAY: dict[type, Play[State]] = one_for_each(
    commands.COMMANDS,
    {
        commands.SetUp: _set_up,
        commands.KeepScoringCard: _keep_scoring_card,
        commands.TakeActionCard: _take_action_card,
        commands.PlaceDisc: _place_disc,
        commands.Perform: activation.perform,
        commands.PlayCard: activation.play_card,
        commands.Compensate: activation.compensate,
        commands.Skip: activation.skip,
        commands.EndActivation: activation.end_activation,
        commands.GiveUpDisc: _give_up_disc,
        commands.Score: _score,
    },
)


# ---- steps without a choice: ends of activations, the council, the end of play -------------------


Step = Callable[[Draft[State], Any], bool]


def proceed(draft: Draft[State]) -> None:
    """Settle the top of the agenda until a seat or the house is to act, or all is over."""
    state = draft.state
    while state.agenda:
        top = state.agenda[-1]
        step = _STEPS.get(type(top))
        if step is None or not step(draft, top):
            return


def _end_activation(draft: Draft[State], top: Activation) -> bool:
    """End an activation if its actions are used up and its owner has no card (C21)."""
    if any(top.left) or any(draft.state.players[top.seat].hand):
        return False
    draft.emit(events.ActivationEnded(top.seat))
    return True


def _begin_turn(draft: Draft[State], turn: Turn) -> bool:
    """Put the remaining open cards into the deck before the first turn (C13).

    Before a turn of seat 0, end play if no new round begins (C39, C40).
    """
    state = draft.state
    if any(state.open_cards):
        unused_cards = tuple(action for action in ACTIONS if state.open_cards[action])
        draft.emit(events.DraftEnded(unused_cards))

    new_round = turn.seat == 0
    if new_round and _play_is_over(state):
        draft.emit(events.PlayEnded())
    return False


def _play_is_over(state: State) -> bool:
    """Return True if all tiles are scored (C40) or, before a round, all discs are placed (C39)."""
    first = state.players[0]
    return all_scored(state) or not (first.discs or first.whites)


# Steps by class of the top item. A step returns True if `proceed` goes on with the new top.
_STEPS: dict[type, Step] = {
    Activation: _end_activation,
    Turn: _begin_turn,
    Promotion: council.promote,
    Exchange: council.exchange,
}
