"""Answers about games: what can be played, with which options."""

from marshmallow import fields, validate

from domain.story import Part
from service.api.contract.schemas import fields as schema_fields
from service.api.contract.schemas.fields import Answer
from service.journal.values import VISIBILITIES
from service.matches import bots
from service.matches import bots as match_bots

# §§§ service.api.contract.schemas.answers


def _option_kind(kind: str) -> fields.String:
    return schema_fields.one_word("What its values are.", (kind,))


class OptionSchema(Answer):
    """An option of a game, told apart by `kind`."""

    name = schema_fields.text("Its name.")
    text = schema_fields.text("What it decides.")


class ChoiceOptionSchema(OptionSchema):
    """An option whose value is one of a few."""

    kind = _option_kind("choice")
    default = schema_fields.text("The value if none is given.")
    choices = schema_fields.texts("The values to choose from.")


class FlagOptionSchema(OptionSchema):
    """An option that is on or off."""

    kind = _option_kind("flag")
    default = schema_fields.flag("The value if none is given.")


class NumberOptionSchema(OptionSchema):
    """An option whose value is a whole number."""

    kind = _option_kind("number")
    default = schema_fields.number("The value if none is given.")
    least = schema_fields.number("The least that it may be.")
    most = schema_fields.number("The most that it may be.")


class DataOptionSchema(OptionSchema):
    """An option whose value is an object, checked as a whole when a match is opened."""

    kind = _option_kind("data")
    default = schema_fields.component("OptionData", "The value if none is given.")


class LevelSchema(Answer):
    """A level of bots, for players to choose from."""

    level = schema_fields.text("Its name.")
    about = schema_fields.text("How such a bot plays, in a sentence.")


class GameSchema(Answer):
    """A game that can be opened."""

    key = schema_fields.text("Its key.")
    title = schema_fields.text("Its name.")
    rules = schema_fields.text("The version of its rules that new matches are played by.")
    rules_url = schema_fields.text("Where its rules are, numbered.")
    seats = schema_fields.numbers("How many seats it takes.")
    options = schema_fields.components("Option", "What can be chosen for a match.")
    levels = schema_fields.texts("The levels of its bots, the weakest first.")
    bots = schema_fields.many(LevelSchema, "The same levels, described for players.")
    moves = schema_fields.texts("The types of its moves.")


class GameListSchema(Answer):
    """All games."""

    games = schema_fields.many(GameSchema, "The games.")


# §§§ service.api.contract.schemas.answers
# Answers about a match as a whole: what it is, who sits where, its tokens.


class WaitingForSchema(Answer):
    """Whom the match waits for: the house, or seats, some of them bots'."""

    house = schema_fields.flag("Whether the house must act.")
    seats = schema_fields.numbers("The seats that may act.")
    bots = schema_fields.numbers("Those of them that bots hold.", required=False)


class SeatSchema(Answer):
    """Who holds a seat; absent: a bot stands in for its human."""

    seat = schema_fields.count("The number of the seat.")
    kind = schema_fields.one_word("Who holds it.", ("human", "bot", "open"))
    level = schema_fields.one_word("The bot's level.", match_bots.NAMES, required=False)
    name = schema_fields.text("The human's name.", required=False)
    absent = schema_fields.flag(
        "True: a bot stands in for its human; otherwise left out.", required=False
    )


class OutcomeSchema(Answer):
    """The end: points and rank by seat; 1 is best, ranks may be shared."""

    points = schema_fields.numbers("The points of each seat, by seat.")
    ranks = schema_fields.numbers("The rank of each seat, by seat.")


class ReceiptSchema(Answer):
    """The server's word that it accepted a commit, signed with Ed25519 over the canonical JSON of
    the other fields.
    """

    match = schema_fields.match_id()
    version = schema_fields.count("The version that the commit made.", 1)
    hash = schema_fields.digest("The commit's hash.")
    time = schema_fields.time("When it was made.")
    key = schema_fields.text("The id of the key.")
    signature = schema_fields.text("The signature, in hex.")


