"""A door that writes down what goes through it, as examples for the contract."""

from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from tests.service.api.conftest import KEY, Door, json

JSON = "application/json"

# By operation, then by part ("request", or the status or media type of an answer), then by name.
Recorded = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Sent:
    """A request: method and path, whose token it shows ("" for none), its JSON body and headers."""

    method: str
    path: str
    who: str = ""
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class Recorder:
    """Plays a match through a door and keeps both sides of each request."""

    def __init__(self, app: Flask) -> None:
        self.door = Door.of(app)
        self.recorded: Recorded = {}

    def record(self, operation: str, name: str, sent: Sent) -> Any:
        """Send a request, keep both sides as an example of the operation, and return the answer."""
        answer = self._send(sent)
        assert answer.status_code < 400, answer.text

        parts = self.recorded.setdefault(operation, {})
        if sent.body is not None:
            parts.setdefault("request", {})[name] = sent.body

        is_json = answer.mimetype == JSON
        value = json(answer) if is_json else answer.text
        part = str(answer.status_code) if is_json else str(answer.mimetype)
        if answer.data:
            parts.setdefault(part, {})[name] = value
        return value

    def record_problem(self, sent: Sent) -> None:
        """Send a request that is refused, and keep the problem under its kind."""
        problem = json(self._send(sent))
        _, _, kind = problem["type"].rpartition("/")
        self.recorded.setdefault("problems", {})[kind] = problem

    def open(self, name: str, number: int, **wish: Any) -> None:
        """Open a match, whose seed is not shown, and take its tokens."""
        sent = Sent(
            "POST",
            "/v1/matches",
            body={"seed": "example", **wish},
            headers={"Idempotency-Key": f"{KEY}-{number}"},
        )
        match = self.record("openMatch", name, sent)
        del self.recorded["openMatch"]["request"][name]["seed"]

        self.door.match = match["id"]
        self.door.tokens = match["tokens"]

    def open_unrecorded(self, number: int, **wish: Any) -> None:
        """Open a match of which no example is kept."""
        self.open("unrecorded", number, **wish)
        self.forget("openMatch", "request", "unrecorded")
        self.forget("openMatch", "201", "unrecorded")

    def forget(self, operation: str, part: str, name: str) -> None:
        """Drop an example that shows nothing new."""
        del self.recorded[operation][part][name]

    def _send(self, sent: Sent) -> TestResponse:
        body = {} if sent.body is None else {"json": sent.body}
        return self.door.ask(sent.method, sent.path, sent.who, headers=sent.headers, **body)
