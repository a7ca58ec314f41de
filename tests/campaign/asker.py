"""One client's connection to the service: each request is sent, read and written down."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any

from tests.campaign.history import ANSWERED, UNKNOWN, History, Told, Try
from tests.campaign.service import HOST

ANSWER_SECONDS = 3.0

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked: its number in the history, what it is called there, and what is sent."""

    number: int
    what: str
    method: str
    path: str
    match: str = ""
    actor: str = ""
    token: str = field(default="", repr=False)
    key: str = ""
    expected: int = 0
    body: Json | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers that are sent."""
        named = {
            "Authorization": f"Bearer {self.token}" if self.token else "",
            "Idempotency-Key": self.key,
            "If-Match": f'"{self.expected}"' if self.expected else "",
            "Content-Type": "application/json" if self.body is not None else "",
        }
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Reply:
    """How a try ended, and the document that was answered, empty for none."""

    noted: Try
    document: Json

    @property
    def status(self) -> int:
        """The status of the answer, 0 for none."""
        return self.noted.status


class Asker:
    """A client with one connection, made anew whenever it breaks."""

    def __init__(self, port: int, history: History, name: str) -> None:
        self.history = history
        self.name = name
        self._port = port
        self._connection = self._connect()
        self._failure: Exception | None = None

    def ask(self, request: Request) -> Reply:
        """Send a request and wait for its answer."""
        begun = self.send(request)
        return self.receive(begun)

    def send(self, request: Request) -> Try:
        """Send a request; its answer is read with `receive`."""
        begun = self.history.begin(
            request.number,
            self.name,
            request.what,
            match=request.match,
            actor=request.actor,
            key=request.key,
            expected=request.expected,
        )

        body = None if request.body is None else json.dumps(request.body)
        self._failure = None
        try:
            self._connection.request(request.method, request.path, body, request.headers)
        except (OSError, HTTPException) as error:
            self._failure = error
        return begun

    def receive(self, begun: Try) -> Reply:
        """Wait for the answer to what was sent last."""
        try:
            response = self.response()
            content = response.read()
            document: Json = json.loads(content) if content else {}
        except (OSError, HTTPException, ValueError) as error:
            self.cut()
            problem = type(error).__name__
            never_answered = self.history.end(begun, UNKNOWN, problem=problem)
            return Reply(never_answered, {})

        facts = _facts(begun, response, document)
        answered = self.history.end(begun, ANSWERED, **facts)
        return Reply(answered, document)

    def response(self) -> HTTPResponse:
        """Return the answer to what was sent last, unread; raises OSError or HTTPException."""
        if self._failure is not None:
            raise self._failure
        return self._connection.getresponse()

    def cut(self) -> None:
        """Throw the connection away; the next request makes a new one."""
        self._connection.close()
        self._connection = self._connect()

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _connect(self) -> HTTPConnection:
        return HTTPConnection(HOST, self._port, timeout=ANSWER_SECONDS)


def _facts(begun: Try, response: HTTPResponse, document: Json) -> dict[str, Any]:
    """Return what the history keeps of an answer."""
    problem = ""
    if response.status >= 400 and "status" in document:
        _, _, problem = document.get("type", "").rpartition("/")

    return {
        "status": response.status,
        "problem": problem,
        "match": begun.match or document.get("id", ""),
        "version": document.get("version", 0),
        "told": told_in(document),
        "repeated": response.getheader("Idempotent-Replayed") == "true",
    }


def told_in(document: Mapping[str, Any]) -> tuple[Told, ...]:
    """Return all pairs of version and hash in a document: its own, its receipt's, its commits'."""
    places = [document, document.get("receipt") or {}, *document.get("commits", [])]
    pairs = [(place["version"], place["hash"]) for place in places if "hash" in place]
    return tuple(dict.fromkeys(pairs))
