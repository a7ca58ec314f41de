"""The commands and events of a match that are not its game's.

Stored histories hold these messages, so released tags and fields never change. The docstrings of
the messages and their parts are texts of the contract.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

from domain import wire
from domain.seats import HOUSE_ACTOR, INVITATION, OWNER, PUBLIC

DRAWS_BY_MOVES = "moves"


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """A seat at the opening.

    kind: "human", "bot" or "open". level: a bot's.
    name: digest of the holder's name. "": none. key: signs for the seat (M18). None: no key.
    pledge: digest of its entropy (M19).
    """

    kind: str
    level: str = ""
    name: str = ""
    entropy: str = ""
    key: str | None = None
    pledge: str | None = None


@dataclass(frozen=True, slots=True)
class ClockPlan:
    """A clock (M15).

    bank_s: seconds in the bank of each seat. move_s: seconds added after a turn.
    level: level of the bot that stands in when a bank is empty.
    """

    bank_s: int
    move_s: int
    level: str


@dataclass(frozen=True, slots=True)
class Base:
    """The base of a fork: match, version, hash of that version's commit, and game state then."""

    match: str
    version: int
    hash: str
    state: wire.JsonMapping


@dataclass(frozen=True, slots=True)
class Open:
    """Open a match (M1).

    secret: the 32 bytes behind all draws, in hex. commitment: SHA-256 of their key (M10).
    match: id bound to the secret. None: no id, as in matches of the first release.
    advice: True if humans may ask for advice (M14). None: they may not.
    clock: the clock (M15). None: no time limit.
    take_back: the way to take moves back, "own" or "consent" (M17). None: no take-back.
    base: the base of a fork (M21).
    draws: "moves": draws go by the game's own commits (M10). None: by versions.
    joint_entropy: True if all humans pledge and disclose entropy before the start (M19).
    match_rules: number of the match rules. None: 1, those of the first release.
    """

    tag: ClassVar[str] = "open"
    game: str
    rules: str
    views: int
    options: wire.JsonMapping
    seats: tuple[SeatPlan, ...]
    visibility: str
    commitment: str
    secret: str | None = wire.secret("house")
    match: str | None = None
    advice: bool | None = None
    clock: ClockPlan | None = None
    take_back: str | None = None
    base: Base | None = None
    draws: str | None = None
    joint_entropy: bool | None = None
    match_rules: int | None = None


@dataclass(frozen=True, slots=True)
class MatchOpened:
    """A match was opened. The fields are as in `open`.

    hides: tags of the commands that hide something from other seats (M18). None: by match rules 1.
    """

    tag: ClassVar[str] = "match_opened"
    game: str
    rules: str
    views: int
    options: wire.JsonMapping
    seats: tuple[SeatPlan, ...]
    visibility: str
    commitment: str
    secret: str | None = wire.secret("house")
    match: str | None = None
    advice: bool | None = None
    clock: ClockPlan | None = None
    take_back: str | None = None
    draws: str | None = None
    joint_entropy: bool | None = None
    match_rules: int | None = None
    hides: tuple[str, ...] | None = None


def opened_by(command: Open) -> MatchOpened:
    """Return the event of an opening. Its fields are the command's, but `hides` is None."""
    names = [field.name for field in fields(MatchOpened) if field.name != "hides"]
    return MatchOpened(**{name: getattr(command, name) for name in names})


@dataclass(frozen=True, slots=True)
class Forked:
    """The game begins with the state of a base (M21)."""

    tag: ClassVar[str] = "forked"
    base: Base


