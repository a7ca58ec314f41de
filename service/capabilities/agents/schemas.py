"""The schema of an agent's message: JSON-RPC in the form of the Model Context Protocol."""

from marshmallow import ValidationError, fields, validate

from service.api.contract.fields import Strict


class MessageId(fields.Field[str | int]):
    """The id of a JSON-RPC request."""

    def _deserialize(self, value: object, *_: object, **__: object) -> str | int:
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise ValidationError("must be a string or a whole number")
        return value


class McpMessageSchema(Strict):
    """A message of the Model Context Protocol, in JSON-RPC 2.0."""

    jsonrpc = fields.String(
        required=True,
        validate=validate.OneOf(["2.0"]),
        metadata={"description": "The version of JSON-RPC."},
    )
    id = MessageId(
        metadata={
            "type": ["string", "integer"],
            "description": "Comes again in the answer. Left out of a notification.",
        }
    )
    method = fields.String(
        required=True, metadata={"description": "The method, such as `tools/call`."}
    )
    params = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "Parameters of the method, and `_meta`."},
    )
