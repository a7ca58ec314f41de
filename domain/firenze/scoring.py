"""The final scoring (F39, F41-F43)."""

from domain.firenze import components as box
from domain.firenze.commands import Score
from domain.firenze.events import Celebrated, FinalScored, Majority
from domain.firenze.fulfil import sealed_by
from domain.firenze.state import State
from domain.game import Draft, Outcome
from domain.kit import competition_ranks


def score(draft: Draft[State], _command: Score) -> None:
    """Score majorities, then Celebration cards (F41). Most points win, a tie is shared (F42)."""
    state = draft.state
    majorities = [majority(state, colour) for colour in box.COLOURS]
    celebrations: list[Celebrated] = []
    for seat in range(len(state.players)):
        celebrations += celebrated(state, seat)

    before = tuple(player.points for player in state.players)
    points = list(before)
    for bonus in majorities:
        if bonus.seat is not None:
            points[bonus.seat] += bonus.points
    for celebration in celebrations:
        points[celebration.seat] += celebration.points

    draft.emit(
        FinalScored(
            majorities=tuple(majorities),
            celebrations=tuple(celebrations),
            before=before,
            points=tuple(points),
            ranks=competition_ranks(points),
        )
    )


def majority(state: State, colour: box.Colour) -> Majority:
    """Return the majority of a colour: most seals, then the highest seal among the tied (F41).

    Without a player's seal nobody has the majority.
    """
    owners = state.seals[box.commissions_of(colour)]
    seats = range(len(state.players))
    seals = tuple(owners.count(seat) for seat in seats)
    most = max(seals)

    tied: tuple[int, ...] = ()
    if most:
        tied = tuple(seat for seat in seats if seals[seat] == most)
    highest = tuple(_highest_seal(owners, seat) if seat in tied else 0 for seat in seats)
    winner = max(tied, key=highest.__getitem__, default=None)

    return Majority(
        colour=colour,
        points=state.board.majority[colour],
        seals=seals,
        tied=tied,
        highest=highest,
        seat=winner,
    )


def _highest_seal(owners: list[int], seat: int) -> int:
    """Return the height of a seat's highest seal on a colour. owners: of the seals, by height."""
    return max(box.LOWEST + level for level, owner in enumerate(owners) if owner == seat)


def celebrated(state: State, seat: int) -> list[Celebrated]:
    """Return the points of a seat's Celebration cards, one entry per name (F39).

    A Recognition brings 1 for each own commission of 3 or 4 levels.
    """
    small = sum(box.is_small(commission) for commission in sealed_by(state, seat))
    points = {**box.CELEBRATION_POINTS, box.Card.RECOGNITION: small}

    celebrations = []
    for card in box.CELEBRATIONS:
        copies = state.players[seat].cards[card]
        if copies:
            earned = copies * points[card]
            celebrations.append(Celebrated(seat, card, copies, earned))
    return celebrations


def outcome(state: State) -> Outcome | None:
    """Return points and ranks once the final scoring is recorded, None before (F43)."""
    if state.agenda:
        return None
    points = tuple(player.points for player in state.players)
    return Outcome(points, state.ranks)