@dataclass(frozen=True, slots=True)
class Join:
    """Take an open seat (M2).

    name: digest of the name. entropy: hex that goes into every draw's seed (M10).
    key: signs for the seat (M18). pledge: as `digest` in the command `pledge` (M19).
    proof: the key's signature over match, seat and head hash (M18). None: without a key, or by
    match rules 1.
    """

    tag: ClassVar[str] = "join"
    seat: int
    name: str = ""
    entropy: str = ""
    key: str | None = None
    pledge: str | None = None
    proof: str | None = None


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """A human took an open seat."""

    tag: ClassVar[str] = "seat_joined"
    seat: int
    name: str = ""
    entropy: str = ""
    key: str | None = None
    pledge: str | None = None
    proof: str | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """Give a seat up before the start (M3)."""

    tag: ClassVar[str] = "leave"
    seat: int


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat is open again."""

    tag: ClassVar[str] = "seat_left"
    seat: int


@dataclass(frozen=True, slots=True)
class Pledge:
    """Pledge entropy before the start (M19).

    digest: SHA-256 of the canonical JSON of entropy and seat.
    """

    tag: ClassVar[str] = "pledge"
    seat: int
    digest: str


@dataclass(frozen=True, slots=True)
class EntropyPledged:
    """A human has pledged entropy. `digest` is as in `pledge`."""

    tag: ClassVar[str] = "entropy_pledged"
    seat: int
    digest: str


@dataclass(frozen=True, slots=True)
class Disclose:
    """Disclose the pledged entropy, 32 bytes in hex (M19)."""

    tag: ClassVar[str] = "disclose"
    seat: int
    entropy: str


@dataclass(frozen=True, slots=True)
class EntropyDisclosed:
    """A human has disclosed entropy. With the last disclosure the match starts."""

    tag: ClassVar[str] = "entropy_disclosed"
    seat: int
    entropy: str


@dataclass(frozen=True, slots=True)
class PledgesDropped:
    """No pledge and no disclosure counts any more. All humans pledge anew (M19)."""

    tag: ClassVar[str] = "pledges_dropped"


@dataclass(frozen=True, slots=True)
class Lapse:
    """Reopen the seats with an overdue pledge or disclosure (M19). By the house.

    due: end of the time limit, in milliseconds since 1970.
    """

    tag: ClassVar[str] = "lapse"
    due: int


@dataclass(frozen=True, slots=True)
class Start:
    """Begin to play (M4). By the owner."""

    tag: ClassVar[str] = "start"


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The seats are settled and the game begins.

    The game's own opening events follow in the same commit, but not in a fork (M21).
    """

    tag: ClassVar[str] = "match_started"


@dataclass(frozen=True, slots=True)
class Abort:
    """End the match without a result (M7). By the owner."""

    tag: ClassVar[str] = "abort"


@dataclass(frozen=True, slots=True)
class MatchAborted:
    """The match ended without a result."""

    tag: ClassVar[str] = "match_aborted"


@dataclass(frozen=True, slots=True)
class Expire:
    """End a match that was left alone for long (M11). By the house."""

    tag: ClassVar[str] = "expire"


@dataclass(frozen=True, slots=True)
class MatchExpired:
    """The match ended without a result because it was left alone."""

    tag: ClassVar[str] = "match_expired"


@dataclass(frozen=True, slots=True)
class Replace:
    """Let a bot of a level hold a seat (M8). By the owner."""

    tag: ClassVar[str] = "replace"
    seat: int
    level: str


@dataclass(frozen=True, slots=True)
class SeatReplaced:
    """A bot holds the seat. A human may get it back as far as M8, M15, M16 and M19 allow."""

    tag: ClassVar[str] = "seat_replaced"
    seat: int
    level: str


@dataclass(frozen=True, slots=True)
class Restore:
    """Give a replaced seat back to its human (M8). By the owner."""

    tag: ClassVar[str] = "restore"
    seat: int


@dataclass(frozen=True, slots=True)
class SeatRestored:
    """The human holds the seat again."""

    tag: ClassVar[str] = "seat_restored"
    seat: int


@dataclass(frozen=True, slots=True)
class RunOut:
    """Let a bot stand in for a seat with an empty bank (M15). By the house.

    due: end of the seat's time, in milliseconds since 1970.
    """

    tag: ClassVar[str] = "run_out"
    seat: int
    due: int


