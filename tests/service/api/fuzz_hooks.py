"""Hooks for schemathesis: tokens of opened matches, and legal moves."""

import random
import re
import threading
import uuid
from typing import Any

import requests
import schemathesis

from service.record.commit import MATCH_ID

OPERATOR = "schemathesis is the operator here"
KNOWN_MATCH = 0.8  # share of well-formed match ids that become the id of an opened match
LEGAL_MOVE = 0.5  # share of well-formed moves with a token that become legal ones

_match_id = re.compile(MATCH_ID)
_chance = random.Random(1)
_lock = threading.Lock()

# The tokens of each opened match, by holder.
_tokens_of: dict[str, dict[str, str]] = {}


@schemathesis.serializer("application/x-ndjson")
def ndjson(_context: Any, value: Any) -> bytes:
    """Send bytes unchanged, and any other generated value as its repr."""
    return value if isinstance(value, bytes) else repr(value).encode()


@schemathesis.hook
def before_load_schema(_context: Any, raw_schema: Any) -> None:
    """Check each event of a stream by the schema of its events."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            answers = operation.get("responses", {}) if isinstance(operation, dict) else {}
            for answer in answers.values():
                body = answer.get("content", {}).get("text/event-stream")
                if body is not None:
                    body["schema"] = body["x-itemSchema"]


@schemathesis.hook
def after_call(_context: Any, case: Any, response: Any) -> None:
    """Keep the tokens of a match that was opened."""
    if _operation_id(case) == "openMatch" and response.status_code == 201:
        match = response.json()
        with _lock:
            _tokens_of[match["match"]] = match["tokens"]


@schemathesis.hook
def map_path_parameters(_context: Any, path_parameters: Any) -> Any:
    """Replace most well-formed match ids by the id of an opened match."""
    match_id = str((path_parameters or {}).get("match"))
    known_matches = _known_matches()
    if not known_matches or not _match_id.fullmatch(match_id):
        return path_parameters
    if _chance.random() >= KNOWN_MATCH:
        return path_parameters
    return {**path_parameters, "match": _chance.choice(known_matches)}


@schemathesis.hook
def map_headers(_context: Any, headers: Any) -> Any:
    """Replace an idempotency key by an unused one: a second body under a key is refused."""
    key = str((headers or {}).get("Idempotency-Key", ""))
    if 16 <= len(key) <= 255:
        return {**headers, "Idempotency-Key": str(uuid.uuid4())}
    return headers


@schemathesis.auth(refresh_interval=None)
class Tokens:
    """A random token of the requested match."""

    def get(self, case: Any, _context: Any) -> str | None:
        """Return the operator's token for `importRecord`, else a random token of the match.

        None for an unknown match.
        """
        if _operation_id(case) == "importRecord":
            return OPERATOR

        match = str((case.path_parameters or {}).get("match"))
        with _lock:
            tokens = list(_tokens_of.get(match, {}).values())
        return _chance.choice(tokens) if tokens else None

    def set(self, case: Any, data: str | None, _context: Any) -> None:
        """Send the token."""
        if data:
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Replace about half of the well-formed moves with a token by legal moves, if there are any."""
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if _operation_id(case) != "makeMove" or not is_positive:
        return
    token = (case.headers or {}).get("Authorization")
    if not token or _chance.random() >= LEGAL_MOVE:
        return

    match = case.path_parameters.get("match")
    url = f"{case.operation.base_url.rstrip('/')}/v1/matches/{match}/moves"
    answer = requests.get(url, headers={"Authorization": token}, timeout=5).json()
    case.body = _chance.choice(answer.get("moves") or [case.body])


def _operation_id(case: Any) -> str:
    return str(case.operation.definition.raw.get("operationId"))


def _known_matches() -> list[str]:
    with _lock:
        return list(_tokens_of)
