"""Take-back: the base state and the steps of a match, so its last moves can be taken back (M17).

    base     state of the game at one version
    steps    commits since the base. A take-back removes the steps after its version
    barrier  draw or revelation of a secret. No take-back crosses it, so the base is moved there

The base and the moves of the steps give the state at the version of the base and of each step.
Barriers, and a limit of the stored moves, keep the steps few.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from domain.errors import MatchRuleBroken
from domain.game import AnyGame, Change, Message
from domain.match import messages
from domain.match.demands import require_human, require_running
from domain.match.match_rules import FIRST_RULES, MatchRules, read_match_rules
from domain.match.messages import OWN_EVENTS
from domain.match.sitting import Plays, Sitting
from domain.match.state import AppliedCommit, Match, Shortcut, Stories, Term
from domain.story import Heading, Names, Part, Sentence
from domain.wire import JsonMapping, drawn_fields, laid_open_fields

OWN = "own"
CONSENT = "consent"
OPTIONS = (OWN, CONSENT)
FARTHEST = 100  # most moves of the game in one take-back (by match rules 1: commits)
MOST_STEPS = 2 * FARTHEST  # stored moves (by match rules 1: commits). Beyond it steps are dropped


@dataclass(frozen=True, slots=True)
class Step:
    """A commit since the base that was not taken back.

    mover: the seat of the human behind the moves. None: a bot, the house, or no moves.
    turn: of the game before the commit.   moves: the events of the game in the commit.
    marks: of the other terms after the commit (`Term.mark`).
    leads_to_house: True if the house acts next.
    """

    version: int
    mover: int | None
    turn: int
    moves: tuple[Any, ...]
    marks: JsonMapping
    leads_to_house: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """A seat's request to go back to a version, and the seats in agreement so far."""

    seat: int
    to: int
    agreed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeBack(Term):
    """The base and the steps of a match, and its open ask.

    option: OWN or CONSENT.
    base: state of the game at `version`, None before the start and after the end. Never changed in
    place.
    reason: reason for this base: "start", a barrier ("draw", "reveal"), or "length" if older steps
    were dropped.
    marks: of the other terms at `version`.   turn: of the game now.
    steps: commits since the base that were not taken back.
    ask: the open ask.   gone: versions with moves taken back, in ascending order.
    leads_to_house: True if the house acts at `version`.
    refused: seats with an ask that others refused since the last move of the game.
    """

    name: ClassVar[str] = "take_back"

    option: str
    base: Any = None
    version: int = 0
    reason: str = "start"
    marks: JsonMapping = field(default_factory=dict)
    turn: int = 0
    steps: tuple[Step, ...] = ()
    ask: Ask | None = None
    gone: tuple[int, ...] = ()
    match_rules: MatchRules = FIRST_RULES
    leads_to_house: bool = False
    refused: tuple[int, ...] = ()

    @property
    def versions(self) -> list[int]:
        """The base's version, and the versions of the steps."""
        return [self.version, *(step.version for step in self.steps)]

    @property
    def farthest(self) -> int:
        """The earliest version within FARTHEST, even if the house acts there.

        0 before the start.
        """
        versions = self.versions
        if not self.match_rules.counts_moves_to_take_back:
            return next(one for one in versions if one >= versions[-1] - FARTHEST)

        moves = [step.version for step in self.steps if step.moves]
        if len(moves) <= FARTHEST:
            return self.version
        # The version just before the earliest move within reach.
        first = moves[-FARTHEST]
        return max(one for one in versions if one < first)

    @property
    def earliest(self) -> int:
        """The earliest version that M17 lets the match go back to. 0 before the start.

        The latest version, if there is no earlier one.
        """
        farthest = self.farthest
        choices = (one for one in self.versions if one >= farthest and not self.is_house_at(one))
        return next(choices, self.versions[-1])

    @property
    def house_versions(self) -> list[int]:
        """The versions after `earliest` that are out of reach because the house acts there."""
        if not self.match_rules.takes_back_to_choices_alone:
            return []
        earliest = self.earliest
        return [one.version for one in self.steps if one.leads_to_house and one.version > earliest]

    @property
    def barred_seats(self) -> tuple[int, ...]:
        """The refused seats. Before the next move of the game they may not ask others again."""
        return self.refused if self.match_rules.respects_refusals else ()

    def is_house_at(self, version: int) -> bool:
        """Return True if a version is out of reach because the house acts there.

        version: of the base or of a step.
        """
        if not self.match_rules.takes_back_to_choices_alone:
            return False
        if version == self.version:
            return self.leads_to_house
        return any(step.version == version and step.leads_to_house for step in self.steps)

    def moves_after(self, to: int) -> list[Step]:
        """Return the steps with moves that come after a version."""
        return [step for step in self.steps if step.version > to and step.moves]

    def is_own(self, seat: int, to: int) -> bool:
        """Return True if all moves after a version are a seat's own, in one turn."""
        steps = self.moves_after(to)
        turns = {step.turn for step in steps}
        return len(turns) == 1 and all(step.mover == seat for step in steps)

    def state_at(self, game: AnyGame, to: int) -> Any:
        """Return the state of the game at a version of the base or of a step."""
        return _folded(game, self.base, [step for step in self.steps if step.version <= to])

    def marks_at(self, to: int) -> JsonMapping:
        """Return the marks of the other terms at a version of the base or of a step."""
        for step in reversed(self.steps):
            if step.version <= to:
                return step.marks
        return self.marks

    def back_to(self, to: int) -> "TakeBack":
        """Return the term after going back to a version."""
        standing = tuple(step for step in self.steps if step.version <= to)
        gone = (step.version for step in self.moves_after(to))
        return replace(self, steps=standing, ask=None, gone=tuple(sorted((*self.gone, *gone))))

    def followed_by(self, step: Step, game: AnyGame, state: Any) -> "TakeBack":
        """Return the term after a commit. state: of the game after the commit."""
        turn = game.turn(state)
        ask, refused = (None, ()) if step.moves else (self.ask, self.refused)
        reason = barrier(step.moves) or ("" if self.base is not None else "start")
        if reason:
            return TakeBack(
                option=self.option,
                base=state.copy(),
                version=step.version,
                reason=reason,
                marks=step.marks,
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
            marks=self.marks,
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
        """Return the term without the steps out of reach. Their last version becomes the base.

        By match rules 1: without the older half of the steps. By later match rules nothing changes
        until more than MOST_STEPS moves are stored.
        """
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
            marks=older[-1].marks,
            leads_to_house=older[-1].leads_to_house,
            steps=self.steps[half:],
        )

    @classmethod
    def from_opening(cls, event: messages.MatchOpened) -> Self | None:
        """Return the term of a new match, still without a base."""
        if not event.take_back:
            return None
        return cls(event.take_back, match_rules=read_match_rules(event.match_rules))

    @classmethod
    def in_words(cls, event: messages.MatchOpened) -> tuple[str, str] | None:
        """Return the rule's number and the option in words."""
        words = _IN_WORDS.get(event.take_back or "")
        return None if words is None else ("M17", words)

    def needs_stamps(self, _match: Match) -> bool:
        """Return True. Each commit becomes a step."""
        return True

    def without_state(self) -> Self | None:
        """Return the term without its base. None: it has steps, and snapshots hold no moves."""
        return replace(self, base=None) if not self.steps else None

    def with_state(self, state: Any) -> Self:
        """Return the term with the state of the game as its base, if it had a base."""
        return replace(self, base=state) if self.version else self

    def shortcut(
        self, match: Match, commits: Sequence[Sequence[Message]], first: int
    ) -> Shortcut | None:
        """Return the commits up to the last barrier, without moves taken back.

        Steps before a barrier are not needed. So the ends of commits before it need not be noted.
        None if a term keeps time, if there is no barrier, or if a take-back removes
        commits before these.
        """
        if any(term.keeps_time for term in match.terms):
            return None
        places = range(len(commits) - 1, -1, -1)
        last = next((place for place in places if barrier(_moves_in(commits[place]))), None)
        if last is None:
            return None
        pair = _standing(commits[: last + 1], first)
        if pair is None:
            return None

        standing, gone = pair
        return Shortcut(standing, replace(self, gone=(*self.gone, *gone)))

    def before_event(self, match: Match, event: Message) -> None:
        """Drop the ask if a seat changes hands."""
        changes_hands = isinstance(event, messages.SeatReplaced | messages.SeatRestored)
        if changes_hands and self.ask is not None:
            match.put(replace(self, ask=None))

    def after_commit(self, match: Match, commit: AppliedCommit) -> None:
        """Append the commit as a step. Rewind the other terms if it takes moves back."""
        for event in commit.own_events:
            if isinstance(event, messages.TakenBack):
                self._return_others(match, commit, event.to)
        if match.state is None:
            return

        if commit.status.name == "running":
            step = Step(
                version=commit.stamp.version,
                mover=commit.mover,
                turn=self.turn,
                moves=commit.moves,
                marks=match.marks(),
                leads_to_house=commit.status.awaiting == "house",
            )
            match.put(self.followed_by(step, match.game, match.state))
        else:
            # No take-back crosses the end: drop base and steps.
            match.put(TakeBack(self.option, gone=self.gone, match_rules=match.match_rules))

    def _return_others(self, match: Match, commit: AppliedCommit, to: int) -> None:
        """Rewind the other terms to their marks at a version (M17).

        The clock comes before this term, and has already subtracted the time up to this commit.
        """
        payer = _asker(commit.own_events) if match.match_rules.returns_time_of_others else None
        marks = self.marks_at(to)
        for term in match.terms:
            if term.name in marks:
                match.put(term.rewind(marks[term.name], payer))


