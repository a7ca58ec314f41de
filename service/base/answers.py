"""Answers of the API: the shapes of JSON objects in its responses, without those of capabilities.

Functions build plain dicts, and mypy compares them with these types. The contract takes its schemas
from here, with the docstrings and the sentences beside fields. `domain.json_types` explains the
annotations. A part that depends on the game, such as `State.state`, may be any object here. In its
place the contract has a schema for each game.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from domain.json_types import Between, Json, JsonMapping
from domain.story import Part

View = JsonMapping  # JSON described by the game


class Form:
    """Keywords of JSON Schema for a value beside its type, such as the minimum.

    component: the component of the contract for the value, "" for none.
    keywords: keywords of JSON Schema.
    """

    def __init__(self, component: str = "", **keywords: object) -> None:
        self.component = component
        self.keywords = keywords


# ---- values in many answers ----------------------------------------------------------------

Time = Annotated[str, Form(format="date-time")]
LogId = Annotated[str, Form(pattern="^[0-9a-f]{8}$")]
Digest = Annotated[str, Form(pattern="^([0-9a-f]{64})?$")]
Count = Annotated[int, Form(minimum=0)]
Version = Annotated[int, Form(minimum=1)]
Chance = Annotated[float, Between(0, 1)]
NextPage = Annotated[
    str | None,
    "URL of the next page, relative to this server. Null at the end. The header Link has it, too.",
]
PlayerId = Annotated[str, Form(pattern="^([0-9a-f]{64}|bot:[a-z]{1,20})$")]
MatchId = Annotated[str, Form("MatchId")]
Actor = Annotated[str, Form("Actor")]
Holder = Annotated[str, Form("Holder")]
MatchStatus = Annotated[str, Form("MatchStatus")]
Visibility = Annotated[str, Form("Visibility")]
SeatKind = Annotated[str, Form(enum=["human", "bot", "open"])]
BotLevel = Annotated[str, Form("BotLevel")]
AbsentBecause = Literal["time_ran_out", "resigned", "replaced"]
Move = Annotated[Json, Form("Move")]
NotRated = Literal[
    "fork",
    "no_result",
    "stand_in",
    "known_seed",
    "advice",
    "take_back",
    "no_key",
    "no_clock",
    "one_player",
]
MatchEvent = Literal["turn", "waiting", "take_back", "ended", "gone", "rewritten", "presence"]
TextByName = dict[str, str]


# ---- games ---------------------------------------------------------------------------------


class Option(TypedDict):
    """An option of a game, distinguished by `kind`."""

    name: Annotated[str, "Name of the option."]
    text: Annotated[str, "Meaning of the option."]


class ChoiceOption(Option):
    """An option with a choice of a few values."""

    kind: Annotated[Literal["choice"], "Kind of the option's values."]
    default: Annotated[str, "Default value."]
    choices: Annotated[list[str], "The values to choose from."]


class FlagOption(Option):
    """An option that is on or off."""

    kind: Annotated[Literal["flag"], "Kind of the option's values."]
    default: Annotated[bool, "Default value."]


class NumberOption(Option):
    """An option with a whole number."""

    kind: Annotated[Literal["number"], "Kind of the option's values."]
    default: Annotated[int, "Default value."]
    least: Annotated[int, "Least value."]
    most: Annotated[int, "Greatest value."]


class DataOption(Option):
    """An option with an object, checked as a whole when a match is opened."""

    kind: Annotated[Literal["data"], "Kind of the option's values."]
    default: Annotated[View, Form("OptionData"), "Default value."]


class Level(TypedDict):
    """A level of bots, for players to choose from."""

    level: Annotated[str, "Name of the level."]
    about: Annotated[str, "Style of play, in a sentence."]


class Game(TypedDict):
    """A game that can be opened."""

    key: Annotated[str, "Key of the game."]
    title: Annotated[str, "Name of the game."]
    rules: Annotated[str, "The rules version of new matches."]
    rules_url: Annotated[str, "Address of the numbered rules."]
    seats: Annotated[list[int], "Possible numbers of seats."]
    options: Annotated[list[Option], "Options of a match."]
    levels: Annotated[list[str], "Levels of the game's bots, the weakest first."]
    bots: Annotated[list[Level], "The same levels, described for players."]
    moves: Annotated[list[str], "Types of the game's moves."]


class GameList(TypedDict):
    """All games."""

    games: Annotated[list[Game], "The games."]


# ---- the API itself ------------------------------------------------------------------------


class Root(TypedDict):
    """The release of the service, and the addresses of its parts."""

    release: Annotated[str, "Release of the service."]
    links: Annotated[TextByName, "Addresses by name: `games`, `matches`, `contract`, `docs`, ..."]


# ---- matches -------------------------------------------------------------------------------


class WaitingFor(TypedDict):
    """The awaited parties: the house, or seats of humans and bots."""

    house: Annotated[bool, "True if the house must act."]
    seats: Annotated[list[int], "The seats that may act, or owe something before the start (M19)."]
    bots: NotRequired[Annotated[list[int], "The seats of bots among `seats`."]]


class Seat(TypedDict):
    """A seat and its holder."""

    seat: Annotated[Count, "The number of the seat."]
    kind: Annotated[SeatKind, "Kind of the holder. open: the seat has no holder."]
    level: NotRequired[Annotated[BotLevel, "The bot's level."]]
    name: NotRequired[Annotated[str, "The human's name."]]
    key: NotRequired[Annotated[Digest, "The key that signs for the seat (M18)."]]
    owes: NotRequired[
        Annotated[
            Literal["pledge", "disclosure"],
            "Pledge or disclosure that the human owes before the start, by `deadline` (M19).",
        ]
    ]
    absent: NotRequired[
        Annotated[bool, "True if a bot stands in for the human. Otherwise left out."]
    ]
    absent_because: NotRequired[
        Annotated[
            AbsentBecause,
            "Only if a bot stands in: the human's time ran out (M15), the human "
            "resigned (M16), or the owner has replaced them (M8).",
        ]
    ]
    may_return: NotRequired[
        Annotated[
            bool,
            "True if the human may play on by `POST /v1/matches/{match}/return` (M8, "
            "M15). Otherwise left out.",
        ]
    ]


class Outcome(TypedDict):
    """The result: points and rank by seat. 1 is best, ranks may be shared."""

    points: Annotated[list[int], "The points of each seat, by seat."]
    ranks: Annotated[list[int], "The rank of each seat, by seat."]
    stood_in_for: NotRequired[
        Annotated[
            list[int],
            "Seats with stand-in bots at the end (M8, M15, M16). Left out if there "
            "are none. By match rules 1 without seats replaced by the owner.",
        ]
    ]
    resigned: NotRequired[
        Annotated[
            list[int],
            "Resigned seats, in the order of resignation. They rank below all others (M16). "
            "Left out if there are none, and by match rules 1.",
        ]
    ]


class Clock(TypedDict):
    """The clock of a match (M15)."""

    bank_s: Annotated[int, "Seconds in a bank at first, and at most."]
    move_s: Annotated[int, "Seconds added after a turn."]
    level: Annotated[BotLevel, "Level of the stand-in bots."]
    left_ms: Annotated[list[int], "Milliseconds in each bank at the last commit, by seat."]
    paying: Annotated[list[int], "Seats that pay time since the last commit."]
    due: Annotated[
        Time | None, "Time when the first bank of a paying seat is empty. Null: no time runs."
    ]


class TakeBackAsk(TypedDict):
    """A seat's request to take moves back (M17)."""

    seat: Annotated[Count, "Seat that asks."]
    to: Annotated[Version, "The version to go back to."]
    agreed: Annotated[list[int], "The other seats that agree so far."]


