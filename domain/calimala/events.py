"""The events of Calimala. They are stored, so an event with a changed meaning needs a new tag."""

from dataclasses import dataclass
from typing import ClassVar

from domain.calimala import components as box
from domain.wire import drawn, laid_open, secret, table


@dataclass(frozen=True, slots=True)
class BoardLaidOut:
    """The laid out board (C11, C12).

    grid: action of each cell 0..8. council: tiles in council order. face_up: open final card, if
    there is one.
    """

    tag: ClassVar[str] = "board_laid_out"
    grid: tuple[box.Action, ...] | None = drawn()
    council: tuple[box.Category, ...] | None = drawn()
    face_up: box.Category | None = drawn()


@dataclass(frozen=True, slots=True)
class ScoringCardsDealt:
    """A seat was dealt its final scoring cards (C12)."""

    tag: ClassVar[str] = "scoring_cards_dealt"
    seat: int
    cards: tuple[box.Category, ...] | None = secret(drawn=True)


@dataclass(frozen=True, slots=True)
class ScoringCardKept:
    """A seat kept one of its final scoring cards and boxed the rest (C12)."""

    tag: ClassVar[str] = "scoring_card_kept"
    seat: int
    card: box.Category | None = secret()


@dataclass(frozen=True, slots=True)
class ActionCardTaken:
    """A seat took an open action card into its hand (C13)."""

    tag: ClassVar[str] = "action_card_taken"
    seat: int
    card: box.Action


@dataclass(frozen=True, slots=True)
class DraftEnded:
    """The open action cards that nobody took joined the deck (C13)."""

    tag: ClassVar[str] = "draft_ended"
    left: tuple[box.Action, ...]


@dataclass(frozen=True, slots=True)
class DiscPlaced:
    """A disc was placed (C14, C16).

    activates: the owners of the activated discs, from the top down, the placed disc first.
    """

    tag: ClassVar[str] = "disc_placed"
    seat: int
    street: box.Street
    disc: box.Disc
    activates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ActionPerformed:
    """An activated action was carried out (C19).

    workshops: the cloth in each workshop afterwards, if it changed.
    """

    tag: ClassVar[str] = "action_performed"
    seat: int
    action: box.Action
    build: box.Project | None = None
    city: box.City | None = None
    building: box.Building | None = None
    resource: box.Resource | None = None
    cities: tuple[box.City, ...] | None = None
    workshops: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """An action card was carried out and discarded (C20, C22). workshops: as in ActionPerformed."""

    tag: ClassVar[str] = "card_played"
    seat: int
    action: box.Action
    build: box.Project | None = None
    city: box.City | None = None
    building: box.Building | None = None
    resource: box.Resource | None = None
    cities: tuple[box.City, ...] | None = None
    workshops: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Compensated:
    """An activated action was given up for a card (C19, C22).

    drew: false if no card was left.
    """

    tag: ClassVar[str] = "compensated"
    seat: int
    action: box.Action
    drew: bool
    card: box.Action | None = secret(drawn=True)


@dataclass(frozen=True, slots=True)
class DeckRenewed:
    """The discards became the deck (C22)."""

    tag: ClassVar[str] = "deck_renewed"


@dataclass(frozen=True, slots=True)
class ActionSkipped:
    """An activated action was given up for nothing (C19)."""

    tag: ClassVar[str] = "action_skipped"
    seat: int
    action: box.Action


@dataclass(frozen=True, slots=True)
class ActivationEnded:
    """The activation of a seat's disc is over (C21)."""

    tag: ClassVar[str] = "activation_ended"
    seat: int


@dataclass(frozen=True, slots=True)
class DiscPromoted:
    """The coloured disc at the bottom of a stack took the seat at the next tile (C31)."""

    tag: ClassVar[str] = "disc_promoted"
    seat: int
    street: box.Street
    tile: box.Category


@dataclass(frozen=True, slots=True)
class WhiteDiscExchanged:
    """The white disc at the bottom joined the seat's reserve.

    A coloured disc from the reserve took the council seat (C32).
    """

    tag: ClassVar[str] = "white_disc_exchanged"
    seat: int
    street: box.Street
    tile: box.Category


@dataclass(frozen=True, slots=True)
class WhiteDiscLifted:
    """The white disc at the bottom left its stack, to be exchanged for a disc on a street (C33)."""

    tag: ClassVar[str] = "white_disc_lifted"
    seat: int
    street: box.Street


@dataclass(frozen=True, slots=True)
class DiscGivenUp:
    """A seat's disc left a street for the council.

    The white disc went on top of that stack or left the game (C33).
    """

    tag: ClassVar[str] = "disc_given_up"
    seat: int
    street: box.Street
    position: int
    tile: box.Category
    white_stays: bool


@dataclass(frozen=True, slots=True)
class SeatLeftEmpty:
    """The lifted white disc left the game and nobody took the seat at the tile (C34)."""

    tag: ClassVar[str] = "seat_left_empty"
    tile: box.Category


@dataclass(frozen=True, slots=True)
class DiscRemoved:
    """The bottom disc of a stack left the game without a seat (C40)."""

    tag: ClassVar[str] = "disc_removed"
    street: box.Street


@dataclass(frozen=True, slots=True)
class TileScored:
    """A scoring tile was settled (C35-C37).

    counts, points: by seat. order: the seats with cubes, best first.
    decided_by: the decider between each seat of the order and the next.
    """

    tag: ClassVar[str] = "tile_scored"
    category: box.Category
    counts: tuple[int, ...]
    order: tuple[int, ...]
    decided_by: tuple[box.Decider, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayEnded:
    """No more discs will be placed. The rest is scored (C39, C40)."""

    tag: ClassVar[str] = "play_ended"


@dataclass(frozen=True, slots=True)
class FinalCardsRevealed:
    """The kept final scoring card of each seat (C41)."""

    tag: ClassVar[str] = "final_cards_revealed"
    cards: tuple[box.Category, ...] = laid_open()


@dataclass(frozen=True, slots=True)
class FinalCardScored:
    """A final scoring card was settled for everybody (C41). The fields are those of TileScored."""

    tag: ClassVar[str] = "final_card_scored"
    category: box.Category
    counts: tuple[int, ...]
    order: tuple[int, ...]
    decided_by: tuple[box.Decider, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The points and the rank of each seat. 1 is best, ranks may be shared (C42)."""

    tag: ClassVar[str] = "match_ended"
    points: tuple[int, ...]
    ranks: tuple[int, ...]


EVENTS = table(
    BoardLaidOut,
    ScoringCardsDealt,
    ScoringCardKept,
    ActionCardTaken,
    DraftEnded,
    DiscPlaced,
    ActionPerformed,
    CardPlayed,
    Compensated,
    DeckRenewed,
    ActionSkipped,
    ActivationEnded,
    DiscPromoted,
    WhiteDiscExchanged,
    WhiteDiscLifted,
    DiscGivenUp,
    SeatLeftEmpty,
    DiscRemoved,
    TileScored,
    PlayEnded,
    FinalCardsRevealed,
    FinalCardScored,
    MatchEnded,
)