def take_back_of(match: Match) -> TakeBack | None:
    """Return the take-back of a match. None: every move stands."""
    return match.term(TakeBack)


def taken_back(match: Match) -> tuple[int, ...]:
    """Return the versions with moves taken back, in ascending order (M17)."""
    take_back = take_back_of(match)
    return take_back.gone if take_back is not None else ()


def ask_of(match: Match) -> Ask | None:
    """Return the open ask, None for none (M17)."""
    take_back = take_back_of(match)
    return take_back.ask if take_back is not None else None


def asked_to_agree(match: Match) -> tuple[int, ...]:
    """Return the seats of other humans that have not agreed to the open ask yet (M17)."""
    ask = ask_of(match)
    if ask is None:
        return ()
    answered = (ask.seat, *ask.agreed)
    humans = [number for number, seat in enumerate(match.seats) if seat.kind == "human"]
    return tuple(number for number in humans if number not in answered)


def barrier(moves: Sequence[Message]) -> str:
    """Return the barrier in these events: "draw", "reveal", or "" for none."""
    reason = ""
    for event in moves:
        kind = type(event)
        # Most classes of events have no such fields, so look at the class first.
        drawn = drawn_fields(kind)
        if drawn and any(getattr(event, name) is not None for name in drawn):
            return "draw"
        if laid_open_fields(kind):
            reason = "reveal"
    return reason