class TakeBack(TypedDict):
    """Moves that can be taken back (M17)."""

    option: Annotated[
        Literal["own", "consent"],
        "own: a seat takes back its own moves of one turn. consent: all moves can be "
        "taken back if all agree.",
    ]
    earliest: Annotated[
        Count,
        "The earliest version to go back to, or the present version if there is none. 0 before "
        "the start and after the end.",
    ]
    house_at: Annotated[
        list[int], "Versions after `earliest` at which the house acts. No take-back goes to them."
    ]
    refused: Annotated[
        list[int],
        "Seats with a refused request. They may not ask others before the next move of the game.",
    ]
    ask: Annotated[TakeBackAsk | None, "The pending request. Null: none."]
    taken_back: Annotated[
        list[int], "Versions of moves taken back. All of them stay in the history."
    ]


class Receipt(TypedDict):
    """The server's signed word for an accepted commit.

    The signature is Ed25519 over the canonical JSON of the other fields.
    """

    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Version, "Version of the commit."]
    hash: Annotated[Digest, "The commit's hash."]
    time: Annotated[Time, "Time of the commit."]
    key: Annotated[str, "ID of the signing key."]
    signature: Annotated[str, "The signature, in hex."]


class Beside(TypedDict):
    """A change of a token or a name without a commit (M13)."""

    at: Annotated[Time, "Time of the change."]
    what: Annotated[
        str,
        Form(enum=["token_replaced", "token_revoked", "name_erased"]),
        "Kind of the change.",
    ]
    holder: NotRequired[Annotated[Holder, "Holder of the token."]]
    seat: NotRequired[Annotated[Count, "Seat of the erased name."]]


