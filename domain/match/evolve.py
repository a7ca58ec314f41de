"""What the events of a match change in its state; no rules."""

from collections.abc import Iterable
from dataclasses import replace

from domain.game import Change, Message, Setup
from domain.match import messages
from domain.match.state import Match, Seat


def new_match(event: messages.MatchOpened) -> Match:
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


def fold(match: Match, events: Iterable[Message]) -> None:
    """Apply events in place, the match's own and its game's."""
    evolve_game = match.game.evolve
    for event in events:
        handler = _CHANGES.get(type(event))
        if handler is None:
            evolve_game(match.state, event)
        else:
            handler(match, event)


def evolve(match: Match, event: Message) -> None:
    """Apply one event in place, the match's own or its game's."""
    fold(match, (event,))


def _on_joined(match: Match, event: messages.SeatJoined) -> None:
    match.seats[event.seat] = Seat("human", level="", name=event.name, entropy=event.entropy)


def _on_left(match: Match, event: messages.SeatLeft) -> None:
    match.seats[event.seat] = Seat("open", level="", name="", entropy="")


def _on_started(match: Match, event: messages.MatchStarted) -> None:
    match.stage = "running"
    match.state = match.game.initial(Setup(len(match.seats), match.options))


def _on_ended(match: Match, event: messages.MatchAborted | messages.MatchExpired) -> None:
    match.stage = "aborted"


def _on_replaced(match: Match, event: messages.SeatReplaced) -> None:
    seat = match.seats[event.seat]
    stands_in = seat.absent or seat.kind == "human"
    match.seats[event.seat] = replace(seat, kind="bot", level=event.level, absent=stands_in)


def _on_restored(match: Match, event: messages.SeatRestored) -> None:
    seat = match.seats[event.seat]
    match.seats[event.seat] = replace(seat, kind="human", level="", absent=False)


def _on_revealed(match: Match, event: messages.SecretsRevealed) -> None:
    match.revealed = True


def _on_trace(
    match: Match, event: messages.TokenReplaced | messages.TokenRevoked | messages.NameErased
) -> None:
    """Change nothing: tokens and names lie beside the chain (M13)."""


_CHANGES: dict[type, Change[Match]] = {
    messages.SeatJoined: _on_joined,
    messages.SeatLeft: _on_left,
    messages.MatchStarted: _on_started,
    messages.MatchAborted: _on_ended,
    messages.MatchExpired: _on_ended,
    messages.SeatReplaced: _on_replaced,
    messages.SeatRestored: _on_restored,
    messages.SecretsRevealed: _on_revealed,
    messages.TokenReplaced: _on_trace,
    messages.TokenRevoked: _on_trace,
    messages.NameErased: _on_trace,
}
