"""Take-back: what a match keeps so that its last moves can be taken back (M17).

A match with the option keeps one state of its game, and the moves since then that still stand. A
draw, or what lays a secret open, begins anew: nothing goes back over it. So what is kept is
bounded, and the state at each version within it follows from the moves alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.game import AnyGame, Message
from domain.match.match_rules import FIRST_RULES, MatchRules
from domain.wire import drawn_fields, laid_open_fields

OWN = "own"
CONSENT = "consent"
OPTIONS = (OWN, CONSENT)
FARTHEST = 100  # moves of the game (by match rules 1: commits) that are taken back at most
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
    times: what the clock held after it.   leads_to_house: whether the house acts after it.
    """

    version: int
    mover: int | None
    turn: int
    moves: tuple[Any, ...]
    times: Times
    leads_to_house: bool = False


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
    reason: why nothing goes back over that version: "start", "draw", "reveal", or "length" once the
    older half of the steps is forgotten.
    times: those at `version`.   turn: that of the game now.
    steps: the commits since, without those that were taken back.
    ask: what a seat asks for now.   gone: the versions whose moves were taken back, in order.
    match_rules: those of the match.   leads_to_house: whether the house acts at `version`.
    refused: the seats whose ask others have refused since the last move of the game.
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
    match_rules: MatchRules = FIRST_RULES
    leads_to_house: bool = False
    refused: tuple[int, ...] = ()

    @property
    def versions(self) -> list[int]:
        """The versions that stand, if somebody has moved since."""
        return [self.version, *(step.version for step in self.steps)]

    @property
    def farthest(self) -> int:
        """The earliest version that is not too far back; 0 before the start."""
        versions = self.versions
        if not self.match_rules.counts_moves_to_take_back:
            return next(one for one in versions if one >= versions[-1] - FARTHEST)

        moves = [step.version for step in self.steps if step.moves]
        if len(moves) <= FARTHEST:
            return self.version
        # The commit before the first move that may be taken back, be it a move or not.
        first = moves[-FARTHEST]
        return max(one for one in versions if one < first)

    @property
    def earliest(self) -> int:
        """The earliest version that the match can go back to; 0 before the start."""
        farthest = self.farthest
        choices = (one for one in self.versions if one >= farthest and not self.is_house_at(one))
        return next(choices, self.versions[-1])

    @property
    def house_versions(self) -> list[int]:
        """The versions after the earliest to which nobody goes back, since the house acts there."""
        if not self.match_rules.takes_back_to_choices_alone:
            return []
        earliest = self.earliest
        return [one.version for one in self.steps if one.leads_to_house and one.version > earliest]

    @property
    def barred_seats(self) -> tuple[int, ...]:
        """The seats that ask others only after the next move, since others have refused them."""
        return self.refused if self.match_rules.respects_refusals else ()

    def is_house_at(self, version: int) -> bool:
        """Return True if the house acts at a version that stands, and the match rules care."""
        if not self.match_rules.takes_back_to_choices_alone:
            return False
        if version == self.version:
            return self.leads_to_house
        return any(step.version == version and step.leads_to_house for step in self.steps)

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
        ask, refused = (None, ()) if step.moves else (self.ask, self.refused)
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
                match_rules=self.match_rules,
                leads_to_house=step.leads_to_house,
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
            match_rules=self.match_rules,
            leads_to_house=self.leads_to_house,
            refused=refused,
        )
        return longer.shortened(game) if len(longer.steps) > MOST_STEPS else longer

    def shortened(self, game: AnyGame) -> "TakeBack":
        """Return the same without the older half of its steps, as far as that is too far back."""
        half = len(self.steps) // 2
        if self.match_rules.counts_moves_to_take_back:
            if sum(bool(step.moves) for step in self.steps) <= MOST_STEPS:
                return self
            farthest = self.farthest
            half = next(at for at, step in enumerate(self.steps, 1) if step.version == farthest)

        older = self.steps[:half]
        return replace(
            self,
            base=_folded(game, self.base, older),
            version=older[-1].version,
            reason="length",
            times=older[-1].times,
            leads_to_house=older[-1].leads_to_house,
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
