"""The shapes of what the door answers. They document; what is answered is made in service.matches."""

from typing import Any

from marshmallow import EXCLUDE, Schema, fields, validate

from service.api.contract.schemas.base import Component
from service.journal.port import STATUSES
from service.ledger.ids import MATCH_ID
from service.matches.opening import LEVELS


def _text(description: str, *, required: bool = True, **more: Any) -> fields.String:
    return fields.String(required=required, metadata={"description": description}, **more)


def _count(description: str, least: int = 0, *, required: bool = True) -> fields.Integer:
    return fields.Integer(
        required=required, validate=validate.Range(least), metadata={"description": description}
    )


def _time(description: str) -> fields.DateTime:
    return fields.DateTime(required=True, metadata={"description": description})


def _status() -> fields.String:
    return _text("Where the match stands.", validate=validate.OneOf(STATUSES))


def _flag(description: str, *, required: bool = True) -> fields.Boolean:
    return fields.Boolean(required=required, metadata={"description": description})


def _seats(description: str, *, required: bool = True) -> fields.Field[Any]:
    return fields.List(fields.Integer(), required=required, metadata={"description": description})


def _nested(
    schema: "type[Schema]", description: str, *, required: bool = True, **more: Any
) -> fields.Nested:
    return fields.Nested(schema, required=required, metadata={"description": description}, **more)


def _many(schema: "type[Schema]", description: str) -> fields.Field[Any]:
    return fields.List(fields.Nested(schema), required=True, metadata={"description": description})


def _hash(description: str) -> fields.String:
    return _text(description, validate=validate.Regexp(r"^([0-9a-f]{64})?$"))


def _match() -> fields.String:
    return _text("The id of the match.", validate=validate.Regexp(rf"^{MATCH_ID}$"))


class Told(Schema):
    """What is answered may grow: a reader passes over what it does not know."""

    class Meta:
        """Say nothing about further fields."""

        unknown = EXCLUDE


class WaitingForSchema(Told):
    """Whom the match waits for: the house, or seats, some of them bots'."""

    house = _flag("Whether the house must act.")
    seats = _seats("The seats that may act.")
    bots = _seats("Those of them that bots hold.", required=False)


class SeatSchema(Told):
    """Who holds a seat; absent: a bot stands in for its human."""

    seat = _count("The number of the seat.")
    kind = _text("Who holds it.", validate=validate.OneOf(["human", "bot", "open"]))
    level = _text("The bot's level.", required=False, validate=validate.OneOf(LEVELS))
    name = _text("The human's name.", required=False)
    absent = _flag("True: a bot stands in for its human; otherwise left out.", required=False)


class OutcomeSchema(Told):
    """The end: points and rank by seat; 1 is best, ranks may be shared."""

    points = _seats("The points of each seat, by seat.")
    ranks = _seats("The rank of each seat, by seat.")


class ReceiptSchema(Told):
    """The server's word that it accepted a commit, signed with Ed25519 over the canonical JSON of the other fields."""

    match = _match()
    version = _count("The version that the commit made.", 1)
    hash = _hash("The commit's hash.")
    time = _time("When it was made.")
    key = _text("The id of the key.")
    signature = _text("The signature, in hex.")


class BesideSchema(Told):
    """What happened to a token or a name without a commit (M13)."""

    at = _time("When it happened.")
    what = _text(
        "What happened.",
        validate=validate.OneOf(["token_replaced", "token_revoked", "name_erased"]),
    )
    holder = _text("Whose token it was.", required=False)
    seat = _count("Whose name it was.", required=False)


class OriginSchema(Told):
    """When a match was imported, and by whom: what its record says of times and players is its maker's word."""

    at = _time("When it was imported.")
    by = _text("`command line`, or the first 16 hex digits of the SHA-256 of the operator's token.")