class ForkedFrom(TypedDict):
    """The base of a fork (M21). Forks are not rated."""

    match: Annotated[MatchId, "The base match."]
    version: Annotated[Version, "Version of the base match at the fork."]


class Match(TypedDict):
    """A match and its standing."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "Rules version of the match. It never changes."]
    match_rules: Annotated[Version, "Number of the match rules (M1)."]
    options: Annotated[Json, "Options of the match. They never change."]
    visibility: Annotated[Visibility, "Visible to anybody, or only to holders of its tokens."]
    advice: Annotated[bool, "True if humans may ask for advice (M14)."]
    status: Annotated[MatchStatus, "Phase of the match."]
    version: Annotated[Version, "Number of commits."]
    hash: Annotated[Digest, "Hash of the last commit."]
    created: Annotated[Time, "Time of the opening."]
    updated: Annotated[Time, "Time of the last commit."]
    waiting_for: Annotated[WaitingFor, "Parties awaited."]
    deadline: Annotated[
        Time | None,
        "Earliest end of a seat's time (M15, M19). Null: nobody's time runs.",
    ]
    seats: Annotated[list[Seat], "The seats and their holders."]
    commitment: Annotated[Digest, "SHA-256 of the key behind every draw (M10)."]
    outcome: Annotated[Outcome | None, "The result. Null if there is none."]
    clock: NotRequired[Annotated[Clock, "Only of a match with a clock (M15)."]]
    take_back: NotRequired[Annotated[TakeBack, "Only if moves can be taken back (M17)."]]
    receipt: NotRequired[Annotated[Receipt, "The server's receipt for the last commit."]]
    changes: NotRequired[
        Annotated[
            list[Beside],
            "Tokens replaced or revoked and names erased without a commit, the last 20.",
        ]
    ]
    replaceable_from: NotRequired[
        Annotated[
            Time | None,
            "Time from which the owner may let a bot play a human's seat (M8). Only of a running "
            "match. Null: the clock decides.",
        ]
    ]
    imported: NotRequired[
        Annotated[
            Time,
            "Time of the import. Only of a match played elsewhere: its times and players are the "
            "word of the record's maker.",
        ]
    ]
    imported_by: NotRequired[
        Annotated[
            str,
            "Only of an imported match. `command line`, or the first 16 hex digits of the SHA-256 "
            "of the operator's token.",
        ]
    ]
    rematch: NotRequired[Annotated[MatchId, "The match that follows this one (M20)."]]
    rematch_of: NotRequired[Annotated[MatchId, "The match that this one follows (M20)."]]
    joint_entropy: NotRequired[
        Annotated[bool, "True if the humans draw together (M19). Otherwise left out."]
    ]
    forked_from: NotRequired[Annotated[ForkedFrom, "The base of a fork. Left out otherwise."]]


class OpenedMatch(Match):
    """A new match with its tokens. Only a repeat with the same key shows them again."""

    tokens: Annotated[
        TextByName,
        "Bearer tokens by holder: owner, spectator, invitation, seat:0, seat:1, ...",
    ]


class MatchSummary(TypedDict):
    """A match in a list."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    visibility: Annotated[Visibility, "Visible to anybody, or only to holders of its tokens."]
    advice: Annotated[bool, "True if humans may ask for advice (M14)."]
    status: Annotated[MatchStatus, "Phase of the match."]
    version: Annotated[Version, "Number of commits."]
    created: Annotated[Time, "Time of the opening."]
    updated: Annotated[Time, "Time of the last commit."]
    waiting_for: Annotated[WaitingFor, "Parties awaited."]
    deadline: Annotated[
        Time | None,
        "Earliest end of a seat's time (M15, M19). Null: nobody's time runs.",
    ]
    seats: Annotated[list[Seat], "The seats and their holders."]
    outcome: Annotated[
        Outcome | None,
        "The result. Null if there is none, and for matches by rules unknown here.",
    ]
    rematch_of: NotRequired[
        Annotated[
            MatchId,
            "The match that this one follows. Open seats are reserved for its players (M20).",
        ]
    ]
    joint_entropy: NotRequired[
        Annotated[bool, "True if the humans draw together (M19). Otherwise left out."]
    ]
    forked_from: NotRequired[Annotated[ForkedFrom, "The base of a fork. Left out otherwise."]]
    imported: NotRequired[Annotated[Time, "Time of the import. Only of a match played elsewhere."]]


