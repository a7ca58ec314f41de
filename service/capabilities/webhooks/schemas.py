"""The body of a request that puts a webhook."""

from ipaddress import IPv6Address
from urllib.parse import urlsplit

from marshmallow import ValidationError, fields, validate

from service.api.contract.fields import Strict, characters, entries
from service.api.contract.parameters import WholeText
from service.capabilities.webhooks.use_cases import EVENTS


def _address(url: str) -> None:
    """Refuse an address with a wrong port or a wrong IPv6 address."""
    try:
        parts = urlsplit(url)
        if "[" in parts.netloc:
            IPv6Address(parts.hostname or "")
        is_callable = parts.port != 0
    except ValueError:
        is_callable = False
    if not is_callable:
        raise ValidationError("must have a port from 1 to 65535, and in brackets an IPv6 address")


class WebhookSchema(Strict):
    """An address and the occasions to call it."""

    url = fields.String(
        required=True,
        validate=[
            characters(1, 2000),
            WholeText(
                r"https?://(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?(?:[/?][!-\x22$-~]*)?",
                error="must be an address such as https://example.org/calls, without a fragment",
            ),
            _address,
        ],
        metadata={"description": "Address of the calls. Its port is 443, or one from 1024 upward."},
    )
    on = fields.List(
        fields.String(validate=validate.OneOf(EVENTS)),
        required=True,
        validate=entries(1, len(EVENTS)),
        metadata={
            "description": "turn: it is the seat's turn. take_back: its consent is awaited. "
            "ended: the match has ended."
        },
    )