class MatchSchema(Told):
    """What a match is and where it stands."""

    id = _match()
    game = _text("The game's key.")
    rules = _text("The rules version it is played by, for ever.")
    options = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "The options it is played with, for ever."},
    )
    visibility = _text("Who may see it.", validate=validate.OneOf(["public", "private"]))
    status = _status()
    version = _count("How many commits were made.", 1)
    hash = _hash("The hash of the last commit.")
    created = _time("When it was opened.")
    updated = _time("When the last commit was made.")
    waiting_for = _nested(WaitingForSchema, "Whom the match waits for.")
    seats = _many(SeatSchema, "Who holds each seat.")
    commitment = _hash("SHA-256 of the secret behind every draw (M10).")
    outcome = _nested(OutcomeSchema, "The end; null: there is none yet.", allow_none=True)
    receipt = fields.Nested(
        ReceiptSchema, metadata={"description": "The server's word for the last commit."}
    )
    changes = fields.List(
        fields.Nested(BesideSchema),
        metadata={
            "description": "Tokens replaced or revoked and names erased without a commit, the last 20."
        },
    )
    imported = fields.Nested(
        OriginSchema,
        metadata={"description": "Only of a match that was played elsewhere and imported."},
    )


class OpenedMatchSchema(MatchSchema):
    """A new match with its tokens, which are told this once."""

    tokens = fields.Dict(
        keys=fields.String(), values=fields.String(), required=True,
        metadata={"description": "Bearer tokens by whose they are: owner, spectator, invitation, seat:0, seat:1, ..."},
    )  # fmt: skip


class MatchSummarySchema(Told):
    """What a list says of a match."""

    id = _match()
    game = _text("The game's key.")
    visibility = _text("Who may see it.", validate=validate.OneOf(["public", "private"]))
    status = _status()
    version = _count("How many commits were made.", 1)
    created = _time("When it was opened.")
    updated = _time("When the last commit was made.")
    waiting_for = _nested(WaitingForSchema, "Whom the match waits for.")
    seats = fields.List(
        fields.Nested(SeatSchema), required=True, metadata={"description": "Who holds each seat."}
    )
    imported = fields.DateTime(
        metadata={"description": "When it was imported; only of a match played elsewhere."}
    )


class MatchListSchema(Told):
    """A page of matches, newest first; the header Link leads to older ones."""

    matches = _many(MatchSummarySchema, "The matches.")


class StateSchema(Told):
    """The match at a version, as the caller may see it."""

    match = _match()
    game = _text("The game's key.")
    version = _count("The version that is shown.", 1)
    time = _time("When that version was made.")
    status = _status()
    waiting_for = _nested(WaitingForSchema, "Whom the match waits for.")
    seat = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Whose view it is; null: anybody's."},
    )
    state = fields.Dict(
        keys=fields.String(), required=True, allow_none=True,
        metadata={"description": "The game as the caller may see it; null before the start."},
    )  # fmt: skip


class CommitSchema(Told):
    """One accepted command with the events that it caused, as the caller may see them."""

    match = _match()
    version = _count("The version that it made.", 1)
    time = _time("When it was made.")
    actor = _text("Who made it: seat:N, house, owner, or public for whoever joined.")
    command = Component("Command", required=True, metadata={"description": "What was asked."})
    events = fields.List(
        Component("Event"), required=True, metadata={"description": "What happened, in this order."}
    )
    hash = _hash("Its own hash.")
    prev = _hash("The hash of the commit before it.")
    receipt = fields.Nested(
        ReceiptSchema,
        metadata={
            "description": "In the answer to whoever made it, and where one commit is asked for."
        },
    )


class CommitListSchema(Told):
    """A page of the history, oldest first; the header Link leads on and back."""

    commits = _many(CommitSchema, "The commits.")


class LegalMovesSchema(Told):
    """What the caller's seat may do now, each move as it may be posted."""

    game = _text("The game's key.")
    version = _count("The version that they belong to.", 1)
    waiting_for = _nested(WaitingForSchema, "Whom the match waits for.")
    moves = fields.List(
        Component("Move"),
        required=True,
        metadata={"description": "The moves; [] if it may not act."},
    )
    beyond = fields.Dict(
        keys=fields.String(), required=True,
        metadata={"description": "By command: what is legal beyond the listed moves, in the game's own terms."},
    )  # fmt: skip
    seat = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Whose moves they are; null: no seat's token was sent, so there are none."
        },
    )


