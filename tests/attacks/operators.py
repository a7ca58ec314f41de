"""What only the operator of a service may do: take in records and delete matches."""

from werkzeug.test import TestResponse

from tests.service.api.conftest import NDJSON, Door

OPERATOR = "o" * 40


def post_record(door: Door, lines: list[bytes], who: str = OPERATOR) -> TestResponse:
    """Ask a service to take in a record."""
    return post_bytes(door, b"".join(lines), who)


def post_bytes(door: Door, body: bytes, who: str = OPERATOR) -> TestResponse:
    """Ask a service to take in a body that says that it is a record."""
    return door.ask("POST", "/v1/records", who, data=body, content_type=NDJSON)


def delete_match(door: Door) -> None:
    """Delete the door's match, as the operator."""
    assert door.delete("", OPERATOR).status_code == 204