class MatchList(TypedDict):
    """A page of matches."""

    matches: Annotated[list[MatchSummary], "The matches."]
    next: NextPage


# ---- players -------------------------------------------------------------------------------


class Rating(TypedDict):
    """The strength of a player at a game, by the model that the ladder names."""

    mean: Annotated[float, "Estimated strength. A beginner has 25."]
    uncertainty: Annotated[float, "Standard deviation of the estimate."]
    ordinal: Annotated[
        float, "The mean less three standard deviations. The ladder is ordered by it."
    ]
    matches: Annotated[Version, "Number of rated matches."]


class LadderPlace(TypedDict):
    """A player on a ladder."""

    place: Annotated[Version, "Place on the ladder, from 1. Equal players share a place."]
    player: Annotated[PlayerId, "A public key, or `bot:` and a level."]
    name: Annotated[str | None, "The latest name. Null: none is stored."]
    rating: Annotated[Rating, "The rating."]


class MatchNews(TypedDict):
    """The standing of a match for the holder of a token, distinguished by `event`.

    turn: the token's seat must act. waiting: the seat need not act. take_back: the seat's consent
    is awaited to go back to the version `to`, and `turn` or `waiting` follows. ended: the match is
    over. gone: the token is not, or no longer, a token of a match. rewritten: the server has lost
    reported commits, and the present standing follows. presence: `here` lists the present seats.
    Only tokens of seats get this news.
    """

    event: Annotated[MatchEvent, "Kind of news."]
    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Count, "Version of the match. 0 for `gone`."]
    seat: Annotated[int | None, "The token's seat. Null for a token of no seat."]
    status: NotRequired[Annotated[MatchStatus, "Phase of the match."]]
    waiting_for: NotRequired[Annotated[WaitingFor, "Parties awaited."]]
    deadline: NotRequired[
        Annotated[
            Time | None,
            "Earliest end of a seat's time (M15, M19). Null: nobody's time runs.",
        ]
    ]
    outcome: NotRequired[
        Annotated[Outcome | None, "The result. Null: the match ended without one (M7, M11)."]
    ]
    here: NotRequired[
        Annotated[list[int], "Of `presence`: seats that followed the match in the last 3 minutes."]
    ]
    to: NotRequired[Annotated[Version, "Of `take_back`: the version to go back to."]]


