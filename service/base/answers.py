"""Answers of the API: the shape of every JSON object that it responds with.

Functions build plain dicts, and mypy compares them with these types. The contract takes its schemas
from here, with the docstrings and the sentences beside fields; `domain.json_types` says how types
are annotated. What depends on the game, such as `State.state`, is some object here: in its place
the contract has a schema for each game.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from domain.json_types import Between, Json, JsonMapping
from domain.story import Part

View = JsonMapping  # JSON that the game describes


class Form:
    """What JSON Schema says of a value beside its type, such as the least number.

    component: the component of the contract that the value is of, "" for none.
    keywords: keywords of JSON Schema.
    """

    def __init__(self, component: str = "", **keywords: object) -> None:
        self.component = component
        self.keywords = keywords


# ---- values that many answers hold ---------------------------------------------------------

Time = Annotated[str, Form(format="date-time")]
Digest = Annotated[str, Form(pattern="^([0-9a-f]{64})?$")]
Count = Annotated[int, Form(minimum=0)]
Version = Annotated[int, Form(minimum=1)]
Chance = Annotated[float, Between(0, 1)]
PlayerId = Annotated[str, Form(pattern="^([0-9a-f]{64}|bot:[a-z]{1,20})$")]
MatchId = Annotated[str, Form("MatchId")]
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

    name: Annotated[str, "Its name."]
    text: Annotated[str, "What it decides."]


class ChoiceOption(Option):
    """An option whose value is one of a few."""

    kind: Annotated[Literal["choice"], "What its values are."]
    default: Annotated[str, "The value if none is given."]
    choices: Annotated[list[str], "The values to choose from."]


class FlagOption(Option):
    """An option that is on or off."""

    kind: Annotated[Literal["flag"], "What its values are."]
    default: Annotated[bool, "The value if none is given."]


class NumberOption(Option):
    """An option whose value is a whole number."""

    kind: Annotated[Literal["number"], "What its values are."]
    default: Annotated[int, "The value if none is given."]
    least: Annotated[int, "The least that it may be."]
    most: Annotated[int, "The most that it may be."]


class DataOption(Option):
    """An option whose value is an object, checked as a whole when a match is opened."""

    kind: Annotated[Literal["data"], "What its values are."]
    default: Annotated[View, Form("OptionData"), "The value if none is given."]


class Level(TypedDict):
    """A level of bots, for players to choose from."""

    level: Annotated[str, "Its name."]
    about: Annotated[str, "How such a bot plays, in a sentence."]


class Game(TypedDict):
    """A game that can be opened."""

    key: Annotated[str, "Its key."]
    title: Annotated[str, "Its name."]
    rules: Annotated[str, "The version of its rules that new matches are played by."]
    rules_url: Annotated[str, "Where its rules are, numbered."]
    seats: Annotated[list[int], "How many seats it takes."]
    options: Annotated[list[Option], "What can be chosen for a match."]
    levels: Annotated[list[str], "The levels of its bots, the weakest first."]
    bots: Annotated[list[Level], "The same levels, described for players."]
    moves: Annotated[list[str], "The types of its moves."]


class GameList(TypedDict):
    """All games."""

    games: Annotated[list[Game], "The games."]


# ---- matches -------------------------------------------------------------------------------


class WaitingFor(TypedDict):
    """Whom the match waits for: the house, or seats, some of them bots'."""

    house: Annotated[bool, "Whether the house must act."]
    seats: Annotated[list[int], "The seats that may act, or owe something before the start (M19)."]
    bots: NotRequired[Annotated[list[int], "Those of them that bots hold."]]