def _folded(game: AnyGame, base: Any, steps: Sequence[Step]) -> Any:
    """Return a copy of a state after the moves of some steps."""
    state = base.copy()
    for step in steps:
        for event in step.moves:
            game.evolve(state, event)
    return state


def _asker(events: Sequence[Message]) -> int | None:
    """Return the seat that asks in this commit, None for none.

    If the same commit takes moves back, nobody else had to agree.
    """
    seats = (event.seat for event in events if isinstance(event, messages.TakeBackAsked))
    return next(seats, None)


def _standing(
    commits: Sequence[Sequence[Message]], first: int
) -> tuple[list[Sequence[Message]], list[int]] | None:
    """Return events by commit without moves taken back, and the versions of these moves.

    first: version of `commits[0]`.   None: moves before `first` were taken back, too.
    """
    standing = list(commits)
    gone: list[int] = []
    for place, events in enumerate(commits):
        taken_back = events[-1] if events else None
        if not isinstance(taken_back, messages.TakenBack):
            continue
        if taken_back.to < first - 1:
            return None

        standing[place] = ()  # the other events of such a commit only lead to the take-back
        for later in range(taken_back.to + 1 - first, place):
            if _moves_in(standing[later]):
                standing[later] = [event for event in standing[later] if type(event) in OWN_EVENTS]
                gone.append(first + later)
    return standing, sorted(gone)


def _moves_in(events: Sequence[Message]) -> list[Message]:
    """Return the events of the game in a commit."""
    return [event for event in events if type(event) not in OWN_EVENTS]