class Token(TypedDict):
    """A new token in place of an old one."""

    holder: Annotated[Holder, "Holder of the token."]
    token: Annotated[str, "The bearer token."]


# ---- play ----------------------------------------------------------------------------------


class State(TypedDict):
    """The match at a version, as the caller may see it."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    version: Annotated[Version, "Version of the state."]
    time: Annotated[Time, "Time of that version."]
    hash: Annotated[Digest, "Hash of its commit."]
    status: Annotated[MatchStatus, "Phase of the match."]
    waiting_for: Annotated[WaitingFor, "Parties awaited."]
    seat: Annotated[int | None, "Seat of the view. Null: the view of the public."]
    state: Annotated[View | None, "The game as the caller may see it. Null before the start."]
    known: Annotated[
        View | None,
        "Public facts from the past of the match that no state shows. Null before the "
        "start. No commit holds a digest of it.",
    ]
    clock: NotRequired[
        Annotated[Clock, "The clock at that version. Only of a match with a clock (M15)."]
    ]
    take_back_ask: NotRequired[
        Annotated[TakeBackAsk, "Only while a seat asks to take moves back (M17)."]
    ]
    outcome: NotRequired[
        Annotated[
            Outcome,
            "The result of the match, only after the end of its game. The ranks in `state` are "
            "the game's alone. In this result a seat that resigned ranks last (M16).",
        ]
    ]


class StateList(TypedDict):
    """A page of the states of a match, oldest first."""

    match: Annotated[MatchId, "The match's id."]
    states: Annotated[list[State], "The states, one for each version."]
    next: NextPage


class LegalMoves(TypedDict):
    """Legal moves of the caller's seat, in the form to post."""

    game: Annotated[str, "The game's key."]
    version: Annotated[Version, "Version of the match."]
    waiting_for: Annotated[WaitingFor, "Parties awaited."]
    moves: Annotated[list[Json], "The moves. [] if the seat may not act."]
    beyond: Annotated[
        View, "Legal moves beyond the listed ones, by command, in the game's own terms."
    ]
    seat: Annotated[
        int | None, "Seat of the moves. Null: no seat's token was sent, so there are no moves."
    ]


class Candidate(TypedDict):
    """A weighed move."""

    move: Annotated[Move, "The move, in the form to post."]
    win_chance: Annotated[
        Chance | None,
        "The bot's estimate of the seat's chance to win after the move. Null: not weighed.",
    ]


# ---- history -------------------------------------------------------------------------------


class Heading(TypedDict):
    """The heading over a sentence."""

    part: Annotated[str, Form(enum=[part.value for part in Part]), "Part of the match."]
    title: Annotated[str, "The heading."]


class Sentence(TypedDict):
    """An event in English."""

    text: Annotated[str, "A sentence, or several if one would be too long."]
    rules: Annotated[list[str], "The rules that decided the event."]
    heading: NotRequired[Annotated[Heading, "Only if the event begins something."]]


class StoryLine(TypedDict):
    """A commit in sentences."""

    version: Annotated[Version, "Version of the commit."]
    time: Annotated[Time, "Time of the commit."]
    actor: Annotated[Actor, "Actor of the commit."]
    command: Annotated[str, "Type of the commit's command."]
    sentences: Annotated[list[Sentence], "One for each event."]
    taken_back: NotRequired[
        Annotated[
            bool, "True if the moves of the commit were taken back later (M17). Otherwise left out."
        ]
    ]
    signed: NotRequired[
        Annotated[
            bool,
            "True if the seat's key signed the commit (M18). Left out for a join and for an actor "
            "without a key.",
        ]
    ]


