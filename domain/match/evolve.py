"""What the events of a match change in its state; no rules."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from domain.game import Setup
from domain.match.messages import (
    MatchAborted,
    MatchExpired,
    MatchOpened,
    MatchStarted,
    NameErased,
    SeatJoined,
    SeatLeft,
    SeatReplaced,
    SeatRestored,
    SecretsRevealed,
    TokenReplaced,
    TokenRevoked,
)
from domain.match.state import Match, Seat


def new_match(event: MatchOpened) -> Match:
    """Return the match that its first event makes."""
    seats = [
        Seat(kind=plan.kind, level=plan.level, name=plan.name, entropy=plan.entropy)
        for plan in event.seats
    ]
    return Match(
        rules=event.rules,
        options=event.options,
        seats=seats,
        visibility=event.visibility,
        commitment=event.commitment,
        views=event.views,
        secret=event.secret,
        id=event.match,
        advice=bool(event.advice),
    )


def fold(match: Match, events: Iterable[Any]) -> None:
    """Apply events in place, the match's own and its game's."""
    evolve_game = match.game.evolve
    for event in events:
        handler = _HANDLERS.get(type(event))
        if handler is None:
            evolve_game(match.state, event)
        else:
            handler(match, event)


def evolve(match: Match, event: Any) -> None:
    """Apply one event in place, the match's own or its game's."""
    fold(match, (event,))


def _on_joined(match: Match, event: SeatJoined) -> None:
    match.seats[event.seat] = Seat("human", level="", name=event.name, entropy=event.entropy)


def _on_left(match: Match, event: SeatLeft) -> None:
    match.seats[event.seat] = Seat("open", level="", name="", entropy="")


def _on_started(match: Match, event: MatchStarted) -> None:
    match.stage = "running"
    match.state = match.game.initial(Setup(len(match.seats), match.options))


def _on_ended(match: Match, event: MatchAborted | MatchExpired) -> None:
    match.stage = "aborted"


def _on_replaced(match: Match, event: SeatReplaced) -> None:
    seat = match.seats[event.seat]
    stands_in = seat.absent or seat.kind == "human"
    match.seats[event.seat] = replace(seat, kind="bot", level=event.level, absent=stands_in)


def _on_restored(match: Match, event: SeatRestored) -> None:
    seat = match.seats[event.seat]
    match.seats[event.seat] = replace(seat, kind="human", level="", absent=False)


def _on_revealed(match: Match, event: SecretsRevealed) -> None:
    match.revealed = True


def _on_trace(match: Match, event: TokenReplaced | TokenRevoked | NameErased) -> None:
    """Change nothing: tokens and names lie beside the chain (M13)."""


_HANDLERS: dict[type, Any] = {
    SeatJoined: _on_joined,
    SeatLeft: _on_left,
    MatchStarted: _on_started,
    MatchAborted: _on_ended,
    MatchExpired: _on_ended,
    SeatReplaced: _on_replaced,
    SeatRestored: _on_restored,
    SecretsRevealed: _on_revealed,
    TokenReplaced: _on_trace,
    TokenRevoked: _on_trace,
    NameErased: _on_trace,
}