@dataclass(frozen=True, slots=True)
class TimeRanOut:
    """The bank of a seat was empty. A bot stands in from now on. `due` is as in `run_out`."""

    tag: ClassVar[str] = "time_ran_out"
    seat: int
    due: int


@dataclass(frozen=True, slots=True)
class Return:
    """Take a seat back from its stand-in bot (M8, M15). By the seat."""

    tag: ClassVar[str] = "return"
    seat: int


@dataclass(frozen=True, slots=True)
class Resign:
    """Let a bot of a level play a seat to the end (M16). By the seat."""

    tag: ClassVar[str] = "resign"
    seat: int
    level: str


@dataclass(frozen=True, slots=True)
class SeatResigned:
    """The human of a seat gave the match up. A bot stands in to the end."""

    tag: ClassVar[str] = "seat_resigned"
    seat: int


@dataclass(frozen=True, slots=True)
class AskTakeBack:
    """Ask to go back to a version (M17)."""

    tag: ClassVar[str] = "ask_take_back"
    seat: int
    to: int


@dataclass(frozen=True, slots=True)
class TakeBackAsked:
    """A seat asks to go back to a version."""

    tag: ClassVar[str] = "take_back_asked"
    seat: int
    to: int


@dataclass(frozen=True, slots=True)
class AgreeTakeBack:
    """Agree to another seat's request to take moves back (M17)."""

    tag: ClassVar[str] = "agree_take_back"
    seat: int


@dataclass(frozen=True, slots=True)
class TakeBackAgreed:
    """A seat agrees to take the moves back."""

    tag: ClassVar[str] = "take_back_agreed"
    seat: int


@dataclass(frozen=True, slots=True)
class RefuseTakeBack:
    """Refuse another seat's request to take moves back, or withdraw one's own (M17)."""

    tag: ClassVar[str] = "refuse_take_back"
    seat: int


@dataclass(frozen=True, slots=True)
class TakeBackRefused:
    """A seat refuses to take the moves back, or withdraws its request."""

    tag: ClassVar[str] = "take_back_refused"
    seat: int


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The game is again as it was at a version. All later commits stay in the history."""

    tag: ClassVar[str] = "taken_back"
    to: int


@dataclass(frozen=True, slots=True)
class Reveal:
    """Reveal all secrets after the end (M9). By the house.

    parts: the secret parts of every commit by version.
    """

    tag: ClassVar[str] = "reveal"
    secret: str
    parts: wire.JsonMapping


@dataclass(frozen=True, slots=True)
class SecretsRevealed:
    """The secret of the match and the secret parts of all commits.

    Each part stands with its salt, by version and audience.
    """

    tag: ClassVar[str] = "secrets_revealed"
    secret: str
    parts: wire.JsonMapping


@dataclass(frozen=True, slots=True)
class ReplaceToken:
    """Give a holder a new token (M13).

    holder: "owner", "spectator", "invitation" or "seat:N".
    """

    tag: ClassVar[str] = "replace_token"
    holder: str


@dataclass(frozen=True, slots=True)
class TokenReplaced:
    """The holder has a new token. An earlier one, if there was any, no longer counts."""

    tag: ClassVar[str] = "token_replaced"
    holder: str


@dataclass(frozen=True, slots=True)
class RevokeToken:
    """Revoke a holder's token (M13). `holder` is as in `replace_token`."""

    tag: ClassVar[str] = "revoke_token"
    holder: str


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """The holder has no token any more."""

    tag: ClassVar[str] = "token_revoked"
    holder: str


@dataclass(frozen=True, slots=True)
class EraseName:
    """Erase the stored name of a seat's holder (M13)."""

    tag: ClassVar[str] = "erase_name"
    seat: int


@dataclass(frozen=True, slots=True)
class NameErased:
    """The name of the seat's holder is no longer stored. The name's digest stays in the history."""

    tag: ClassVar[str] = "name_erased"
    seat: int


# ---- tables: commands with their actors and events, and the events ------------------------------