class Seat(TypedDict):
    """Who holds a seat; absent: a bot stands in for its human."""

    seat: Annotated[Count, "The number of the seat."]
    kind: Annotated[SeatKind, "Who holds it."]
    level: NotRequired[Annotated[BotLevel, "The bot's level."]]
    name: NotRequired[Annotated[str, "The human's name."]]
    key: NotRequired[Annotated[Digest, "The key that signs what the human does (M18)."]]
    owes: NotRequired[
        Annotated[
            Literal["pledge", "disclosure"],
            "What the human still owes before the start, until `deadline` (M19).",
        ]
    ]
    absent: NotRequired[Annotated[bool, "True: a bot stands in for its human; otherwise left out."]]
    absent_because: NotRequired[
        Annotated[
            AbsentBecause,
            "Only where a bot stands in: the human's time ran out (M15), the human resigned (M16), "
            "or the owner has replaced them (M8).",
        ]
    ]
    may_return: NotRequired[
        Annotated[
            bool,
            "True: the human may play on by `POST /v1/matches/{match}/return` (M8, M15); "
            "otherwise left out.",
        ]
    ]


class Outcome(TypedDict):
    """The end: points and rank by seat; 1 is best, ranks may be shared."""

    points: Annotated[list[int], "The points of each seat, by seat."]
    ranks: Annotated[list[int], "The rank of each seat, by seat."]
    stood_in_for: NotRequired[
        Annotated[
            list[int],
            "The seats that bots played at the end in place of humans (M8, M15, M16). Left out "
            "if there are none. By match rules 1 without those that the owner replaced.",
        ]
    ]
    resigned: NotRequired[
        Annotated[
            list[int],
            "The seats that resigned, in that order. They rank below all others (M16). Left out if "
            "there are none, and by match rules 1.",
        ]
    ]


class Clock(TypedDict):
    """How much time each seat has (M15)."""

    bank_s: Annotated[int, "How many seconds a bank holds at first, and at most."]
    move_s: Annotated[int, "How many seconds are added after a turn."]
    level: Annotated[BotLevel, "The level of the bots that stand in."]
    left_ms: Annotated[
        list[int], "The milliseconds in each bank when the last commit was made, by seat."
    ]
    paying: Annotated[list[int], "The seats whose time runs since then."]
    due: Annotated[Time | None, "When the first of their banks is empty; null: nobody's time runs."]


class TakeBackAsk(TypedDict):
    """What a seat asks to take back (M17)."""

    seat: Annotated[Count, "Who asks."]
    to: Annotated[Version, "The version to go back to."]
    agreed: Annotated[list[int], "The other seats that agree so far."]


class TakeBack(TypedDict):
    """Which moves can be taken back (M17)."""

    option: Annotated[
        Literal["own", "consent"],
        "own: a seat takes back its own moves of one turn; "
        "consent: all moves can be taken back if all agree.",
    ]
    earliest: Annotated[
        Count, "The earliest version to go back to; 0: nothing can be taken back now."
    ]
    house_at: Annotated[
        list[int], "Versions after `earliest` at which the house acts. Nobody goes back to them."
    ]
    refused: Annotated[
        list[int], "The seats that were refused. They ask nobody before the next move of the game."
    ]
    ask: Annotated[TakeBackAsk | None, "What is asked for; null: nothing."]
    taken_back: Annotated[
        list[int], "The versions whose moves were taken back; all of them stay in the history."
    ]


class Receipt(TypedDict):
    """The server's word that it accepted a commit.

    It is signed with Ed25519 over the canonical JSON of the other fields.
    """

    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Version, "The version that the commit made."]
    hash: Annotated[Digest, "The commit's hash."]
    time: Annotated[Time, "When it was made."]
    key: Annotated[str, "The id of the key."]
    signature: Annotated[str, "The signature, in hex."]


class Beside(TypedDict):
    """What happened to a token or a name without a commit (M13)."""

    at: Annotated[Time, "When it happened."]
    what: Annotated[
        str,
        Form(enum=["token_replaced", "token_revoked", "name_erased"]),
        "What happened.",
    ]
    holder: NotRequired[Annotated[str, "Whose token it was."]]
    seat: NotRequired[Annotated[Count, "Whose name it was."]]


class Origin(TypedDict):
    """When a match was imported, and by whom.

    What its record says of times and players is the word of the record's maker.
    """

    at: Annotated[Time, "When it was imported."]
    by: Annotated[
        str,
        "`command line`, or the first 16 hex digits of the SHA-256 of the operator's token.",
    ]


