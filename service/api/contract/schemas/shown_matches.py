"""Answers about a match as a whole: what it is, who sits where, its tokens."""

from service.api.contract.schemas import shape
from service.api.contract.schemas.shape import Answer
from service.journal.values import VISIBILITIES
from service.matches import levels


class WaitingForSchema(Answer):
    """Whom the match waits for: the house, or seats, some of them bots'."""

    house = shape.flag("Whether the house must act.")
    seats = shape.numbers("The seats that may act.")
    bots = shape.numbers("Those of them that bots hold.", required=False)


class SeatSchema(Answer):
    """Who holds a seat; absent: a bot stands in for its human."""

    seat = shape.count("The number of the seat.")
    kind = shape.one_word("Who holds it.", ("human", "bot", "open"))
    level = shape.one_word("The bot's level.", levels.NAMES, required=False)
    name = shape.text("The human's name.", required=False)
    absent = shape.flag("True: a bot stands in for its human; otherwise left out.", required=False)


class OutcomeSchema(Answer):
    """The end: points and rank by seat; 1 is best, ranks may be shared."""

    points = shape.numbers("The points of each seat, by seat.")
    ranks = shape.numbers("The rank of each seat, by seat.")


class ReceiptSchema(Answer):
    """The server's word that it accepted a commit, signed with Ed25519 over the canonical JSON of
    the other fields.
    """

    match = shape.match_id()
    version = shape.count("The version that the commit made.", 1)
    hash = shape.digest("The commit's hash.")
    time = shape.time("When it was made.")
    key = shape.text("The id of the key.")
    signature = shape.text("The signature, in hex.")


class BesideSchema(Answer):
    """What happened to a token or a name without a commit (M13)."""

    at = shape.time("When it happened.")
    what = shape.one_word("What happened.", ("token_replaced", "token_revoked", "name_erased"))
    holder = shape.text("Whose token it was.", required=False)
    seat = shape.count("Whose name it was.", required=False)


class OriginSchema(Answer):
    """When a match was imported, and by whom: what its record says of times and players is its
    maker's word.
    """

    at = shape.time("When it was imported.")
    by = shape.text(
        "`command line`, or the first 16 hex digits of the SHA-256 of the operator's token."
    )


class MatchSchema(Answer):
    """What a match is and where it stands."""

    id = shape.match_id()
    game = shape.text("The game's key.")
    rules = shape.text("The rules version it is played by, for ever.")
    options = shape.an_object("The options it is played with, for ever.")
    visibility = shape.one_word("Who may see it.", VISIBILITIES)
    advice = shape.flag("Whether humans may ask for advice (M14).")
    status = shape.match_status()
    version = shape.count("How many commits were made.", 1)
    hash = shape.digest("The hash of the last commit.")
    created = shape.time("When it was opened.")
    updated = shape.time("When the last commit was made.")
    waiting_for = shape.nested(WaitingForSchema, "Whom the match waits for.")
    seats = shape.many(SeatSchema, "Who holds each seat.")
    commitment = shape.digest("SHA-256 of the secret behind every draw (M10).")
    outcome = shape.nested(OutcomeSchema, "The end; null: there is none yet.", allow_none=True)
    receipt = shape.nested(ReceiptSchema, "The server's word for the last commit.", required=False)
    changes = shape.many(
        BesideSchema,
        "Tokens replaced or revoked and names erased without a commit, the last 20.",
        required=False,
    )
    imported = shape.nested(
        OriginSchema,
        "Only of a match that was played elsewhere and imported.",
        required=False,
    )


class OpenedMatchSchema(MatchSchema):
    """A new match with its tokens, which are told this once."""

    tokens = shape.texts_by_name(
        "Bearer tokens by whose they are: owner, spectator, invitation, seat:0, seat:1, ..."
    )


class MatchSummarySchema(Answer):
    """What a list says of a match."""

    id = shape.match_id()
    game = shape.text("The game's key.")
    visibility = shape.one_word("Who may see it.", VISIBILITIES)
    advice = shape.flag("Whether humans may ask for advice (M14).")
    status = shape.match_status()
    version = shape.count("How many commits were made.", 1)
    created = shape.time("When it was opened.")
    updated = shape.time("When the last commit was made.")
    waiting_for = shape.nested(WaitingForSchema, "Whom the match waits for.")
    seats = shape.many(SeatSchema, "Who holds each seat.")
    imported = shape.time("When it was imported; only of a match played elsewhere.", required=False)


class MatchListSchema(Answer):
    """A page of matches, newest first; the header Link leads to older ones."""

    matches = shape.many(MatchSummarySchema, "The matches.")


class TokenSchema(Answer):
    """A new token in place of an old one."""

    holder = shape.text("Whose token it is.")
    token = shape.text("The bearer token.")