class PreviewSchema(Told):
    """What a move would cause."""

    version = _count("The version that it was tried at.", 1)
    events = fields.List(
        Component("PreviewedEvent"), required=True,
        metadata={"description": "The events, each with what it would change as far as that is known."},
    )  # fmt: skip
    dry_run = fields.Boolean(
        required=True, metadata={"description": "True: nothing was committed."}
    )


class JoinedSchema(Told):
    """A seat taken, and its token, which is told this once."""

    seat = _count("The number of the seat.")
    token = _text("The bearer token of the seat.")
    commit = _nested(CommitSchema, "The commit in which the seat was taken.")


class TokenSchema(Told):
    """A new token in place of an old one."""

    holder = _text("Whose token it is.")
    token = _text("The bearer token.")


class ChangeSchema(Told):
    """One operation of a JSON Patch (RFC 6902); `was` is what is replaced or removed."""

    op = _text("What to do.", validate=validate.OneOf(["add", "remove", "replace"]))
    path = _text("A JSON pointer into the state.")
    value = fields.Raw(
        allow_none=True,
        metadata={
            "description": "What stands there afterwards, any JSON value; left out by `remove`."
        },
    )
    was = fields.Raw(
        allow_none=True,
        metadata={"description": "What stood there before, any JSON value; left out by `add`."},
    )


class ForetoldSchema(Told):
    """What a preview says of an event beside the event itself."""

    drawn = fields.List(
        fields.String(),
        metadata={
            "description": "The fields that chance would decide, which are left out; only where there are any."
        },
    )
    changes = fields.List(
        fields.Nested(ChangeSchema),
        metadata={
            "description": "What the event changes in the state as the caller sees it: a JSON Patch (RFC 6902), to be "
            "applied to the state after the event before. Left out from the first event on that chance would decide: "
            "what would change from there on is not known."
        },
    )


class DiffSchema(Told):
    """What changed between two versions: what happened, and how the state that the caller sees changed."""

    match = _match()
    from_ = fields.Integer(
        required=True,
        data_key="from",
        validate=validate.Range(1),
        metadata={"description": "The version that `changes` lead from."},
    )
    to = _count("The version that `changes` lead to; it may be the earlier one.", 1)
    commits = _many(CommitSchema, "The commits in between, the first of very many.")
    changes = _many(ChangeSchema, "A JSON Patch that makes the state at `to` of that at `from`.")


def _option_kind(kind: str) -> fields.String:
    return _text("What its values are.", validate=validate.OneOf([kind]))


class OptionSchema(Told):
    """An option of a game, told apart by `kind`."""

    name = _text("Its name.")
    text = _text("What it decides.")


class ChoiceOptionSchema(OptionSchema):
    """An option whose value is one of a few."""

    kind = _option_kind("choice")
    default = _text("The value if none is given.")
    choices = fields.List(
        fields.String(), required=True, metadata={"description": "The values to choose from."}
    )


class FlagOptionSchema(OptionSchema):
    """An option that is on or off."""

    kind = _option_kind("flag")
    default = fields.Boolean(required=True, metadata={"description": "The value if none is given."})


class NumberOptionSchema(OptionSchema):
    """An option whose value is a whole number."""

    kind = _option_kind("number")
    default = fields.Integer(required=True, metadata={"description": "The value if none is given."})
    least = fields.Integer(required=True, metadata={"description": "The least that it may be."})
    most = fields.Integer(required=True, metadata={"description": "The most that it may be."})


class DataOptionSchema(OptionSchema):
    """An option whose value is an object, checked as a whole when a match is opened."""

    kind = _option_kind("data")
    default = Component(
        "OptionData", required=True, metadata={"description": "The value if none is given."}
    )


class GameSchema(Told):
    """A game that can be opened."""

    key = _text("Its key.")
    title = _text("Its name.")
    rules = _text("The version of its rules that new matches are played by.")
    rules_url = _text("Where its rules are, numbered.")
    seats = fields.List(
        fields.Integer(), required=True, metadata={"description": "How many seats it takes."}
    )
    options = fields.List(
        Component("Option"),
        required=True,
        metadata={"description": "What can be chosen for a match."},
    )
    levels = fields.List(
        fields.String(), required=True, metadata={"description": "The levels of its bots."}
    )
    moves = fields.List(
        fields.String(), required=True, metadata={"description": "The types of its moves."}
    )


