"""Answers about the service: problems, keys, audits, health."""

from marshmallow import validate

from service.api.contract.schemas import shape
from service.api.contract.schemas.shape import Answer
from service.api.contract.schemas.shown_matches import OutcomeSchema
from service.api.contract.schemas.shown_play import CommitSchema


class PlaceSchema(Answer):
    """One wrong place of a request."""

    pointer = shape.text(
        "A JSON pointer into the body. Beside `parameter`: ?name or a header; it will go."
    )
    parameter = shape.text("A query parameter or a header.", required=False)
    detail = shape.text("What would be right there.")


class ProblemSchema(Answer):
    """What went wrong (RFC 9457); `type` leads to a page about it. The rest depends on the type."""

    type = shape.text("The path of a page about this kind of problem.")
    title = shape.text("What kind of problem it is.")
    status = shape.count("The status of the answer.", 400)
    detail = shape.text("What went wrong this time, and what would be right.")
    errors = shape.many(PlaceSchema, "The wrong places of the request, 20 at most.", required=False)
    more = shape.count(
        "How many more places are wrong, beyond those in `errors`.", 1, required=False
    )
    code = shape.text(
        "Why a move is illegal, or what is wrong with a record, for programs.", required=False
    )
    commit = shape.count("The first commit of a record that is wrong.", required=False)
    rule = shape.text("The number of the broken rule.", required=False)
    rule_url = shape.text("Where the rule is.", required=False)
    legal_moves = shape.text("Where to find what the seat may do.", required=False)
    version = shape.count("Where the match is.", 1, required=False)
    expected = shape.count("The version that If-Match named.", required=False)
    commits = shape.many(CommitSchema, "What has happened since, the first.", required=False)
    commits_url = shape.text("Where to find all that has happened since.", required=False)


class KeySchema(Answer):
    """A public key that receipts are checked against."""

    id = shape.text("What receipts call it.")
    algorithm = shape.text("How it signs.", validate=validate.Equal("Ed25519"))
    public = shape.digest("The 32 bytes of the public key, in hex.")
    from_ = shape.time("When it came into use.", data_key="from")
    until = shape.time("It vouches for no commit made later; null: in use.", allow_none=True)


class KeyListSchema(Answer):
    """All keys, oldest first."""

    keys = shape.many(KeySchema, "The keys.")


class FaultSchema(Answer):
    """The first thing wrong with a history."""

    commit = shape.count("The commit that is wrong, 0 for the match as a whole.")
    code = shape.text("What is wrong, for programs.")
    detail = shape.text("What is wrong.")


class ReportSchema(Answer):
    """What an audit found."""

    ok = shape.flag("Whether nothing is wrong, as far as it was checked.")
    verdict = shape.one_word(
        "right: all was checked; partly_checked: all that could be checked is right; wrong.",
        ("right", "partly_checked", "wrong"),
    )
    wrong = shape.nested(FaultSchema, "What is wrong; null: nothing is.", allow_none=True)
    match = shape.match_id()
    game = shape.text("The game's key.")
    rules = shape.text("The rules version.")
    commits = shape.count("How many commits were checked.")
    hash = shape.digest("The hash of the last one.")
    status = shape.text("Where the match stands, as worked out; empty if it could not be.")
    outcome = shape.nested(OutcomeSchema, "The end; null: there is none yet.", allow_none=True)
    redacted = shape.flag("Whether secret parts were missing.")
    ended = shape.flag("Whether the history is whole: its secrets are revealed.")
    folded = shape.count("How many commits were folded.")
    decided = shape.count("How many of them were decided again.")
    unchecked = shape.texts("What could not be checked, why.")
    notes = shape.texts("What no check can tell, for people.")


class AuditSchema(Answer):
    """An audit, done or under way."""

    match = shape.match_id()
    version = shape.count("Up to which version.", 1)
    done = shape.count("How many commits have been checked.")
    report = shape.nested(ReportSchema, "What it found; null: it is under way.", allow_none=True)


class ImportedSchema(Answer):
    """A match taken in from its record."""

    match = shape.match_id()
    commits = shape.count("How many commits it has.", 1)


class LiveSchema(Answer):
    """The process serves."""

    status = shape.text("ok")


class ReadySchema(Answer):
    """Whether matches can move on."""

    status = shape.one_word("ok or unready", ("ok", "unready"))
    checks = shape.texts_by_name("What fails, by what was checked.", required=False)
    warnings = shape.texts_by_name(
        "What is slow or missing, although matches can move on.", required=False
    )