class Story(TypedDict):
    """A page of the story, oldest first."""

    match: Annotated[MatchId, "The match's id."]
    lines: Annotated[list[StoryLine], "One for each commit."]


class RewrittenMatch(TypedDict):
    """The version of a match after the journal has gone back. The stream ends with this event."""

    version: Annotated[Version, "The match's version now."]


class Commit(TypedDict):
    """One accepted command with the events that it caused, as the caller may see them."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version of the commit."]
    version: Annotated[Version, "Version of the commit."]
    time: Annotated[Time, "Time of the commit."]
    actor: Annotated[Actor, "Actor of the commit."]
    command: Annotated[Json, "The command."]
    events: Annotated[list[Json], "The events of the command, in order."]
    hash: Annotated[Digest, "Hash of the commit."]
    prev: Annotated[Digest, "Hash of the commit before it."]
    signature: NotRequired[
        Annotated[
            str,
            "Signature by the key of its seat (M18). Left out if there is none, or if "
            "the caller may not see it.",
        ]
    ]
    receipt: NotRequired[
        Annotated[
            Receipt,
            "The receipt. Only in the answer to the maker of the commit and in that of "
            "`getCommit`.",
        ]
    ]


class MinimalCommit(TypedDict):
    """The proof of a new commit, without its command and events."""

    version: Annotated[Version, "Version of the commit."]
    hash: Annotated[Digest, "Hash of the commit."]
    receipt: NotRequired[
        Annotated[Receipt, "The server's receipt. Left out if the server signs none."]
    ]


class CommitList(TypedDict):
    """A page of the history, oldest first."""

    commits: Annotated[list[Commit], "The commits."]
    next: NextPage


class Joined(TypedDict):
    """A taken seat with its token. Only a repeat with the same key shows the token again."""

    seat: Annotated[Count, "The number of the seat."]
    token: Annotated[str, "The bearer token of the seat."]
    commit: Annotated[Commit, "The commit of the join."]


class Change(TypedDict):
    """One operation of a JSON Patch (RFC 6902). `was` is the replaced or removed value."""

    op: Annotated[Literal["add", "remove", "replace"], "The operation."]
    path: Annotated[str, "A JSON pointer into the state."]
    value: NotRequired[
        Annotated[Any, "The value afterwards, any JSON value. Left out by `remove`."]
    ]
    was: NotRequired[Annotated[Any, "The value before, any JSON value. Left out by `add`."]]


class Foretold(TypedDict):
    """Fields of an event in a preview, beside the event's own."""

    sentence: Annotated[Sentence, "The event in words, without the results of chance."]
    drawn: NotRequired[
        Annotated[
            list[str],
            "The omitted fields, to be decided by chance. Left out if there are none.",
        ]
    ]
    changes: NotRequired[
        Annotated[
            list[Change],
            "Changes of the event to the state as the caller sees it: a JSON Patch "
            "(RFC 6902), to be applied to the state after the event before. Left out "
            "for the first event with a result of chance, and for all events after it.",
        ]
    ]


class Preview(TypedDict):
    """A preview of a move."""

    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version of the match."]
    version: Annotated[Version, "Version of the match before the move."]
    events: Annotated[list[Json], "The events of the move, each with its changes as far as known."]
    dry_run: Annotated[bool, "True: nothing was committed."]


class LineStep(TypedDict):
    """A move of a line, or an act of the house in between, with its consequences."""

    move_index: Annotated[int | None, "Index of the move in the line. Null: the house acts."]
    events: Annotated[
        list[Json],
        "The events, each with a `sentence`. `drawn`: the fields decided by the seed.",
    ]
    waiting_for: Annotated[WaitingFor, "Parties awaited next."]
    state: Annotated[View, "The game after the step, as the viewer may see it."]


