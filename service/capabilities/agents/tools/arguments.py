"""Arguments of many tools, as fields of schemas."""

from typing import Any

from marshmallow import fields, validate

from service.api.contract.parameters import WholeText, Words, bare_key
from service.api.contract.schemas import Strict
from service.record.commit import MATCH_ID
from service.store.keys import tokens


def text_field(form: Words, text: str, **more: Any) -> fields.String:
    """Return a text of a form."""
    matching = WholeText(form.pattern, form.expected)
    return fields.String(validate=matching, metadata={"description": text}, **more)


def number_field(text: str, least: int, most: int | None = None, **more: Any) -> fields.Integer:
    """Return a whole number."""
    up_to = f"from {least} to {most}" if most is not None else f"of at least {least}"
    error = f"must be a whole number {up_to}"
    return fields.Integer(
        strict=True,
        validate=validate.Range(least, most, error=error),
        error_messages={"invalid": error},
        metadata={"description": text},
        **more,
    )


def key_field(least: int, text: str) -> fields.String:
    """Return an idempotency key of at least so many characters, "" without one."""
    return text_field(bare_key(least), text, load_default=str)


ABOUT_KEYS = "A fresh random value, so that the same call can be sent again and counts once."


class OfMatch(Strict):
    """A match, and who asks."""

    match = text_field(
        Words(MATCH_ID, "must be the id of a match"), "The match's id.", required=True
    )
    token = text_field(
        Words(tokens.FORM, "must be a token, such as open or join answer"),
        "Your secret token of this match, in place of the header Authorization.",
    )