# ---- commands ------------------------------------------------------------------------------------


def _play_ask_take_back(sitting: Sitting, command: messages.AskTakeBack) -> None:
    match = sitting.match
    take_back = _require_take_back(match, command.seat)
    if take_back.ask is not None:
        detail = (
            f"Seat {take_back.ask.seat} asks already to go back to version {take_back.ask.to}. "
            "Agree to that or refuse it first."
        )
        raise MatchRuleBroken("take_back_asked", "M17", detail)
    _require_reachable(take_back, command.to)

    needs_nobody = take_back.is_own(command.seat, command.to)
    if not needs_nobody and take_back.option != CONSENT:
        detail = (
            "In this match a seat takes back its own moves of one turn alone, "
            "and only as long as nobody else has moved."
        )
        raise MatchRuleBroken("not_your_moves", "M17", detail)
    if not needs_nobody:
        _require_unrefused(take_back, command.seat)

    sitting.emit(messages.TakeBackAsked(command.seat, command.to))
    if needs_nobody or not _others(match, command.seat):
        sitting.emit(messages.TakenBack(command.to))


def _play_agree_take_back(sitting: Sitting, command: messages.AgreeTakeBack) -> None:
    match = sitting.match
    take_back = _require_take_back(match, command.seat)
    ask = _require_ask(take_back)
    if command.seat == ask.seat or command.seat in ask.agreed:
        detail = f"Seat {command.seat} agrees already. The others are to answer."
        raise MatchRuleBroken("agreed_already", "M17", detail)
    _require_reachable(take_back, ask.to)

    sitting.emit(messages.TakeBackAgreed(command.seat))
    if _others(match, ask.seat) <= {*ask.agreed, command.seat}:
        sitting.emit(messages.TakenBack(ask.to))


def _play_refuse_take_back(sitting: Sitting, command: messages.RefuseTakeBack) -> None:
    take_back = _require_take_back(sitting.match, command.seat)
    _require_ask(take_back)
    sitting.emit(messages.TakeBackRefused(command.seat))


PLAYS: Plays = {
    messages.AskTakeBack: _play_ask_take_back,
    messages.AgreeTakeBack: _play_agree_take_back,
    messages.RefuseTakeBack: _play_refuse_take_back,
}


def _others(match: Match, asker: int) -> set[int]:
    """Return the other seats of humans (M17)."""
    return {number for number, seat in enumerate(match.seats) if seat.kind == "human"} - {asker}


def _require_take_back(match: Match, seat: int) -> TakeBack:
    """Return the take-back of a running match. Refuse other matches, and seats without a human."""
    require_human(match, seat, "M17")
    take_back = take_back_of(match)
    if take_back is None:
        detail = "The match was opened without take-back. Every move stands."
        raise MatchRuleBroken("no_take_back", "M17", detail)
    require_running(match, "M17", "moves are taken back")
    return take_back


def _require_ask(take_back: TakeBack) -> Ask:
    """Return the open ask. Refuse an answer without an ask (M17)."""
    if take_back.ask is None:
        detail = "Nobody asks to take moves back now. A move ends an earlier ask."
        raise MatchRuleBroken("nothing_asked", "M17", detail)
    return take_back.ask


_BARRIERS = {
    "start": "At version {version} the game began",
    "draw": "Version {version} has drawn from chance",
    "reveal": "Version {version} has laid a secret open",
    "length": "Version {version} is as far back as a hundred moves go",
}


def _require_reachable(take_back: TakeBack, to: int) -> None:
    """Refuse a version out of reach (M17)."""
    versions = take_back.versions
    farthest = take_back.farthest
    is_gone = farthest <= to < versions[-1] and to not in versions
    if to in take_back.gone or is_gone:
        detail = f"Version {to} was taken back itself. Go back to one that still stands."
        raise MatchRuleBroken("taken_back", "M17", detail)
    if to < farthest:
        reason = "length" if farthest > take_back.version else take_back.reason
        why = _BARRIERS[reason].format(version=farthest)
        detail = f"{why}, and nothing goes back over that. Name that version or a later one."
        raise MatchRuleBroken("too_far_back", "M17", detail)
    if not take_back.moves_after(to):
        detail = f"No move that stands was made after version {to}. Name an earlier one."
        raise MatchRuleBroken("nothing_to_take_back", "M17", detail)
    if take_back.is_house_at(to):
        detail = f"At version {to} the match itself acts, and would act again. Name another one."
        raise MatchRuleBroken("house_awaited", "M17", detail)


