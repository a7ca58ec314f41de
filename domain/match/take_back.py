"""Take-back: what a match keeps so that its last moves can be taken back (M17).

A match with the option keeps one state of its game, and the moves since then that still stand. A
draw, or what lays a secret open, begins anew: nothing goes back over it. So what is kept is
bounded, and the state at each version within it follows from the moves alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.game import AnyGame, Message
from domain.wire import drawn_fields, laid_open_fields

OWN = "own"
CONSENT = "consent"
OPTIONS = (OWN, CONSENT)
FARTHEST = 100  # commits that are taken back at most
MOST_STEPS = 2 * FARTHEST  # that are kept; the older half is forgotten at once


@dataclass(frozen=True, slots=True)
class Times:
    """What the clock of a match held at a version; empty without a clock."""

    banks: tuple[int, ...] = ()
    added: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A commit that stands since the kept state.

    mover: the seat whose human has moved in it, None if nobody has, the house or a bot.
    turn: the game's, before it.   moves: the events of the game that it holds.
    times: what the clock held after it.
    """

    version: int
    mover: int | None
    turn: int
    moves: tuple[Any, ...]
    times: Times


@dataclass(frozen=True, slots=True)
class Ask:
    """A seat's wish to go back to a version, and which other seats agree so far."""

    seat: int
    to: int
    agreed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeBack:
    """What can be taken back.

    option: OWN or CONSENT.
    base: the state of the game at `version`, None before the start; it is never changed.
    reason: why nothing goes back over that version: "start", "draw" or "reveal". It tells nothing
    any more once the older half of the steps is forgotten: that version is too far back then.
    times: those at `version`.   turn: that of the game now.
    steps: the commits since, without those that were taken back.
    ask: what a seat asks for now.   gone: the versions whose moves were taken back, in order.
    """

    option: str
    base: Any = None
    version: int = 0
    reason: str = "start"
    times: Times = Times()
    turn: int = 0
    steps: tuple[Step, ...] = ()
    ask: Ask | None = None
    gone: tuple[int, ...] = ()

    @property
    def versions(self) -> list[int]:
        """The versions that the match can go back to, if somebody has moved since."""
        return [self.version, *(step.version for step in self.steps)]

    @property
    def earliest(self) -> int:
        """The earliest version that the match can go back to; 0 before the start."""
        versions = self.versions
        return next(one for one in versions if one >= versions[-1] - FARTHEST)

    def moves_after(self, to: int) -> list[Step]:
        """Return the steps after a version in which the game went on."""
        return [step for step in self.steps if step.version > to and step.moves]

    def is_own(self, seat: int, to: int) -> bool:
        """Return whether all moves after a version are a seat's own, in one turn."""
        steps = self.moves_after(to)
        turns = {step.turn for step in steps}
        return len(turns) == 1 and all(step.mover == seat for step in steps)

    def state_at(self, game: AnyGame, to: int) -> Any:
        """Return the state of the game as it was at a version."""
        return _folded(game, self.base, [step for step in self.steps if step.version <= to])

    def times_at(self, to: int) -> Times:
        """Return what the clock held at a version."""
        for step in reversed(self.steps):
            if step.version <= to:
                return step.times
        return self.times

    def back_to(self, to: int) -> "TakeBack":
        """Return what can be taken back after going back to a version."""
        standing = tuple(step for step in self.steps if step.version <= to)
        gone = (step.version for step in self.moves_after(to))
        return replace(self, steps=standing, ask=None, gone=tuple(sorted((*self.gone, *gone))))

    def after(self, step: Step, game: AnyGame, state: Any) -> "TakeBack":
        """Return what can be taken back after a commit; state: that of the game then."""
        turn = game.turn(state)
        ask = None if step.moves else self.ask
        reason = barrier(step.moves) or ("" if self.base is not None else "start")
        if reason:
            return TakeBack(
                option=self.option,
                base=state.copy(),
                version=step.version,
                reason=reason,
                times=step.times,
                turn=turn,
                gone=self.gone,
            )

        # Spelled out, since `replace` takes longer, and this is done at each commit.
        longer = TakeBack(
            option=self.option,
            base=self.base,
            version=self.version,
            reason=self.reason,
            times=self.times,
            turn=turn,
            steps=(*self.steps, step),
            ask=ask,
            gone=self.gone,
        )
        return longer.shortened(game) if len(longer.steps) > MOST_STEPS else longer

    def shortened(self, game: AnyGame) -> "TakeBack":
        """Return the same without the older half of its steps."""
        half = len(self.steps) // 2
        older = self.steps[:half]
        return replace(
            self,
            base=_folded(game, self.base, older),
            version=older[-1].version,
            times=older[-1].times,
            steps=self.steps[half:],
        )


def barrier(moves: Sequence[Message]) -> str:
    """Return why nothing goes back over these events: "draw", "reveal", or "" if it does."""
    found = ""
    for event in moves:
        kind = type(event)
        # Most events have no such fields, so these are looked for first.
        drawn = drawn_fields(kind)
        if drawn and any(getattr(event, name) is not None for name in drawn):
            return "draw"
        if laid_open_fields(kind):
            found = "reveal"
    return found


def _folded(game: AnyGame, base: Any, steps: Sequence[Step]) -> Any:
    """Return a copy of a state after the moves of some steps."""
    state = base.copy()
    for step in steps:
        for event in step.moves:
            game.evolve(state, event)
    return state