# The actor is the seat in a field of the command.
SEAT = "seat"  # in the field `seat`
HOLDER = "holder"  # in the field `holder`
# Any seat may be the actor, whichever seat the command names.
ANY_SEAT = "any_seat"


class CommandRule(NamedTuple):
    """The actors and events of a command in every match. Verifiers and the pages read them, too.

    actors: may give the command: "owner", "house", "public", "invitation", SEAT, HOLDER, ANY_SEAT.
    causes: the first events of its commit. The first event repeats the fields that its class
    shares with the command.
    shifts_draws: True if verifiers count the command among those that shift draws by versions
    (M10).
    """

    actors: tuple[str, ...]
    causes: tuple[type[wire.Message], ...]
    shifts_draws: bool = False


COMMAND_RULES: Mapping[type[wire.Message], CommandRule] = {
    Open: CommandRule((OWNER,), (MatchOpened,)),
    Join: CommandRule((OWNER, PUBLIC, INVITATION, ANY_SEAT), (SeatJoined,)),
    Leave: CommandRule((SEAT,), (SeatLeft,), shifts_draws=True),
    Pledge: CommandRule((SEAT,), (EntropyPledged,)),
    Disclose: CommandRule((SEAT,), (EntropyDisclosed,)),
    Lapse: CommandRule((HOUSE_ACTOR,), (SeatLeft,)),
    Start: CommandRule((OWNER,), (MatchStarted,)),
    Abort: CommandRule((OWNER,), (MatchAborted,)),
    Expire: CommandRule((HOUSE_ACTOR,), (MatchExpired,)),
    Replace: CommandRule((OWNER,), (SeatReplaced,), shifts_draws=True),
    Restore: CommandRule((OWNER,), (SeatRestored,), shifts_draws=True),
    RunOut: CommandRule((HOUSE_ACTOR,), (TimeRanOut, SeatReplaced), shifts_draws=True),
    Return: CommandRule((SEAT,), (SeatRestored,), shifts_draws=True),
    Resign: CommandRule((SEAT,), (SeatResigned, SeatReplaced), shifts_draws=True),
    AskTakeBack: CommandRule((SEAT,), (TakeBackAsked,), shifts_draws=True),
    AgreeTakeBack: CommandRule((SEAT,), (TakeBackAgreed,), shifts_draws=True),
    RefuseTakeBack: CommandRule((SEAT,), (TakeBackRefused,), shifts_draws=True),
    Reveal: CommandRule((HOUSE_ACTOR,), (SecretsRevealed,)),
    ReplaceToken: CommandRule((OWNER, HOLDER), (TokenReplaced,), shifts_draws=True),
    RevokeToken: CommandRule((OWNER, HOLDER), (TokenRevoked,), shifts_draws=True),
    EraseName: CommandRule((OWNER, SEAT), (NameErased,), shifts_draws=True),
}
COMMANDS = wire.table(*COMMAND_RULES)
# Commands of humans at their own seats. Bots give none of them. `join` is missing: before a join
# the seat is open.
OF_HUMANS = tuple(
    command.tag
    for command, rule in COMMAND_RULES.items()
    if {SEAT, HOLDER}.intersection(rule.actors)
)
EVENTS = wire.table(
    MatchOpened,
    Forked,
    SeatJoined,
    SeatLeft,
    EntropyPledged,
    EntropyDisclosed,
    PledgesDropped,
    MatchStarted,
    MatchAborted,
    MatchExpired,
    SeatReplaced,
    SeatRestored,
    TimeRanOut,
    SeatResigned,
    TakeBackAsked,
    TakeBackAgreed,
    TakeBackRefused,
    TakenBack,
    SecretsRevealed,
    TokenReplaced,
    TokenRevoked,
    NameErased,
)
# All other events of a match are events of its game.
OWN_EVENTS = frozenset(EVENTS.values())
# The kind of a seat after an event that changes its holder.
SEAT_KINDS: Mapping[type[wire.Message], str] = {
    SeatJoined: "human",
    SeatLeft: "open",
    SeatReplaced: "bot",
    SeatRestored: "human",
}