class BesideSchema(Answer):
    """What happened to a token or a name without a commit (M13)."""

    at = schema_fields.time("When it happened.")
    what = schema_fields.one_word(
        "What happened.", ("token_replaced", "token_revoked", "name_erased")
    )
    holder = schema_fields.text("Whose token it was.", required=False)
    seat = schema_fields.count("Whose name it was.", required=False)


class OriginSchema(Answer):
    """When a match was imported, and by whom: what its record says of times and players is its
    maker's word.
    """

    at = schema_fields.time("When it was imported.")
    by = schema_fields.text(
        "`command line`, or the first 16 hex digits of the SHA-256 of the operator's token."
    )


class MatchSchema(Answer):
    """What a match is and where it stands."""

    id = schema_fields.match_id()
    game = schema_fields.text("The game's key.")
    rules = schema_fields.text("The rules version it is played by, for ever.")
    options = schema_fields.an_object("The options it is played with, for ever.")
    visibility = schema_fields.one_word("Who may see it.", VISIBILITIES)
    advice = schema_fields.flag("Whether humans may ask for advice (M14).")
    status = schema_fields.match_status()
    version = schema_fields.count("How many commits were made.", 1)
    hash = schema_fields.digest("The hash of the last commit.")
    created = schema_fields.time("When it was opened.")
    updated = schema_fields.time("When the last commit was made.")
    waiting_for = schema_fields.nested(WaitingForSchema, "Whom the match waits for.")
    seats = schema_fields.many(SeatSchema, "Who holds each seat.")
    commitment = schema_fields.digest("SHA-256 of the secret behind every draw (M10).")
    outcome = schema_fields.nested(
        OutcomeSchema, "The end; null: there is none yet.", allow_none=True
    )
    receipt = schema_fields.nested(
        ReceiptSchema, "The server's word for the last commit.", required=False
    )
    changes = schema_fields.many(
        BesideSchema,
        "Tokens replaced or revoked and names erased without a commit, the last 20.",
        required=False,
    )
    imported = schema_fields.nested(
        OriginSchema,
        "Only of a match that was played elsewhere and imported.",
        required=False,
    )


class OpenedMatchSchema(MatchSchema):
    """A new match with its tokens, which are told this once."""

    tokens = schema_fields.texts_by_name(
        "Bearer tokens by whose they are: owner, spectator, invitation, seat:0, seat:1, ..."
    )


class MatchSummarySchema(Answer):
    """What a list says of a match."""

    id = schema_fields.match_id()
    game = schema_fields.text("The game's key.")
    visibility = schema_fields.one_word("Who may see it.", VISIBILITIES)
    advice = schema_fields.flag("Whether humans may ask for advice (M14).")
    status = schema_fields.match_status()
    version = schema_fields.count("How many commits were made.", 1)
    created = schema_fields.time("When it was opened.")
    updated = schema_fields.time("When the last commit was made.")
    waiting_for = schema_fields.nested(WaitingForSchema, "Whom the match waits for.")
    seats = schema_fields.many(SeatSchema, "Who holds each seat.")
    imported = schema_fields.time(
        "When it was imported; only of a match played elsewhere.", required=False
    )


class MatchListSchema(Answer):
    """A page of matches, newest first; the header Link leads to older ones."""

    matches = schema_fields.many(MatchSummarySchema, "The matches.")


class TokenSchema(Answer):
    """A new token in place of an old one."""

    holder = schema_fields.text("Whose token it is.")
    token = schema_fields.text("The bearer token.")


# §§§ service.api.contract.schemas.answers
# Answers about play: states, commits, legal moves, previews and differences.


class StateSchema(Answer):
    """The match at a version, as the caller may see it."""

    match = schema_fields.match_id()
    game = schema_fields.text("The game's key.")
    version = schema_fields.count("The version that is shown.", 1)
    time = schema_fields.time("When that version was made.")
    hash = schema_fields.digest("The hash of the commit that made it.")
    status = schema_fields.match_status()
    waiting_for = schema_fields.nested(WaitingForSchema, "Whom the match waits for.")
    seat = schema_fields.number("Whose view it is; null: anybody's.", allow_none=True)
    state = schema_fields.an_object(
        "The game as the caller may see it; null before the start.", allow_none=True
    )
    known = schema_fields.an_object(
        "What everybody knows who has followed the match, and no state shows; null before the "
        "start. No commit holds a digest of it.",
        allow_none=True,
    )


