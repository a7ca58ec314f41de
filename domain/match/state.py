"""The state of a match and what its events change; no rules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from domain.chance import bound_key
from domain.errors import MatchRuleBroken
from domain.game import Game, Setup
from domain.games import RULES
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
from domain.wire import HOUSE


@dataclass(frozen=True, slots=True)
class Seat:
    """Who holds a seat now; `absent`: a human whom a bot stands in for. Copies of a match share its seats."""

    kind: str
    level: str
    name: str
    entropy: str
    absent: bool = False


@dataclass(slots=True)
class Match:
    """The state of a match; `state` is the game's, None before the start. stage: open, running or aborted.

    secret: the 32 bytes behind all draws, in hex; None where they are not known.
    id: what the secret is bound to; None: it is bound to no id, as in matches of the first release (M10).
    """

    rules: str
    options: Mapping[str, Any]
    seats: list[Seat]
    visibility: str
    commitment: str
    views: int
    secret: str | None
    stage: str = "open"
    revealed: bool = False
    state: Any = None
    id: str | None = None

    @property
    def key(self) -> bytes:
        """The bytes that key all draws and salts (M10): the secret, bound to the match's id where it names one.

        Raises RuleBroken where the secret is not known.
        """
        if self.secret is None:
            raise MatchRuleBroken(
                "not_sealed",
                "M10",
                "The first commit of this match does not hold its secret. The match can be read, but nothing more "
                "can happen in it; open a new match to play on.",
            )
        secret = bytes.fromhex(self.secret)
        return secret if self.id is None else bound_key(secret, self.id)

    @property
    def game(self) -> Game[Any]:
        """The rules that the match was opened with."""
        return RULES[self.rules]

    def copy(self) -> "Match":
        """Return an independent copy (options and seats are never changed and shared)."""
        state = None if self.state is None else self.state.copy()
        return Match(
            rules=self.rules,
            options=self.options,
            seats=self.seats.copy(),
            visibility=self.visibility,
            commitment=self.commitment,
            views=self.views,
            secret=self.secret,
            stage=self.stage,
            revealed=self.revealed,
            state=state,
            id=self.id,
        )


def opened(event: MatchOpened) -> Match:
    """Return the match that its first event makes."""
    seats = [Seat(plan.kind, plan.level, plan.name, plan.entropy) for plan in event.seats]
    return Match(
        rules=event.rules,
        options=event.options,
        seats=seats,
        visibility=event.visibility,
        commitment=event.commitment,
        views=event.views,
        secret=event.secret,
        id=event.match,
    )


def status(match: Match) -> str:
    """Return open, running, finished or aborted."""
    if match.stage == "running" and not match.game.actors(match.state):
        return "finished"
    return match.stage


def actors(match: Match) -> tuple[int, ...]:
    """Return who must act: seats, (HOUSE,) for the house, () when nobody must."""
    if match.stage == "running" and (waiting := match.game.actors(match.state)):
        return waiting
    return (HOUSE,) if match.stage != "open" and not match.revealed else ()


def work(match: Match) -> str:
    """Return who of the service must act: "house", "bots" or ""."""
    waiting = actors(match)
    if waiting == (HOUSE,):
        return "house"
    return "bots" if any(match.seats[seat].kind == "bot" for seat in waiting) else ""


def only_bots(match: Match) -> bool:
    """Return whether bots hold all seats, so that no human waits for what they do."""
    return all(seat.kind == "bot" for seat in match.seats)


def errand(match: Match) -> str:
    """Return what `work` does, but "exhibition" instead of "bots" where only bots sit."""
    waiting_for = work(match)
    return "exhibition" if waiting_for == "bots" and only_bots(match) else waiting_for


def _on_joined(match: Match, event: SeatJoined) -> None:
    match.seats[event.seat] = Seat("human", "", event.name, event.entropy)


def _on_left(match: Match, event: SeatLeft) -> None:
    match.seats[event.seat] = Seat("open", "", "", "")


def _on_started(match: Match, event: MatchStarted) -> None:
    match.stage = "running"
    match.state = match.game.initial(Setup(len(match.seats), match.options))


def _on_aborted(match: Match, event: MatchAborted) -> None:
    match.stage = "aborted"


def _on_expired(match: Match, event: MatchExpired) -> None:
    match.stage = "aborted"


def _on_replaced(match: Match, event: SeatReplaced) -> None:
    seat = match.seats[event.seat]
    match.seats[event.seat] = replace(
        seat, kind="bot", level=event.level, absent=seat.absent or seat.kind == "human"
    )


def _on_restored(match: Match, event: SeatRestored) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], kind="human", level="", absent=False)


def _on_revealed(match: Match, event: SecretsRevealed) -> None:
    match.revealed = True


def _on_trace(match: Match, event: TokenReplaced | TokenRevoked | NameErased) -> None:
    """Change nothing: tokens and names lie beside the chain (M13)."""


_HANDLERS: dict[type, Any] = {
    SeatJoined: _on_joined,
    SeatLeft: _on_left,
    MatchStarted: _on_started,
    MatchAborted: _on_aborted,
    MatchExpired: _on_expired,
    SeatReplaced: _on_replaced,
    SeatRestored: _on_restored,
    SecretsRevealed: _on_revealed,
    TokenReplaced: _on_trace,
    TokenRevoked: _on_trace,
    NameErased: _on_trace,
}


def fold(match: Match, events: Iterable[Any]) -> None:
    """Apply events in place."""
    game = match.game.evolve
    for event in events:
        handler = _HANDLERS.get(type(event))
        if handler is None:
            game(match.state, event)
        else:
            handler(match, event)


def evolve(match: Match, event: Any) -> None:
    """Apply one event, the match's or its game's, in place."""
    fold(match, (event,))