class ForkedFrom(TypedDict):
    """What a fork, which is not rated, goes on from (M21)."""

    match: Annotated[MatchId, "The base."]
    version: Annotated[Version, "Its version."]


class Match(TypedDict):
    """What a match is and where it stands."""

    id: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version it is played by, for ever."]
    match_rules: Annotated[Version, "Number of its match rules (M1)."]
    options: Annotated[Json, "The options it is played with, for ever."]
    visibility: Annotated[Visibility, "Who may see it."]
    advice: Annotated[bool, "Whether humans may ask for advice (M14)."]
    status: Annotated[MatchStatus, "Where the match stands."]
    version: Annotated[Version, "How many commits were made."]
    hash: Annotated[Digest, "The hash of the last commit."]
    created: Annotated[Time, "When it was opened."]
    updated: Annotated[Time, "When the last commit was made."]
    waiting_for: Annotated[WaitingFor, "Whom the match waits for."]
    seats: Annotated[list[Seat], "Who holds each seat."]
    commitment: Annotated[Digest, "SHA-256 of the secret behind every draw (M10)."]
    outcome: Annotated[Outcome | None, "The end; null: there is none yet."]
    clock: NotRequired[Annotated[Clock, "Only of a match with a clock (M15)."]]
    take_back: NotRequired[
        Annotated[TakeBack, "Only of a match in which moves can be taken back (M17)."]
    ]
    receipt: NotRequired[Annotated[Receipt, "The server's word for the last commit."]]
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
        Annotated[Origin, "Only of a match that was played elsewhere and imported."]
    ]
    deadline: NotRequired[
        Annotated[Time, "Until when seats owe a pledge or a disclosure; only while some do (M19)."]
    ]
    rematch: NotRequired[Annotated[MatchId, "The match that follows this one (M20)."]]
    rematch_of: NotRequired[Annotated[MatchId, "The match that this one follows (M20)."]]
    joint_entropy: NotRequired[
        Annotated[bool, "True: the humans draw together (M19); otherwise left out."]
    ]
    forked_from: NotRequired[Annotated[ForkedFrom, "Only of a fork."]]


class OpenedMatch(Match):
    """A new match with its tokens, which no later answer shows."""

    tokens: Annotated[
        TextByName,
        "Bearer tokens by whose they are: owner, spectator, invitation, seat:0, seat:1, ...",
    ]


class MatchSummary(TypedDict):
    """What a list says of a match."""

    id: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    visibility: Annotated[Visibility, "Who may see it."]
    advice: Annotated[bool, "Whether humans may ask for advice (M14)."]
    status: Annotated[MatchStatus, "Where the match stands."]
    version: Annotated[Version, "How many commits were made."]
    created: Annotated[Time, "When it was opened."]
    updated: Annotated[Time, "When the last commit was made."]
    waiting_for: Annotated[WaitingFor, "Whom the match waits for."]
    deadline: Annotated[
        Time | None,
        "When the first seat's time runs out (M15, M19); null: nobody's time runs.",
    ]
    seats: Annotated[list[Seat], "Who holds each seat."]
    outcome: Annotated[
        Outcome | None, "The end; null without one, and of matches that ended before lists told it."
    ]
    rematch_of: NotRequired[
        Annotated[
            MatchId,
            "The match that this one follows; open seats are kept for those who played it (M20).",
        ]
    ]
    joint_entropy: NotRequired[
        Annotated[bool, "True: the humans draw together (M19); otherwise left out."]
    ]
    forked_from: NotRequired[Annotated[ForkedFrom, "Only of a fork."]]
    imported: NotRequired[
        Annotated[Time, "When it was imported; only of a match played elsewhere."]
    ]


class MatchList(TypedDict):
    """A page of matches, newest first; the header Link leads to older ones."""

    matches: Annotated[list[MatchSummary], "The matches."]


# ---- players -------------------------------------------------------------------------------