class StateListSchema(Answer):
    """A page of the states of a match, oldest first; the header Link leads on."""

    match = schema_fields.match_id()
    states = schema_fields.components("State", "The states, one for each version.")


class HeadingSchema(Answer):
    """What a sentence begins."""

    part = schema_fields.one_word("Which part of the match.", tuple(part.value for part in Part))
    title = schema_fields.text("The heading.")


class SentenceSchema(Answer):
    """An event in English."""

    text = schema_fields.text("A sentence, or several where one would be too long.")
    rules = schema_fields.texts("The rules that decided what happened.")
    heading = schema_fields.nested(HeadingSchema, "Only where something begins.", required=False)


class StoryLineSchema(Answer):
    """A commit, told."""

    version = schema_fields.count("The version that it made.", 1)
    time = schema_fields.time("When it was made.")
    actor = schema_fields.text("Who made it.")
    sentences = schema_fields.many(SentenceSchema, "One for each event.")


class StorySchema(Answer):
    """A page of the story, oldest first."""

    match = schema_fields.match_id()
    lines = schema_fields.many(StoryLineSchema, "One for each commit.")


class CommitSchema(Answer):
    """One accepted command with the events that it caused, as the caller may see them."""

    match = schema_fields.match_id()
    version = schema_fields.count("The version that it made.", 1)
    time = schema_fields.time("When it was made.")
    actor = schema_fields.text("Who made it: seat:N, house, owner, or public for whoever joined.")
    command = schema_fields.component("Command", "What was asked.")
    events = schema_fields.components("Event", "What happened, in this order.")
    hash = schema_fields.digest("Its own hash.")
    prev = schema_fields.digest("The hash of the commit before it.")
    receipt = schema_fields.nested(
        ReceiptSchema,
        "In the answer to whoever made it, and where one commit is asked for.",
        required=False,
    )


class CommitListSchema(Answer):
    """A page of the history, oldest first; the header Link leads on and back."""

    commits = schema_fields.many(CommitSchema, "The commits.")


class LegalMovesSchema(Answer):
    """What the caller's seat may do now, each move as it may be posted."""

    game = schema_fields.text("The game's key.")
    version = schema_fields.count("The version that they belong to.", 1)
    waiting_for = schema_fields.nested(WaitingForSchema, "Whom the match waits for.")
    moves = schema_fields.components("Move", "The moves; [] if it may not act.")
    beyond = schema_fields.an_object(
        "By command: what is legal beyond the listed moves, in the game's own terms."
    )
    seat = schema_fields.number(
        "Whose moves they are; null: no seat's token was sent, so there are none.",
        allow_none=True,
    )


class PreviewSchema(Answer):
    """What a move would cause."""

    version = schema_fields.count("The version that it was tried at.", 1)
    events = schema_fields.components(
        "PreviewedEvent",
        "The events, each with what it would change as far as that is known.",
    )
    dry_run = schema_fields.flag("True: nothing was committed.")


class ChangeSchema(Answer):
    """One operation of a JSON Patch (RFC 6902); `was` is what is replaced or removed."""

    op = schema_fields.one_word("What to do.", ("add", "remove", "replace"))
    path = schema_fields.text("A JSON pointer into the state.")
    value = schema_fields.anything(
        "What stands there afterwards, any JSON value; left out by `remove`."
    )
    was = schema_fields.anything("What stood there before, any JSON value; left out by `add`.")


class ForetoldSchema(Answer):
    """What a preview says of an event beside the event itself."""

    sentence = schema_fields.nested(
        SentenceSchema, "The event, told without what chance would decide."
    )

    drawn = schema_fields.texts(
        "The fields that chance would decide, which are left out; only where there are any.",
        required=False,
    )
    changes = schema_fields.many(
        ChangeSchema,
        "What the event changes in the state as the caller sees it: a JSON Patch (RFC 6902), to be "
        "applied to the state after the event before. Left out from the first event on that chance "
        "would decide: what would change from there on is not known.",
        required=False,
    )