def _require_unrefused(take_back: TakeBack, seat: int) -> None:
    """Refuse an ask of others by a seat that was refused since the last move (M17)."""
    if seat in take_back.barred_seats:
        detail = f"The ask of seat {seat} was refused. Ask again after the next move."
        raise MatchRuleBroken("take_back_refused", "M17", detail)


# ---- changes by events ---------------------------------------------------------------------------


def _on_take_back_asked(match: Match, event: messages.TakeBackAsked) -> None:
    _set_ask(match, Ask(event.seat, event.to))


def _on_take_back_agreed(match: Match, event: messages.TakeBackAgreed) -> None:
    take_back = take_back_of(match)
    if take_back is not None and take_back.ask is not None:
        ask = take_back.ask
        _set_ask(match, replace(ask, agreed=(*ask.agreed, event.seat)))


def _on_take_back_refused(match: Match, event: messages.TakeBackRefused) -> None:
    take_back = take_back_of(match)
    if take_back is None or take_back.ask is None:
        return
    asker = take_back.ask.seat
    others = tuple(seat for seat in take_back.refused if seat != asker)
    refused = (*others, asker) if event.seat != asker else take_back.refused
    match.put(replace(take_back, ask=None, refused=refused))


def _set_ask(match: Match, ask: Ask) -> None:
    take_back = take_back_of(match)
    if take_back is not None:
        match.put(replace(take_back, ask=ask))


def _on_taken_back(match: Match, event: messages.TakenBack) -> None:
    """Set the game back to a version. Seats stay as they are (M17)."""
    take_back = take_back_of(match)
    if take_back is None:
        return

    if match.moves is not None:
        match.moves -= len(take_back.moves_after(event.to))
    match.state = take_back.state_at(match.game, event.to)
    match.put(take_back.back_to(event.to))


CHANGES: dict[type, Change[Match]] = {
    messages.TakeBackAsked: _on_take_back_asked,
    messages.TakeBackAgreed: _on_take_back_agreed,
    messages.TakeBackRefused: _on_take_back_refused,
    messages.TakenBack: _on_taken_back,
}


# ---- the story -----------------------------------------------------------------------------------

_IN_WORDS = {
    OWN: "players may take back moves of their own",
    CONSENT: "moves may be taken back by consent",
}


def _take_back_asked(_match: Match | None, event: messages.TakeBackAsked, names: Names) -> Sentence:
    name = names[event.seat]
    return Sentence(f"{name} asks to go back to move {event.to}.")


def _take_back_agreed(
    _match: Match | None, event: messages.TakeBackAgreed, names: Names
) -> Sentence:
    name = names[event.seat]
    return Sentence(f"{name} agrees.")


def _take_back_refused(
    match: Match | None, event: messages.TakeBackRefused, names: Names
) -> Sentence:
    name = names[event.seat]
    ask = ask_of(match) if match is not None else None
    if ask is not None and ask.seat == event.seat:
        return Sentence(f"{name} no longer asks to go back.")
    return Sentence(f"{name} refuses. The moves stand.")


def _taken_back(match: Match | None, event: messages.TakenBack, _names: Names) -> Sentence:
    return Sentence(
        f"All that followed move {event.to} is taken back.",
        rules=("M17",),
        heading=Heading(Part.TURN, f"Back to move {event.to}")
        if _turns_back(match, event)
        else None,
    )


def _turns_back(match: Match | None, event: messages.TakenBack) -> bool:
    """Return True if the take-back leads to another turn of the game."""
    take_back = take_back_of(match) if match is not None else None
    steps = take_back.moves_after(event.to) if take_back is not None else []
    return take_back is not None and bool(steps) and steps[0].turn != take_back.turn


STORIES: Stories = {
    messages.TakeBackAsked: _take_back_asked,
    messages.TakeBackAgreed: _take_back_agreed,
    messages.TakeBackRefused: _take_back_refused,
    messages.TakenBack: _taken_back,
}