class Rating(TypedDict):
    """The strength of a player at a game, by the model that the ladder names."""

    mean: Annotated[float, "How good; a beginner has 25."]
    uncertainty: Annotated[float, "The standard deviation of that."]
    ordinal: Annotated[float, "The mean less three of those; the ladder is ordered by it."]
    matches: Annotated[Version, "How many matches were rated."]


class LadderPlace(TypedDict):
    """A player on a ladder."""

    place: Annotated[Version, "From 1; equal players share it."]
    player: Annotated[PlayerId, "A public key, or `bot:` and a level."]
    name: Annotated[str | None, "The name last given; null: none is kept."]
    rating: Annotated[Rating, "The rating."]


class MatchNews(TypedDict):
    """How a match stands for the holder of a token, distinguished by `event`.

    turn: the token's seat must act. waiting: it need not. take_back: its consent is awaited to go
    back to the version `to`; whether it must act follows. ended: the match is over. gone: the token
    is not, or no longer, a token of a match. rewritten: the server has lost commits that it had
    reported; how the match stands now follows. presence: which seats are `here`, for seats alone.
    """

    event: Annotated[MatchEvent, "What there is to know."]
    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Count, "The version of the match; 0 if it is gone."]
    seat: Annotated[int | None, "The token's seat; null for a token of no seat."]
    status: NotRequired[Annotated[MatchStatus, "Where the match stands."]]
    waiting_for: NotRequired[Annotated[WaitingFor, "Whom the match waits for."]]
    deadline: NotRequired[
        Annotated[
            Time | None,
            "When the first seat's time runs out (M15, M19); null: nobody's time runs.",
        ]
    ]
    outcome: NotRequired[
        Annotated[Outcome | None, "The end; null: the match ended without one (M7, M11)."]
    ]
    here: NotRequired[
        Annotated[list[int], "Of `presence`: the seats that followed it in the last 3 minutes."]
    ]
    to: NotRequired[Annotated[Version, "Of `take_back`: the version to go back to."]]
    id: NotRequired[Annotated[str, "Of a line: what to send as Last-Event-ID to go on after it."]]


class Token(TypedDict):
    """A new token in place of an old one."""

    holder: Annotated[str, "Whose token it is."]
    token: Annotated[str, "The bearer token."]


# ---- play ----------------------------------------------------------------------------------


class State(TypedDict):
    """The match at a version, as the caller may see it."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    version: Annotated[Version, "The version that is shown."]
    time: Annotated[Time, "When that version was made."]
    hash: Annotated[Digest, "The hash of the commit that made it."]
    status: Annotated[MatchStatus, "Where the match stands."]
    waiting_for: Annotated[WaitingFor, "Whom the match waits for."]
    seat: Annotated[int | None, "Whose view it is; null: anybody's."]
    state: Annotated[View | None, "The game as the caller may see it; null before the start."]
    known: Annotated[
        View | None,
        "What everybody knows who has followed the match, and no state shows; null before the "
        "start. No commit holds a digest of it.",
    ]
    clock: NotRequired[
        Annotated[Clock, "As it was at that version; only of a match with a clock (M15)."]
    ]
    take_back: NotRequired[
        Annotated[TakeBackAsk, "Only while a seat asks to take moves back (M17)."]
    ]
    outcome: NotRequired[
        Annotated[
            Outcome,
            "The result of the match, only after the end of its game. It counts, not the ranks in "
            "`state`: those are the game's, and a seat that has resigned ranks last (M16).",
        ]
    ]


class StateList(TypedDict):
    """A page of the states of a match, oldest first; the header Link leads on."""

    match: Annotated[MatchId, "The match's id."]
    states: Annotated[list[State], "The states, one for each version."]


class LegalMoves(TypedDict):
    """What the caller's seat may do now, each move as it may be posted."""

    game: Annotated[str, "The game's key."]
    version: Annotated[Version, "The version that they belong to."]
    waiting_for: Annotated[WaitingFor, "Whom the match waits for."]
    moves: Annotated[list[Json], "The moves; [] if it may not act."]
    beyond: Annotated[
        View, "By command: what is legal beyond the listed moves, in the game's own terms."
    ]
    seat: Annotated[
        int | None, "Whose moves they are; null: no seat's token was sent, so there are none."
    ]