class CandidateSchema(Answer):
    """A move that was weighed."""

    move = schema_fields.component("Move", "The move, as it may be posted.")
    win_chance = schema_fields.chance(
        "How likely its seat wins after it, as the bot estimates, 0 to 1; null: it is not weighed.",
        allow_none=True,
    )


class ThoughtSchema(Answer):
    """What a bot has thought before a move."""

    version = schema_fields.count("The version that the move made.", 1)
    seat = schema_fields.count("Whose move it was.")
    level = schema_fields.one_word("The level of the bot.", bots.NAMES)
    iterations = schema_fields.count("How often the bot has played on in its head.")
    best = schema_fields.many(
        CandidateSchema, "The best moves that it weighed, the one it made first."
    )


class ThoughtListSchema(Answer):
    """A page of thoughts, oldest first; the header Link leads on."""

    thoughts = schema_fields.many(ThoughtSchema, "The thoughts.")


class AdviceSchema(Answer):
    """What a strong bot would do on the caller's seat; it thinks until `status` is ready."""

    match = schema_fields.match_id()
    version = schema_fields.count("The version that it is for.", 1)
    seat = schema_fields.count("Whose advice it is.")
    level = schema_fields.one_word("The level of the bot.", bots.NAMES)
    status = schema_fields.one_word("How far it is.", ("thinking", "ready"))
    iterations = schema_fields.count("How often the bot has played on in its head.")
    best = schema_fields.many(
        CandidateSchema, "The best moves, the one to make first; [] until ready."
    )


class DiffSchema(Answer):
    """What changed between two versions: what happened, and how the state that the caller sees
    changed.
    """

    match = schema_fields.match_id()
    from_ = schema_fields.count("The version that `changes` lead from.", 1, data_key="from")
    to = schema_fields.count("The version that `changes` lead to; it may be the earlier one.", 1)
    commits = schema_fields.many(CommitSchema, "The commits in between, the first of very many.")
    story = schema_fields.many(StoryLineSchema, "The same commits, told.")
    changes = schema_fields.many(
        ChangeSchema, "A JSON Patch that makes the state at `to` of that at `from`."
    )


class JoinedSchema(Answer):
    """A seat taken, and its token, which is told this once."""

    seat = schema_fields.count("The number of the seat.")
    token = schema_fields.text("The bearer token of the seat.")
    commit = schema_fields.nested(CommitSchema, "The commit in which the seat was taken.")


# §§§ service.api.contract.schemas.answers
# Answers about the service: problems, keys, audits, health.


class PlaceSchema(Answer):
    """One wrong place of a request."""

    pointer = schema_fields.text(
        "A JSON pointer into the body. Beside `parameter`: ?name or a header; it will go."
    )
    parameter = schema_fields.text("A query parameter or a header.", required=False)
    detail = schema_fields.text("What would be right there.")


class ProblemSchema(Answer):
    """What went wrong (RFC 9457); `type` leads to a page about it. The rest depends on the type."""

    type = schema_fields.text("The path of a page about this kind of problem.")
    title = schema_fields.text("What kind of problem it is.")
    status = schema_fields.count("The status of the answer.", 400)
    detail = schema_fields.text("What went wrong this time, and what would be right.")
    errors = schema_fields.many(
        PlaceSchema, "The wrong places of the request, 20 at most.", required=False
    )
    more = schema_fields.count(
        "How many more places are wrong, beyond those in `errors`.", 1, required=False
    )
    code = schema_fields.text(
        "Why a move is illegal, or what is wrong with a record, for programs.", required=False
    )
    commit = schema_fields.count("The first commit of a record that is wrong.", required=False)
    rule = schema_fields.text("The number of the broken rule.", required=False)
    rule_url = schema_fields.text("Where the rule is.", required=False)
    legal_moves = schema_fields.text("Where to find what the seat may do.", required=False)
    version = schema_fields.count("Where the match is.", 1, required=False)
    expected = schema_fields.count("The version that If-Match named.", required=False)
    commits = schema_fields.many(
        CommitSchema, "What has happened since, the first.", required=False
    )
    commits_url = schema_fields.text("Where to find all that has happened since.", required=False)


