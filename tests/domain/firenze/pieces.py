"""Firenze's part in the laws of games: what is conserved, and which legal commands are not listed."""

from collections import Counter
from dataclasses import replace
from typing import Any

from domain.firenze.agenda import Step
from domain.firenze.cards import Card
from domain.firenze.commands import (
    Build,
    Discard,
    EndTurn,
    Exchange,
    PlayPersonnel,
    ResolveEvent,
    TakeCard,
)
from domain.firenze.components import COLOURS, NEUTRAL, Colour
from domain.firenze.moves import legal_moves
from domain.firenze.state import Player, State

COST = {0: 0, 1: 0, 2: 0, 3: 1, 4: 3, 5: 6, 6: 10}
PAYMENTS = {
    TakeCard: "payment",
    Exchange: "give",
    ResolveEvent: "bricks",
    Discard: "bricks",
    EndTurn: "bricks",
}


def conserved(state: State) -> dict[str, Any]:
    """Count every brick by colour, card by name, seal and level tile, wherever it is."""
    piles = [
        state.pouch,
        *(slot.bricks for slot in state.row),
        *(player.storehouse for player in state.players),
    ]
    cards = [state.start, state.deck, state.discards, *(player.cards for player in state.players)]
    lying = Counter([slot.card for slot in state.row] + state.church)
    return {
        "bricks": [
            sum(pile[colour] for pile in piles) + _built(state, colour) for colour in COLOURS
        ],
        "cards": [
            sum(pile[card] for pile in cards) + lying[card] + (state.taken is card) for card in Card
        ],
        "seals": [
            player.seals + state.seals.count(seat) for seat, player in enumerate(state.players)
        ],
        "neutral seals": state.seals.count(NEUTRAL),
        "sound": all(map(_sound, state.players)) and min(map(min, [*piles, *cards])) >= 0,
    }


def _built(state: State, colour: Colour) -> int:
    return sum(
        tower.height
        for player in state.players
        for tower in player.towers
        if tower.colour is colour
    )


def _sound(player: Player) -> bool:
    numbers = [tower.id for tower in player.towers]
    heights = all(tower.height > 0 for tower in player.towers)
    return (
        numbers == sorted(set(numbers))
        and heights
        and all(number < player.next_tower for number in numbers)
    )


def spelled(command: Any) -> Any:
    """Cards to discard may be named in any order, and no cards at all as an empty list (F24)."""
    if isinstance(command, EndTurn) and command.cards is not None:
        return replace(command, cards=tuple(sorted(command.cards)) or None)
    return command


def unlisted(state: State, command: Any) -> bool:
    """Moves are listed without payments and with both bricks of a swap; builds are bounded, but hold to F19."""
    if isinstance(command, Build):
        return buildable(state, command)
    if isinstance(command, PlayPersonnel):
        return command.take is not None and command.give is None
    if isinstance(command, EndTurn) and not command.cards:
        command = replace(command, cards=None)
        return any(isinstance(move, EndTurn) for move in legal_moves(state, command.seat))
    listed = legal_moves(state, command.seat)
    return spelled(replace(command, **{PAYMENTS[type(command)]: None})) in listed


def buildable(state: State, command: Build) -> bool:
    """F19 in other words: one task open, own towers of that colour, six bricks at most, all of it paid for."""
    player = state.players[command.seat]
    towers = {tower.id: tower.colour for tower in player.towers}
    laid: Counter[Colour] = Counter()
    for lay in command.lay:
        laid[lay.colour] += lay.bricks
    off = 1 * bool(player.cards[Card.WORKSHOP]) + 3 * (Card.MASON in state.played)
    total = sum(laid.values())
    return (
        state.agenda[-1].step is Step.BUILD
        and all(lay.bricks > 0 for lay in command.lay)
        and all(lay.tower is None or towers.get(lay.tower) is lay.colour for lay in command.lay)
        and all(player.storehouse[colour] >= count for colour, count in laid.items())
        and total <= max(COST)
        and total + max(0, COST[total] - off) <= sum(player.storehouse)
    )


def typed_in(data: Any) -> Any:
    """Return a board as the owner of another box would type it in: all points are one higher (F4)."""
    if isinstance(data, dict):
        return {
            name: value + 1 if name == "points" else typed_in(value) for name, value in data.items()
        }
    return [typed_in(entry) for entry in data] if isinstance(data, list) else data