class Candidate(TypedDict):
    """A move that was weighed."""

    move: Annotated[Move, "The move, as it may be posted."]
    win_chance: Annotated[
        Chance | None,
        "How likely its seat wins after it, as the bot estimates, 0 to 1; null: it is not weighed.",
    ]


# ---- history -------------------------------------------------------------------------------


class Heading(TypedDict):
    """What a sentence begins."""

    part: Annotated[str, Form(enum=[part.value for part in Part]), "Which part of the match."]
    title: Annotated[str, "The heading."]


class Sentence(TypedDict):
    """An event in English."""

    text: Annotated[str, "A sentence, or several where one would be too long."]
    rules: Annotated[list[str], "The rules that decided what happened."]
    heading: NotRequired[Annotated[Heading, "Only where something begins."]]


class StoryLine(TypedDict):
    """A commit in sentences."""

    version: Annotated[Version, "The version that it made."]
    time: Annotated[Time, "When it was made."]
    actor: Annotated[str, "Who made it."]
    command: Annotated[str, "The type of its command."]
    sentences: Annotated[list[Sentence], "One for each event."]
    taken_back: NotRequired[
        Annotated[bool, "True: its moves were taken back since (M17); otherwise left out."]
    ]
    signed: NotRequired[
        Annotated[bool, "Of a seat with a key: whether it has signed this (M18); else left out."]
    ]


class Story(TypedDict):
    """A page of the story, oldest first."""

    match: Annotated[MatchId, "The match's id."]
    lines: Annotated[list[StoryLine], "One for each commit."]


class RewrittenMatch(TypedDict):
    """How far a match has gone back with its journal. The stream ends with it."""

    version: Annotated[Version, "The match's version now."]


