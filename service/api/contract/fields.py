"""Fields of bodies and arguments, and their refusals.

Callers never get the default messages of marshmallow. They are replaced here.
"""

from typing import Any

from marshmallow import Schema, fields, validate

fields.Field.default_error_messages |= {
    "required": "is missing",
    "null": "must not be null",
    "validator_failed": "is not valid",
}
fields.String.default_error_messages |= {
    "invalid": "must be a string",
    "invalid_utf8": "must be a string in UTF-8",
}
fields.Integer.default_error_messages |= {
    "invalid": "must be a whole number",
    "too_large": "must be a whole number",
}
fields.Boolean.default_error_messages["invalid"] = "must be true or false"
fields.List.default_error_messages["invalid"] = "must be a list"
fields.Dict.default_error_messages["invalid"] = "must be an object"
fields.Nested.default_error_messages["type"] = "must be an object"
validate.OneOf.default_message = "must be one of {choices}"


class Strict(Schema):
    """An object without unknown members."""

    error_messages = {"type": "must be an object"}

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        known_fields = (
            f"Known fields: {', '.join(self.load_fields)}"
            if self.load_fields
            else "No fields are known here"
        )
        self.error_messages["unknown"] = f"unknown field. {known_fields}"


def whole_number(text: str, least: int, most: int | None = None, **more: Any) -> fields.Integer:
    """Return a field for a whole number. `text`: its description."""
    up_to = f" to {most}" if most is not None else ""
    error = f"must be a whole number from {least}{up_to}"
    return fields.Integer(
        strict=True,
        validate=validate.Range(least, most, error=error),
        error_messages={"invalid": error, "too_large": error},
        metadata={"description": text},
        **more,
    )


def characters(least: int, most: int) -> validate.Length:
    """Return the check of the length of a text."""
    return validate.Length(least or None, most, error=f"must have {least} to {most} characters")


def entries(least: int, most: int) -> validate.Length:
    """Return the check of the length of a list."""
    return validate.Length(least or None, most, error=f"must be a list of {least} to {most}")
