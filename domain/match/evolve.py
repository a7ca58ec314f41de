"""The change of a match by each of its events. Nothing here checks a rule."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from domain.game import Change, Message, Setup
from domain.match import messages
from domain.match.match_rules import read_match_rules
from domain.match.messages import OWN_EVENTS
from domain.match.state import AppliedCommit, Match, Seat, Stamp
from domain.match.terms import CHANGES, TERMS
from domain.seats import seat_of


def new_match(event: messages.MatchOpened) -> Match:
    """Return the match after its first event. Raises UnknownMatchRules."""
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
    terms = (term.from_opening(event) for term in TERMS)
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
        terms=tuple(term for term in terms if term is not None),
        moves=0 if event.draws == messages.DRAWS_BY_MOVES else None,
        match_rules=read_match_rules(event.match_rules),
    )


def fold(match: Match, events: Iterable[Message]) -> None:
    """Apply events of the match and of its game in place."""
    evolve_game = match.game.evolve
    for event in events:
        handler = _CHANGES.get(type(event))
        if handler is None:
            evolve_game(match.state, event)
            continue
        for place in range(len(match.terms)):
            match.terms[place].before_event(match, event)
        handler(match, event)


def evolve(match: Match, event: Message) -> None:
    """Apply one event of the match or of its game in place."""
    fold(match, (event,))


def count_moves(match: Match, last_events: Iterable[Message]) -> None:
    """Count commits of the game in place if draws go by moves (M10).

    last_events: the last event of each commit. A commit with any event of the game ends with one of
    the game.
    Only folds call this. `Sitting.play_game` counts a new command.
    """
    if match.moves is not None:
        match.moves += sum(type(event) not in OWN_EVENTS for event in last_events)


def end_commit(match: Match, events: Sequence[Message], stamp: Stamp) -> None:
    """Let all terms note the end of a commit, after its events. Call it if `Match.needs_stamps`."""
    own = [event for event in events if type(event) in OWN_EVENTS]
    moves = tuple([event for event in events if type(event) not in OWN_EVENTS] if own else events)
    mover = _human_of(match, stamp.actor) if moves else None
    commit = AppliedCommit(own, stamp, match.status, moves, mover)
    for place in range(len(match.terms)):
        match.terms[place].after_commit(match, commit)


def _human_of(match: Match, actor: str) -> int | None:
    """Return the seat of an actor if a human holds it. The actor of a bot is its seat, too."""
    seat = seat_of(actor)
    return seat if seat is not None and match.seats[seat].kind == "human" else None


def fold_commits(
    match: Match, commits: Sequence[Sequence[Message]], stamp_of: Callable[[int], Stamp]
) -> None:
    """Apply commits in place. While the match needs stamps, note the ends of commits.

    Of the commits of a shortcut, only the last end is noted.

    commits: events by commit, without `match_opened`.
    stamp_of: returns a commit's stamp, given its index in `commits`.
    """
    first = _fold_by_shortcut(match, commits, stamp_of)
    place = first
    while place < len(commits) and match.needs_stamps:
        fold(match, commits[place])
        end_commit(match, commits[place], stamp_of(place))
        place += 1
    fold(match, chain.from_iterable(commits[place:]))
    count_moves(match, _last_events(commits[first:]))


def _fold_by_shortcut(
    match: Match, commits: Sequence[Sequence[Message]], stamp_of: Callable[[int], Stamp]
) -> int:
    """Apply the commits of a term's shortcut. Return their number, 0 without a shortcut."""
    for term in match.terms:
        shortcut = term.shortcut(match, commits, stamp_of(0).version) if commits else None
        if shortcut is not None:
            count = len(shortcut.standing)
            match.put(shortcut.term)
            fold(match, chain.from_iterable(shortcut.standing))
            count_moves(match, _last_events(shortcut.standing))
            end_commit(match, commits[count - 1], stamp_of(count - 1))
            return count
    return 0


def _last_events(commits: Iterable[Sequence[Message]]) -> Iterator[Message]:
    """Yield the last event of each commit with events."""
    return (events[-1] for events in commits if events)


def _on_joined(match: Match, event: messages.SeatJoined) -> None:
    match.seats[event.seat] = Seat(
        kind="human",
        level="",
        name=event.name,
        entropy=event.entropy,
        key=event.key or "",
        pledge=event.pledge or "",
    )


def _on_left(match: Match, event: messages.SeatLeft) -> None:
    match.seats[event.seat] = Seat("open", level="", name="", entropy="")


def _on_started(match: Match, event: messages.MatchStarted) -> None:
    match.stage = "running"
    states = (term.initial_state(match) for term in match.terms if term.sets_up_game)
    state = next(states, None)
    if state is None:
        state = match.game.initial(Setup(len(match.seats), match.options))
    match.state = state


def _on_ended(match: Match, event: messages.MatchAborted | messages.MatchExpired) -> None:
    match.stage = "aborted"


def _on_replaced(match: Match, event: messages.SeatReplaced) -> None:
    seat = match.seats[event.seat]
    stands_in = seat.absent or seat.kind == "human"
    match.seats[event.seat] = replace(seat, kind="bot", level=event.level, absent=stands_in)


def _on_restored(match: Match, event: messages.SeatRestored) -> None:
    seat = match.seats[event.seat]
    match.seats[event.seat] = replace(seat, kind="human", level="", absent=False, away="")


def _on_resigned(match: Match, event: messages.SeatResigned) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], away="resigned")
    match.resigned = (*match.resigned, event.seat)


def _on_revealed(match: Match, event: messages.SecretsRevealed) -> None:
    match.revealed = True


def _on_trace(
    match: Match, event: messages.TokenReplaced | messages.TokenRevoked | messages.NameErased
) -> None:
    """Change nothing. Tokens and names are stored beside the history (M13)."""


_CHANGES: dict[type, Change[Match]] = {
    **CHANGES,
    messages.SeatJoined: _on_joined,
    messages.SeatLeft: _on_left,
    messages.MatchStarted: _on_started,
    messages.MatchAborted: _on_ended,
    messages.MatchExpired: _on_ended,
    messages.SeatReplaced: _on_replaced,
    messages.SeatRestored: _on_restored,
    messages.SeatResigned: _on_resigned,
    messages.SecretsRevealed: _on_revealed,
    messages.TokenReplaced: _on_trace,
    messages.TokenRevoked: _on_trace,
    messages.NameErased: _on_trace,
}