class Commit(TypedDict):
    """One accepted command with the events that it caused, as the caller may see them."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version it was made by."]
    version: Annotated[Version, "The version that it made."]
    time: Annotated[Time, "When it was made."]
    actor: Annotated[str, "Who made it: seat:N, house, owner, or public for who joined."]
    command: Annotated[Json, "What was asked."]
    events: Annotated[list[Json], "What happened, in this order."]
    hash: Annotated[Digest, "Its own hash."]
    prev: Annotated[Digest, "The hash of the commit before it."]
    signature: NotRequired[
        Annotated[str, "That of its seat's key, as the caller may see it (M18)."]
    ]
    receipt: NotRequired[
        Annotated[Receipt, "In the answer to its maker, and where one commit is asked for."]
    ]


class CommitList(TypedDict):
    """A page of the history, oldest first; the header Link leads on and back."""

    commits: Annotated[list[Commit], "The commits."]


class Joined(TypedDict):
    """A seat taken, and its token, which no later answer shows."""

    seat: Annotated[Count, "The number of the seat."]
    token: Annotated[str, "The bearer token of the seat."]
    commit: Annotated[Commit, "The commit in which the seat was taken."]


class Change(TypedDict):
    """One operation of a JSON Patch (RFC 6902); `was` is what is replaced or removed."""

    op: Annotated[Literal["add", "remove", "replace"], "What to do."]
    path: Annotated[str, "A JSON pointer into the state."]
    value: NotRequired[
        Annotated[Any, "What stands there afterwards, any JSON value; left out by `remove`."]
    ]
    was: NotRequired[Annotated[Any, "What stood there before, any JSON value; left out by `add`."]]


class Foretold(TypedDict):
    """What a preview says of an event beside the event itself."""

    sentence: Annotated[Sentence, "The event in words, without what chance would decide."]
    drawn: NotRequired[
        Annotated[
            list[str],
            "The fields that chance would decide, which are left out; only where there are any.",
        ]
    ]
    changes: NotRequired[
        Annotated[
            list[Change],
            "What the event changes in the state as the caller sees it: a JSON Patch (RFC 6902), "
            "to be applied to the state after the event before. Left out from the first event on "
            "that chance would decide: what would change from there on is not known.",
        ]
    ]


class Preview(TypedDict):
    """What a move would cause."""

    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version that the match is played by."]
    version: Annotated[Version, "The version that it was tried at."]
    events: Annotated[
        list[Json], "The events, each with what it would change as far as that is known."
    ]
    dry_run: Annotated[bool, "True: nothing was committed."]


class LineStep(TypedDict):
    """A move of a line, or what the house does in between, with what it would cause."""

    move: Annotated[int | None, "Which of the line's moves, 0 for the first; null: the house acts."]
    events: Annotated[
        list[Json],
        "What happens, each event with a `sentence`; `drawn`: the fields that the seed decided.",
    ]
    waiting_for: Annotated[list[int], "The seats that are to act next; [] at the end."]
    state: Annotated[View, "The game after it, as the onlooker may see it."]


class LineRefusal(TypedDict):
    """Why a line ends before its last move."""

    move: Annotated[Count, "Which of the moves is refused, 0 for the first."]
    code: Annotated[str, "The reason, for programs."]
    rule: Annotated[str, "The number of the rule."]
    detail: Annotated[str, "The reason in words, and what would be legal."]


class Line(TypedDict):
    """What would follow if some moves were made."""

    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version that the match is played by."]
    version: Annotated[Version, "The version that the line begins at."]
    seat: Annotated[int | None, "Whose eyes it is seen with; null: anybody's."]
    imagined: Annotated[
        bool, "Whether all that the seat cannot see was drawn anew: the match has not ended."
    ]
    steps: Annotated[list[LineStep], "What is done, and what it causes, one after another."]
    refusal: Annotated[LineRefusal | None, "Why the line ends early; null: it does not."]
    moves: Annotated[list[Json], "What may be done next, each move with its `seat`."]
    beyond: Annotated[Json, "By seat and command: what is legal beyond them."]


# `from` is a keyword of Python.
_From = TypedDict("_From", {"from": Annotated[Version, "The version that `changes` lead from."]})


class Diff(_From):
    """What happened between two versions, and how the state that the caller sees changed."""

    match: Annotated[MatchId, "The match's id."]
    to: Annotated[Version, "The version that `changes` lead to; it may be the earlier one."]
    commits: Annotated[list[Commit], "The commits in between, the first of very many."]
    story: Annotated[list[StoryLine], "The same commits in sentences."]
    changes: Annotated[list[Change], "A JSON Patch that makes the state at `to` of that at `from`."]


# ---- records and audits --------------------------------------------------------------------


class ChainedCommit(TypedDict):
    """A commit as the journal holds it: content, hash, and the secret parts that may be seen."""

    commit: Annotated[Json, "The content."]
    hash: Annotated[str, "SHA-256 of the content in canonical JSON."]
    secrets: Annotated[Json, "The secret parts, by whose they are."]


class RecordLine(TypedDict):
    """A line of a record: a CloudEvents 1.0 event around one commit, in canonical JSON."""

    data: Annotated[ChainedCommit, "The commit."]
    datacontenttype: Annotated[Literal["application/json"], "Always application/json."]
    id: Annotated[str, "The version that the commit made."]
    source: Annotated[str, "The path of the match."]
    specversion: Annotated[Literal["1.0"], "Always 1.0."]
    subject: Annotated[str, "The id of the match."]
    time: Annotated[Time, "When the commit was made."]
    type: Annotated[Literal["giornale.commit"], "Always giornale.commit."]


class Imported(TypedDict):
    """A match taken in from its record."""

    match: Annotated[MatchId, "The match's id."]
    commits: Annotated[Version, "How many commits it has."]


_KeyFrom = TypedDict("_KeyFrom", {"from": Annotated[Time, "When it came into use."]})


class Key(_KeyFrom):
    """A public key that receipts are checked against."""

    id: Annotated[str, "What receipts call it."]
    algorithm: Annotated[Literal["Ed25519"], "How it signs."]
    public: Annotated[Digest, "The 32 bytes of the public key, in hex."]
    until: Annotated[Time | None, "It vouches for no commit made later; null: in use."]


class KeyList(TypedDict):
    """All keys, oldest first."""

    keys: Annotated[list[Key], "The keys."]
    log: NotRequired[Annotated[str, "The verifier key of the log (C2SP signed-note)."]]


class Fault(TypedDict):
    """The first thing wrong with a history."""

    commit: Annotated[Count, "The commit that is wrong, 0 for the match as a whole."]
    code: Annotated[str, "What is wrong, for programs."]
    detail: Annotated[str, "What is wrong."]


class Report(TypedDict):
    """What an audit found."""

    ok: Annotated[bool, "Whether nothing is wrong, as far as it was checked."]
    verdict: Annotated[
        str,
        Form(enum=["right", "partly_checked", "wrong"]),
        "right: all was checked; partly_checked: all that could be checked is right; wrong.",
    ]
    wrong: Annotated[Fault | None, "What is wrong; null: nothing is."]
    match: Annotated[MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    rules: Annotated[str, "The rules version."]
    commits: Annotated[Count, "How many commits were checked."]
    hash: Annotated[Digest, "The hash of the last one."]
    status: Annotated[str, "Where the match stands, as worked out; empty if it could not be."]
    outcome: Annotated[Outcome | None, "The end; null: there is none yet."]
    redacted: Annotated[bool, "Whether secret parts were missing."]
    ended: Annotated[bool, "Whether the history is whole: its secrets are revealed."]
    folded: Annotated[Count, "How many commits were folded."]
    decided: Annotated[Count, "How many of them were decided again."]
    signed: NotRequired[
        Annotated[Count, "How many are signed by the key of their seat; left out if none."]
    ]
    unchecked: Annotated[list[str], "What could not be checked, why."]
    notes: Annotated[list[str], "What no check can tell, for people."]


# ---- agents --------------------------------------------------------------------------------


# ---- the service ---------------------------------------------------------------------------


class Place(TypedDict):
    """One wrong place of a request."""

    pointer: Annotated[
        str, "A JSON pointer into the body. Beside `parameter`: ?name or a header; it will go."
    ]
    parameter: NotRequired[Annotated[str, "A query parameter or a header."]]
    detail: Annotated[str, "What would be right there."]


class Problem(TypedDict):
    """What went wrong (RFC 9457); `type` leads to a page about it. The rest depends on the type."""

    type: Annotated[str, "The path of a page about this kind of problem."]
    title: Annotated[str, "What kind of problem it is."]
    status: Annotated[int, Form(minimum=400), "The status of the answer."]
    detail: Annotated[str, "What went wrong this time, and what would be right."]
    errors: NotRequired[Annotated[list[Place], "The wrong places of the request, 20 at most."]]
    more: NotRequired[
        Annotated[Version, "How many more places are wrong, beyond those in `errors`."]
    ]
    code: NotRequired[
        Annotated[str, "Why a move is refused, or what is wrong with a record, for programs."]
    ]
    to_sign: NotRequired[Annotated[str, "What the key of the seat is to sign (M18)."]]
    commit: NotRequired[Annotated[Count, "The first commit of a record that is wrong."]]
    rule: NotRequired[Annotated[str, "The number of the broken rule."]]
    rule_url: NotRequired[Annotated[str, "Where the rule is."]]
    legal_moves: NotRequired[Annotated[str, "Where to find what the seat may do."]]
    version: NotRequired[Annotated[Version, "Where the match is."]]
    expected: NotRequired[Annotated[Count, "The version that If-Match named."]]
    commits: NotRequired[Annotated[list[Commit], "What has happened since, the first."]]
    commits_url: NotRequired[Annotated[str, "Where to find all that has happened since."]]


class Live(TypedDict):
    """The process serves."""

    status: Annotated[str, "ok"]


class Ready(TypedDict):
    """Whether matches can move on."""

    status: Annotated[Literal["ok", "unready"], "ok or unready"]
    checks: NotRequired[Annotated[TextByName, "What fails, by what was checked."]]
    warnings: NotRequired[
        Annotated[TextByName, "What is slow or missing, although matches can move on."]
    ]
