"""Schema fields for arguments that many tools have."""

from typing import Any

from marshmallow import fields

from service.api.contract.fields import Strict
from service.api.contract.parameters import BARE_KEY, WholeText, Words
from service.record.commit import MATCH_ID
from service.store.keys import tokens


def text_field(form: Words, text: str, **more: Any) -> fields.String:
    """Return a field that accepts only texts of a form."""
    matching = WholeText(form.pattern, form.expected)
    return fields.String(validate=matching, metadata={"description": text}, **more)


def key_field(text: str) -> fields.String:
    """Return a field for an idempotency key. A missing key is read as ""."""
    return text_field(BARE_KEY, text, load_default=str)


ABOUT_KEYS = "A fresh random value: a repeat of the call counts once."


class OfMatch(Strict):
    """A match, and the caller's token."""

    match = text_field(
        Words(MATCH_ID, "must be the id of a match"), "The match's id.", required=True
    )
    token = text_field(
        Words(tokens.FORM, "must be a token, such as open or join answer"),
        "Your secret token of this match, in place of the header Authorization.",
    )