class KeySchema(Answer):
    """A public key that receipts are checked against."""

    id = schema_fields.text("What receipts call it.")
    algorithm = schema_fields.text("How it signs.", validate=validate.Equal("Ed25519"))
    public = schema_fields.digest("The 32 bytes of the public key, in hex.")
    from_ = schema_fields.time("When it came into use.", data_key="from")
    until = schema_fields.time(
        "It vouches for no commit made later; null: in use.", allow_none=True
    )


class KeyListSchema(Answer):
    """All keys, oldest first."""

    keys = schema_fields.many(KeySchema, "The keys.")


class FaultSchema(Answer):
    """The first thing wrong with a history."""

    commit = schema_fields.count("The commit that is wrong, 0 for the match as a whole.")
    code = schema_fields.text("What is wrong, for programs.")
    detail = schema_fields.text("What is wrong.")


class ReportSchema(Answer):
    """What an audit found."""

    ok = schema_fields.flag("Whether nothing is wrong, as far as it was checked.")
    verdict = schema_fields.one_word(
        "right: all was checked; partly_checked: all that could be checked is right; wrong.",
        ("right", "partly_checked", "wrong"),
    )
    wrong = schema_fields.nested(FaultSchema, "What is wrong; null: nothing is.", allow_none=True)
    match = schema_fields.match_id()
    game = schema_fields.text("The game's key.")
    rules = schema_fields.text("The rules version.")
    commits = schema_fields.count("How many commits were checked.")
    hash = schema_fields.digest("The hash of the last one.")
    status = schema_fields.text("Where the match stands, as worked out; empty if it could not be.")
    outcome = schema_fields.nested(
        OutcomeSchema, "The end; null: there is none yet.", allow_none=True
    )
    redacted = schema_fields.flag("Whether secret parts were missing.")
    ended = schema_fields.flag("Whether the history is whole: its secrets are revealed.")
    folded = schema_fields.count("How many commits were folded.")
    decided = schema_fields.count("How many of them were decided again.")
    unchecked = schema_fields.texts("What could not be checked, why.")
    notes = schema_fields.texts("What no check can tell, for people.")


class AuditSchema(Answer):
    """An audit, done or under way."""

    match = schema_fields.match_id()
    version = schema_fields.count("Up to which version.", 1)
    done = schema_fields.count("How many commits have been checked.")
    report = schema_fields.nested(
        ReportSchema, "What it found; null: it is under way.", allow_none=True
    )


class ImportedSchema(Answer):
    """A match taken in from its record."""

    match = schema_fields.match_id()
    commits = schema_fields.count("How many commits it has.", 1)


class LiveSchema(Answer):
    """The process serves."""

    status = schema_fields.text("ok")


class ReadySchema(Answer):
    """Whether matches can move on."""

    status = schema_fields.one_word("ok or unready", ("ok", "unready"))
    checks = schema_fields.texts_by_name("What fails, by what was checked.", required=False)
    warnings = schema_fields.texts_by_name(
        "What is slow or missing, although matches can move on.", required=False
    )


# §§§ service.api.contract.schemas.answers
# The shape of a record: what one line of it holds.


def _always(value: str) -> fields.String:
    return schema_fields.text(f"Always {value}.", validate=validate.Equal(value))


class ChainedCommitSchema(Answer):
    """A commit as it lies in the journal: its content, the hash of that, and the secret parts that
    may be seen.
    """

    commit = schema_fields.an_object("The content.")
    hash = schema_fields.text("SHA-256 of the content in canonical JSON.")
    secrets = schema_fields.an_object("The secret parts, by whose they are.")


class RecordLineSchema(Answer):
    """A line of a record: a CloudEvents 1.0 event around one commit, in canonical JSON."""

    data = schema_fields.nested(ChainedCommitSchema, "The commit.")
    datacontenttype = _always("application/json")
    id = schema_fields.text("The version that the commit made.")
    source = schema_fields.text("The path of the match.")
    specversion = _always("1.0")
    subject = schema_fields.text("The id of the match.")
    time = schema_fields.time("When the commit was made.")
    type = _always("giornale.commit")
