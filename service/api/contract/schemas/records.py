"""The shape of a record: what one line of it holds."""

from marshmallow import fields, validate

from service.api.contract.schemas.answers import Told


def _text(description: str) -> fields.String:
    return fields.String(required=True, metadata={"description": description})


def _always(value: str) -> fields.String:
    return fields.String(
        required=True, validate=validate.Equal(value), metadata={"description": f"Always {value}."}
    )


class ChainedCommitSchema(Told):
    """A commit as it lies in the journal: its content, the hash of that, and the secret parts that may be seen."""

    commit = fields.Dict(
        keys=fields.String(), required=True, metadata={"description": "The content."}
    )
    hash = _text("SHA-256 of the content in canonical JSON.")
    secrets = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "The secret parts, by whose they are."},
    )


class RecordLineSchema(Told):
    """A line of a record: a CloudEvents 1.0 event around one commit, in canonical JSON."""

    data = fields.Nested(
        ChainedCommitSchema, required=True, metadata={"description": "The commit."}
    )
    datacontenttype = _always("application/json")
    id = _text("The version that the commit made.")
    source = _text("The path of the match.")
    specversion = _always("1.0")
    subject = _text("The id of the match.")
    time = fields.DateTime(required=True, metadata={"description": "When the commit was made."})
    type = _always("giornale.commit")
