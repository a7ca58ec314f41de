"""Firenze's part in the laws of games: conserved pieces, and legal moves that are not listed."""

from collections import Counter
from dataclasses import replace
from typing import Any

from domain.firenze import GAME
from domain.firenze.agenda import Step
from domain.firenze.commands import (
    Build,
    Discard,
    EndTurn,
    Exchange,
    PlayPersonnel,
    ResolveEvent,
    TakeCard,
)
from domain.firenze.components import COLOURS, NEUTRAL, Card, Colour
from domain.firenze.events import RowShortened
from domain.firenze.moves import legal_moves
from domain.firenze.state import Player, State
from domain.game import Message, Setup

COST = {0: 0, 1: 0, 2: 0, 3: 1, 4: 3, 5: 6, 6: 10}

# The field of each command that legal_moves leaves out.
PAYMENTS = {
    TakeCard: "payment",
    Exchange: "give",
    ResolveEvent: "bricks",
    Discard: "bricks",
    EndTurn: "bricks",
}


def conserved(state: State) -> dict[str, Any]:
    """Count every brick by colour, card by name, seal and level tile, wherever it is."""
    brick_piles = [state.pouch]
    brick_piles += [slot.bricks for slot in state.row]
    brick_piles += [player.storehouse for player in state.players]

    card_piles = [state.start, state.deck, state.discards]
    card_piles += [player.cards for player in state.players]

    seals = [player.seals + state.seals.count(seat) for seat, player in enumerate(state.players)]
    all_counts = [min(pile) for pile in (*brick_piles, *card_piles)]
    return {
        "bricks": [_all_bricks(state, brick_piles, colour) for colour in COLOURS],
        "cards": [_all_copies(state, card_piles, card) for card in Card],
        "seals": seals,
        "neutral seals": state.seals.count(NEUTRAL),
        "sound": all(map(_sound, state.players)) and min(all_counts) >= 0,
    }


def _all_bricks(state: State, piles: list[list[int]], colour: Colour) -> int:
    in_piles = sum(pile[colour] for pile in piles)
    in_towers = sum(
        tower.height
        for player in state.players
        for tower in player.towers
        if tower.colour is colour
    )
    return in_piles + in_towers


def _all_copies(state: State, piles: list[list[int]], card: Card) -> int:
    in_piles = sum(pile[card] for pile in piles)
    in_row = sum(slot.card is card for slot in state.row)
    return in_piles + in_row + state.church.count(card) + (state.taken is card)


def _sound(player: Player) -> bool:
    """Return True if the towers have levels, and numbers in the order of their beginnings."""
    numbers = [tower.id for tower in player.towers]
    in_order = numbers == sorted(set(numbers))
    used = all(number < player.next_tower for number in numbers)
    return in_order and used and all(tower.height > 0 for tower in player.towers)


def spelled(command: Any) -> Any:
    """Cards to discard may be named in any order, and no cards at all as an empty list (F24)."""
    if isinstance(command, EndTurn) and command.cards is not None:
        return replace(command, cards=tuple(sorted(command.cards)) or None)
    return command


def unlisted(state: State, command: Any) -> bool:
    """Return True if a legal command may be missing from the listing.

    Moves are listed without payments, and with both bricks of a swap. Builds are bounded (F19).
    """
    if isinstance(command, Build):
        return buildable(state, command)

    if isinstance(command, PlayPersonnel):
        return command.take is not None and command.give is None

    if isinstance(command, EndTurn) and not command.cards:
        return any(isinstance(move, EndTurn) for move in legal_moves(state, command.seat))

    without_payment = replace(command, **{PAYMENTS[type(command)]: None})
    return spelled(without_payment) in legal_moves(state, command.seat)


def buildable(state: State, command: Build) -> bool:
    """F19 in other words: own towers of that colour, six bricks at most, all of it paid for."""
    player = state.players[command.seat]
    if state.agenda[-1].step is not Step.BUILD:
        return False

    own_colours = {tower.id: tower.colour for tower in player.towers}
    laid: Counter[Colour] = Counter()
    for lay in command.lay:
        if lay.bricks < 1:
            return False
        if lay.tower is not None and own_colours.get(lay.tower) is not lay.colour:
            return False
        laid[lay.colour] += lay.bricks

    total = sum(laid.values())
    in_store = all(player.storehouse[colour] >= count for colour, count in laid.items())
    if total > max(COST) or not in_store:
        return False
    return total + _price(state, player, total) <= sum(player.storehouse)


def _price(state: State, player: Player, total: int) -> int:
    workshop = 1 if player.cards[Card.WORKSHOP] else 0
    mason = 3 if Card.MASON in state.played else 0
    return max(0, COST[total] - workshop - mason)


def typed_in(board: Any) -> Any:
    """Return a board as the owner of another box types it in: all points are one higher (F4)."""
    if isinstance(board, list):
        return [typed_in(entry) for entry in board]
    if not isinstance(board, dict):
        return board

    higher = {name: typed_in(value) for name, value in board.items()}
    if "points" in board:
        higher["points"] = board["points"] + 1
    return higher


def rare_moments() -> list[tuple[State, Message]]:
    """All cards may lie before the players, so that the row gets shorter (F17)."""
    options = GAME.read_options({})
    state = GAME.initial(Setup(GAME.seats[0], options))
    return [(state, RowShortened())]
