"""What the events of a match change in its state; no rules."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from domain import wire
from domain.game import Change, Message, Setup
from domain.match import messages
from domain.match.clock import Stamp, new_clock
from domain.match.joint_entropy import HOUR_MS, JointEntropy
from domain.match.match_rules import read_match_rules
from domain.match.state import Match, Seat
from domain.match.take_back import Ask, Step, TakeBack, Times, barrier
from domain.seats import seat_of


def new_match(event: messages.MatchOpened) -> Match:
    """Return the match that its first event makes. Raises UnknownMatchRules."""
    seats = [
        Seat(
            kind=plan.kind,
            level=plan.level,
            name=plan.name,
            entropy=plan.entropy,
            key=plan.key or "",
            pledge=plan.pledge or "",
        )
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
        clock=new_clock(event.clock, len(seats)) if event.clock else None,
        take_back=_take_back(event) if event.take_back else None,
        moves=0 if event.draws == messages.DRAWS_BY_MOVES else None,
        joint_entropy=_joint_entropy(event) if event.joint_entropy else None,
        match_rules=read_match_rules(event.match_rules),
    )


def _take_back(event: messages.MatchOpened) -> TakeBack:
    return TakeBack(event.take_back or "", match_rules=read_match_rules(event.match_rules))


def _joint_entropy(event: messages.MatchOpened) -> JointEntropy:
    """Return the time to pledge and to disclose, and the pledges of the opening (M19)."""
    return JointEntropy(
        patience_ms=event.clock.bank_s * 1000 if event.clock is not None else HOUR_MS,
        pledged=tuple(plan.pledge for plan in event.seats if plan.pledge),
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


def count_moves(match: Match, last_events: Iterable[Message]) -> None:
    """Count the commits of the game, in place, where draws go by them (M10).

    last_events: the last event of each commit. A commit that holds events of the game ends with
    one. Each commit is counted once: by this where it is folded, by `play` where it is decided.
    """
    if match.moves is not None:
        match.moves += sum(type(event) not in _OWN for event in last_events)


def end_commit(match: Match, events: Sequence[Message], stamp: Stamp) -> None:
    """Note the end of a commit whose events were applied, in place.

    A match with a clock or with take-back needs it after each of its commits, one with joint
    entropy until it starts; of others it changes nothing (M15, M17, M19).
    """
    if not match.needs_stamps:
        return
    _note_since(match, events, stamp)

    status = match.status
    moves = tuple(_moves_in(events))
    mover = _human_of(match, stamp.actor) if moves else None

    if match.clock is not None:
        is_running = status.awaiting == ""
        awaited = status.seats if status.name == "running" else ()
        match.clock = match.clock.after(stamp.at, awaited, mover=mover, is_running=is_running)
        if any(isinstance(event, messages.TimeRanOut) for event in events):
            match.clock = replace(match.clock, ran_out=match.clock.since)
        _take_time_back(match, events)

    if match.take_back is not None and match.state is not None:
        if status.name == "running":
            clock = match.clock
            step = Step(
                version=stamp.version,
                mover=mover,
                turn=match.take_back.turn,
                moves=moves,
                times=Times(clock.banks, clock.added) if clock else Times(),
                leads_to_house=status.awaiting == "house",
            )
            match.take_back = match.take_back.after(step, match.game, match.state)
        else:
            # Nothing goes back over the end, so nothing is kept for it.
            match.take_back = TakeBack(
                match.take_back.option,
                gone=match.take_back.gone,
                match_rules=match.match_rules,
            )


def _note_since(match: Match, events: Sequence[Message], stamp: Stamp) -> None:
    """Note from when on humans owe what they owe before the start (M19)."""
    joint = match.joint_entropy
    if joint is None or match.stage != "open":
        return
    if joint.since == 0 or any(type(event) in _CHANGES_WHO_OWES for event in events):
        match.joint_entropy = replace(joint, since=stamp.at)


def _human_of(match: Match, actor: str) -> int | None:
    """Return the seat of an actor if a human holds it; a bot that stands in acts by its name."""
    seat = seat_of(actor)
    return seat if seat is not None and match.seats[seat].kind == "human" else None


def _take_time_back(match: Match, events: Sequence[Message]) -> None:
    """Let no bank hold more than at a version that was gone back to (M17).

    What was paid until this commit is taken off before.
    """
    for event in events:
        if (
            isinstance(event, messages.TakenBack)
            and match.clock is not None
            and match.take_back is not None
        ):
            times = match.take_back.times_at(event.to)
            payer = _asker(events) if match.match_rules.returns_time_of_others else None
            match.clock = match.clock.taken_back(times.banks, times.added, payer=payer)


def _asker(events: Sequence[Message]) -> int | None:
    """Return the seat that has asked in this very commit, None if nobody has.

    If it also takes moves back, nobody was to agree.
    """
    asked = (event.seat for event in events if isinstance(event, messages.TakeBackAsked))
    return next(asked, None)


def fold_commits(
    match: Match, commits: Sequence[Sequence[Message]], stamp_of: Callable[[int], Stamp]
) -> None:
    """Apply commits in place, each with its end as long as the match needs that.

    commits: the events of each; of the opening those after its first, which has made the match.
    stamp_of: returns the stamp of one by its place in `commits`.
    """
    done = 0
    if match.clock is None and match.take_back is not None:
        done = _fold_to_barrier(match, commits, stamp_of)

    place = done
    while place < len(commits) and match.needs_stamps:
        fold(match, commits[place])
        end_commit(match, commits[place], stamp_of(place))
        place += 1
    fold(match, chain.from_iterable(commits[place:]))
    count_moves(match, _last_events(commits[done:]))


def _fold_to_barrier(
    match: Match, commits: Sequence[Sequence[Message]], stamp_of: Callable[[int], Stamp]
) -> int:
    """Apply commits up to the last over which nothing goes back (M17); return how many they are.

    What could be taken back before it does not matter any more. So moves that were taken back are
    left out, and no commit before it needs its end.
    """
    places = range(len(commits) - 1, -1, -1)
    last = next((place for place in places if barrier(_moves_in(commits[place]))), None)
    if last is None or match.take_back is None:
        return 0
    found = _standing(commits[: last + 1], stamp_of(0).version)
    if found is None:
        return 0

    standing, gone = found
    fold(match, chain.from_iterable(standing))
    count_moves(match, _last_events(standing))
    match.take_back = replace(match.take_back, gone=(*match.take_back.gone, *gone))
    end_commit(match, commits[last], stamp_of(last))
    return last + 1


def _standing(
    commits: Sequence[Sequence[Message]], first: int
) -> tuple[list[Sequence[Message]], list[int]] | None:
    """Return the events of commits without moves that were taken back, and the versions of those.

    first: the version of the first commit.   None: moves before it were taken back.
    """
    standing = list(commits)
    gone: list[int] = []
    for place, events in enumerate(commits):
        taken_back = events[-1] if events else None
        if not isinstance(taken_back, messages.TakenBack):
            continue
        if taken_back.to < first - 1:
            return None

        standing[place] = ()  # beside it there is only what has led to it
        for later in range(taken_back.to + 1 - first, place):
            if _moves_in(standing[later]):
                standing[later] = [event for event in standing[later] if type(event) in _CHANGES]
                gone.append(first + later)
    return standing, sorted(gone)


def _last_events(commits: Iterable[Sequence[Message]]) -> Iterator[Message]:
    """Yield the last event of each commit that has one."""
    return (events[-1] for events in commits if events)


def _moves_in(events: Sequence[Message]) -> list[Message]:
    """Return the events of the game in a commit."""
    return [event for event in events if type(event) not in _CHANGES]


def _on_forked(match: Match, event: messages.Forked) -> None:
    match.base = event.base


def _on_joined(match: Match, event: messages.SeatJoined) -> None:
    match.seats[event.seat] = Seat(
        kind="human",
        level="",
        name=event.name,
        entropy=event.entropy,
        key=event.key or "",
        pledge=event.pledge or "",
    )
    _note_pledge(match, event.pledge or "")


def _on_left(match: Match, event: messages.SeatLeft) -> None:
    match.seats[event.seat] = Seat("open", level="", name="", entropy="")


def _on_pledged(match: Match, event: messages.EntropyPledged) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], pledge=event.digest)
    _note_pledge(match, event.digest)


def _note_pledge(match: Match, pledge: str) -> None:
    joint = match.joint_entropy
    if joint is not None and pledge:
        match.joint_entropy = replace(joint, pledged=(*joint.pledged, pledge))


def _on_disclosed(match: Match, event: messages.EntropyDisclosed) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], entropy=event.entropy)


def _on_pledges_dropped(match: Match, event: messages.PledgesDropped) -> None:
    match.seats = [replace(seat, pledge="", entropy="") for seat in match.seats]


def _on_started(match: Match, event: messages.MatchStarted) -> None:
    match.stage = "running"
    if match.joint_entropy is not None:
        match.joint_entropy = replace(match.joint_entropy, since=0, pledged=())
        # Who was replaced has given nothing to the draws, and does not come back (M19).
        match.seats = [replace(seat, absent=False) for seat in match.seats]
    if match.base is None:
        match.state = match.game.initial(Setup(len(match.seats), match.options))
    else:
        match.state = wire.load(match.game.state, match.base.state)


def _on_ended(match: Match, event: messages.MatchAborted | messages.MatchExpired) -> None:
    match.stage = "aborted"


def _on_replaced(match: Match, event: messages.SeatReplaced) -> None:
    seat = match.seats[event.seat]
    if match.joint_entropy is not None and match.stage == "open":
        seat = replace(seat, pledge="", entropy="")
    stands_in = seat.absent or seat.kind == "human"
    match.seats[event.seat] = replace(seat, kind="bot", level=event.level, absent=stands_in)
    _cancel_ask(match)


def _on_restored(match: Match, event: messages.SeatRestored) -> None:
    seat = match.seats[event.seat]
    match.seats[event.seat] = replace(seat, kind="human", level="", absent=False, away="")
    if match.clock is not None and seat.away == "time":
        match.clock = match.clock.with_more(event.seat, after_turn=False)
    _cancel_ask(match)


def _on_time_ran_out(match: Match, event: messages.TimeRanOut) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], away="time")


def _on_resigned(match: Match, event: messages.SeatResigned) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], away="resigned")
    match.resigned = (*match.resigned, event.seat)


def _on_take_back_asked(match: Match, event: messages.TakeBackAsked) -> None:
    _set_ask(match, Ask(event.seat, event.to))


def _on_take_back_agreed(match: Match, event: messages.TakeBackAgreed) -> None:
    take_back = match.take_back
    if take_back is not None and take_back.ask is not None:
        ask = take_back.ask
        _set_ask(match, replace(ask, agreed=(*ask.agreed, event.seat)))


def _on_take_back_refused(match: Match, event: messages.TakeBackRefused) -> None:
    take_back = match.take_back
    if take_back is None or take_back.ask is None:
        return
    asker = take_back.ask.seat
    others = tuple(seat for seat in take_back.refused if seat != asker)
    refused = (*others, asker) if event.seat != asker else take_back.refused
    match.take_back = replace(take_back, ask=None, refused=refused)


def _cancel_ask(match: Match) -> None:
    if match.take_back is not None and match.take_back.ask is not None:
        _set_ask(match, None)


def _set_ask(match: Match, ask: Ask | None) -> None:
    if match.take_back is not None:
        match.take_back = replace(match.take_back, ask=ask)


def _on_taken_back(match: Match, event: messages.TakenBack) -> None:
    """The game is again as it was; who sits where stays as it is (M17)."""
    take_back = match.take_back
    if take_back is None:
        return

    if match.moves is not None:
        match.moves -= len(take_back.moves_after(event.to))
    match.state = take_back.state_at(match.game, event.to)
    match.take_back = take_back.back_to(event.to)


def _on_revealed(match: Match, event: messages.SecretsRevealed) -> None:
    match.revealed = True


def _on_trace(
    match: Match, event: messages.TokenReplaced | messages.TokenRevoked | messages.NameErased
) -> None:
    """Change nothing: tokens and names lie beside the chain (M13)."""


_CHANGES: dict[type, Change[Match]] = {
    messages.Forked: _on_forked,
    messages.SeatJoined: _on_joined,
    messages.SeatLeft: _on_left,
    messages.EntropyPledged: _on_pledged,
    messages.EntropyDisclosed: _on_disclosed,
    messages.PledgesDropped: _on_pledges_dropped,
    messages.MatchStarted: _on_started,
    messages.MatchAborted: _on_ended,
    messages.MatchExpired: _on_ended,
    messages.SeatReplaced: _on_replaced,
    messages.SeatRestored: _on_restored,
    messages.TimeRanOut: _on_time_ran_out,
    messages.SeatResigned: _on_resigned,
    messages.TakeBackAsked: _on_take_back_asked,
    messages.TakeBackAgreed: _on_take_back_agreed,
    messages.TakeBackRefused: _on_take_back_refused,
    messages.TakenBack: _on_taken_back,
    messages.SecretsRevealed: _on_revealed,
    messages.TokenReplaced: _on_trace,
    messages.TokenRevoked: _on_trace,
    messages.NameErased: _on_trace,
}

_CHANGES_WHO_OWES = (
    messages.SeatJoined,
    messages.SeatLeft,
    messages.SeatReplaced,
    messages.SeatRestored,
    messages.EntropyPledged,
    messages.EntropyDisclosed,
    messages.PledgesDropped,
)

_OWN = frozenset(messages.EVENTS.values())