class GameListSchema(Told):
    """All games."""

    games = _many(GameSchema, "The games.")


class PlaceSchema(Told):
    """One wrong place of a request."""

    pointer = _text(
        "A JSON pointer into the body, ?name for a query parameter, or the name of a header."
    )
    detail = _text("What would be right there.")


class ProblemSchema(Told):
    """What went wrong (RFC 9457); `type` leads to a page about it. The rest depends on the type."""

    type = _text("The path of a page about this kind of problem.")
    title = _text("What kind of problem it is.")
    status = _count("The status of the answer.", 400)
    detail = _text("What went wrong this time, and what would be right.")
    errors = fields.List(
        fields.Nested(PlaceSchema),
        metadata={"description": "The wrong places of the request, 20 at most."},
    )
    more = _count("How many more places are wrong, beyond those in `errors`.", 1, required=False)
    code = _text(
        "Why a move is illegal, or what is wrong with a record, for programs.", required=False
    )
    commit = _count("The first commit of a record that is wrong.", required=False)
    rule = _text("The number of the broken rule.", required=False)
    rule_url = _text("Where the rule is.", required=False)
    legal_moves = _text("Where to find what the seat may do.", required=False)
    version = _count("Where the match is.", 1, required=False)
    expected = _count("The version that If-Match named.", required=False)
    commits = fields.List(
        fields.Nested(CommitSchema), metadata={"description": "What has happened since, the first."}
    )
    commits_url = _text("Where to find all that has happened since.", required=False)


class KeySchema(Told):
    """A public key that receipts are checked against."""

    id = _text("What receipts call it.")
    algorithm = _text("How it signs.", validate=validate.Equal("Ed25519"))
    public = _hash("The 32 bytes of the public key, in hex.")
    from_ = fields.DateTime(
        required=True, data_key="from", metadata={"description": "When it came into use."}
    )
    until = fields.DateTime(
        required=True,
        allow_none=True,
        metadata={"description": "It vouches for no commit made later; null: in use."},
    )


class KeyListSchema(Told):
    """All keys, oldest first."""

    keys = _many(KeySchema, "The keys.")


class FaultSchema(Told):
    """The first thing wrong with a history."""

    commit = _count("The commit that is wrong, 0 for the match as a whole.")
    code = _text("What is wrong, for programs.")
    detail = _text("What is wrong.")


class ReportSchema(Told):
    """What an audit found."""

    ok = _flag("Whether nothing is wrong, as far as it was checked.")
    verdict = _text(
        "right: all was checked; partly_checked: all that could be checked is right; wrong.",
        validate=validate.OneOf(["right", "partly_checked", "wrong"]),
    )
    wrong = _nested(FaultSchema, "What is wrong; null: nothing is.", allow_none=True)
    match = _match()
    game = _text("The game's key.")
    rules = _text("The rules version.")
    commits = _count("How many commits were checked.")
    hash = _hash("The hash of the last one.")
    status = _text("Where the match stands, as worked out; empty if it could not be.")
    outcome = _nested(OutcomeSchema, "The end; null: there is none yet.", allow_none=True)
    redacted = _flag("Whether secret parts were missing.")
    ended = _flag("Whether the history is whole: its secrets are revealed.")
    folded = _count("How many commits were folded.")
    decided = _count("How many of them were decided again.")
    unchecked = fields.List(
        fields.String(), required=True, metadata={"description": "What could not be checked, why."}
    )
    notes = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "What no check can tell, for people."},
    )


class AuditSchema(Told):
    """An audit, done or under way."""

    match = _match()
    version = _count("Up to which version.", 1)
    done = _count("How many commits have been checked.")
    report = _nested(ReportSchema, "What it found; null: it is under way.", allow_none=True)


class ImportedSchema(Told):
    """A match taken in from its record."""

    match = _match()
    commits = _count("How many commits it has.", 1)


class LiveSchema(Told):
    """The process serves."""

    status = _text("ok")


class ReadySchema(Told):
    """Whether matches can move on."""

    status = _text("ok or unready", validate=validate.OneOf(["ok", "unready"]))
    checks = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={"description": "What fails, by what was checked."},
    )
    warnings = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={"description": "What is slow or missing, although matches can move on."},
    )