class LineRefusal(TypedDict):
    """Reason for an early end of a line: a refused move."""

    move_index: Annotated[Count, "Index of the refused move in the line."]
    code: Annotated[str, "The reason, for programs."]
    rule: Annotated[str, "The number of the rule."]
    detail: Annotated[str, "The reason in words, and the way out."]


class Line(TypedDict):
    """The consequences of some moves."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version of the match."]
    version: Annotated[Version, "Version at the start of the line."]
    seat: Annotated[int | None, "Seat of the view. Null: the view of the public."]
    imagined: Annotated[
        bool, "True if everything hidden from the seat was drawn anew: the match is not revealed."
    ]
    steps: Annotated[list[LineStep], "The moves and their consequences, one after another."]
    refusal: Annotated[LineRefusal | None, "Reason for an early end of the line. Null: none."]
    moves: Annotated[list[Json], "Legal next moves, each with its `seat`."]
    beyond: Annotated[Json, "Legal moves beyond the listed ones, by seat (`seat:0`) and command."]


# `from` is a keyword of Python.
_From = TypedDict("_From", {"from": Annotated[Version, "Version before `changes`."]})


class Diff(_From):
    """Commits between two versions, and the changes of the state as the caller sees it."""

    match: Annotated[MatchId, "The match's id."]
    to: Annotated[Version, "Version after `changes`. It may be the earlier one."]
    commits: Annotated[list[Commit], "The commits in between. Of very many only the first."]
    story: Annotated[list[StoryLine], "The same commits in sentences."]
    changes: Annotated[list[Change], "A JSON Patch from the state at `from` to that at `to`."]


# ---- records and audits --------------------------------------------------------------------


class ChainedCommit(TypedDict):
    """A commit as stored in the journal: content, hash and the visible secret parts."""

    commit: Annotated[Json, "The content."]
    hash: Annotated[str, "SHA-256 of the content in canonical JSON."]
    secrets: Annotated[Json, "The secret parts by audience."]


class RecordLine(TypedDict):
    """A line of a record: a CloudEvents 1.0 event around one commit, in canonical JSON."""

    data: Annotated[ChainedCommit, "The commit."]
    datacontenttype: Annotated[Literal["application/json"], "Always application/json."]
    id: Annotated[str, "Version of the commit."]
    source: Annotated[str, "The path of the match."]
    specversion: Annotated[Literal["1.0"], "Always 1.0."]
    subject: Annotated[str, "The id of the match."]
    time: Annotated[Time, "Time of the commit."]
    type: Annotated[Literal["giornale.commit"], "Always giornale.commit."]


class Imported(TypedDict):
    """A match imported from its record."""

    match: Annotated[MatchId, "The match's id."]
    commits: Annotated[Version, "Number of commits."]


_KeyFrom = TypedDict("_KeyFrom", {"from": Annotated[Time, "Start of the key's use."]})


class Key(_KeyFrom):
    """A public key for checking receipts."""

    id: Annotated[str, "ID of the key in receipts."]
    algorithm: Annotated[Literal["Ed25519"], "Signature algorithm."]
    public: Annotated[Digest, "The 32 bytes of the public key, in hex."]
    until: Annotated[Time | None, "End of use. The key vouches for no later commit. Null: in use."]


class KeyList(TypedDict):
    """All keys, oldest first."""

    keys: Annotated[list[Key], "The keys."]
    log_key: NotRequired[Annotated[str, "The verifier key of the log (C2SP signed-note)."]]


class Fault(TypedDict):
    """The first fault of a history."""

    commit: Annotated[Count, "The faulty commit. 0: the match as a whole."]
    code: Annotated[str, "The reason, for programs."]
    detail: Annotated[str, "The reason in words."]


class Report(TypedDict):
    """The result of an audit."""

    ok: Annotated[bool, "True if nothing is wrong, as far as checked."]
    verdict: Annotated[
        str,
        Form(enum=["right", "partly_checked", "wrong"]),
        "right: all was checked. partly_checked: nothing is wrong, but something "
        "could not be checked. wrong: there is a fault.",
    ]
    wrong: Annotated[Fault | None, "The first fault. Null: none."]
    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version."]
    commits: Annotated[Count, "Number of checked commits."]
    hash: Annotated[Digest, "Hash of the last checked commit."]
    status: Annotated[str, "Phase of the match after the replay. Empty without a whole replay."]
    outcome: Annotated[
        Outcome | None, "The result. Null if there is none, or without a whole replay."
    ]
    redacted: Annotated[bool, "True if secret parts were missing."]
    ended: Annotated[bool, "True if the history is whole: its secrets are revealed."]
    folded: Annotated[Count, "Number of folded commits."]
    decided: Annotated[Count, "Number of folded commits that were decided again."]
    signed: NotRequired[
        Annotated[
            Count, "Number of commits signed by the key of their seat. Left out if there are none."
        ]
    ]
    unchecked: Annotated[list[str], "Unchecked parts, with the reasons."]
    notes: Annotated[list[str], "Notes for people, on points that no check can decide."]


# ---- the service ---------------------------------------------------------------------------


class BodyMistake(TypedDict):
    """A wrong place in the body of a request."""

    pointer: Annotated[str, "JSON pointer into the body (RFC 6901). Empty for the whole body."]
    detail: Annotated[str, "The right form or value."]


class ParameterMistake(TypedDict):
    """A wrong parameter of a request."""

    parameter: Annotated[str, "Name of a query parameter or header."]
    detail: Annotated[str, "The right value."]


class Problem(TypedDict):
    """A problem (RFC 9457). `type` leads to a page about it. The rest depends on the type."""

    type: Annotated[str, "The path of a page about this kind of problem."]
    title: Annotated[str, "Kind of the problem."]
    status: Annotated[int, Form(minimum=400), "The status of the answer."]
    detail: Annotated[str, "The problem this time, and the way out."]
    errors: NotRequired[
        Annotated[
            list[BodyMistake | ParameterMistake], "The wrong places of the request, 20 at most."
        ]
    ]
    more: NotRequired[Annotated[Version, "Number of wrong places beyond those in `errors`."]]
    code: NotRequired[Annotated[str, "The reason, for programs. Only of some kinds of problems."]]
    to_sign: NotRequired[Annotated[str, "Text for the key of the seat to sign (M18)."]]
    commit: NotRequired[Annotated[Count, "The first faulty commit of a record."]]
    rule: NotRequired[Annotated[str, "The number of the rule behind the refusal."]]
    rule_url: NotRequired[Annotated[str, "Address of the rule."]]
    rules: NotRequired[Annotated[str, "The unknown rules, such as calimala/2."]]
    legal_moves: NotRequired[Annotated[str, "Address of the seat's legal moves."]]
    version: NotRequired[Annotated[Version, "Version of the match."]]
    expected: NotRequired[Annotated[Count, "Version in If-Match."]]
    commits: NotRequired[Annotated[list[Commit], "The first commits after `expected`, 20 at most."]]
    commits_url: NotRequired[Annotated[str, "Address of all commits after `expected`."]]
    deleted: NotRequired[Annotated[Time, "Time of the deletion of the match."]]
    log: NotRequired[
        Annotated[LogId | None, "ID of the server's log. Null before its first entry."]
    ]


class Live(TypedDict):
    """The process serves."""

    status: Annotated[str, "ok"]


class Ready(TypedDict):
    """Readiness of the service."""

    status: Annotated[Literal["ok", "unready"], "ok or unready"]
    checks: NotRequired[
        Annotated[TextByName, "Results by check. Without `verbose` only of failed checks."]
    ]
    warnings: NotRequired[
        Annotated[TextByName, "Faults by check. Matches can move on despite them."]
    ]
