"""The shape of a record: what one line of it holds."""

from marshmallow import fields, validate

from service.api.contract.schemas import shape
from service.api.contract.schemas.shape import Answer


def _always(value: str) -> fields.String:
    return shape.text(f"Always {value}.", validate=validate.Equal(value))


class ChainedCommitSchema(Answer):
    """A commit as it lies in the journal: its content, the hash of that, and the secret parts that
    may be seen.
    """

    commit = shape.an_object("The content.")
    hash = shape.text("SHA-256 of the content in canonical JSON.")
    secrets = shape.an_object("The secret parts, by whose they are.")


class RecordLineSchema(Answer):
    """A line of a record: a CloudEvents 1.0 event around one commit, in canonical JSON."""

    data = shape.nested(ChainedCommitSchema, "The commit.")
    datacontenttype = _always("application/json")
    id = shape.text("The version that the commit made.")
    source = shape.text("The path of the match.")
    specversion = _always("1.0")
    subject = shape.text("The id of the match.")
    time = shape.time("When the commit was made.")
    type = _always("giornale.commit")
