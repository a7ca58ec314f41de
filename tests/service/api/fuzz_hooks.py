"""What schemathesis needs to get past the door: tokens of the matches that it has opened itself, legal moves."""

import random
import re
import threading
import uuid
from typing import Any

import requests
import schemathesis

from service.ledger.ids import MATCH_ID

OPERATOR = "schemathesis is the operator here"
MATCH = re.compile(MATCH_ID)
_chance = random.Random(1)
_lock = threading.Lock()
_matches: dict[str, dict[str, str]] = {}


@schemathesis.serializer("application/x-ndjson")
def ndjson(_context: Any, value: Any) -> bytes:
    """Send whatever was generated as one line."""
    return value if isinstance(value, bytes) else repr(value).encode()


@schemathesis.hook
def after_call(_context: Any, case: Any, response: Any) -> None:
    """Keep the tokens of a match that was opened."""
    if (
        case.operation.definition.raw.get("operationId") == "openMatch"
        and response.status_code == 201
    ):
        made = response.json()
        with _lock:
            _matches[made["id"]] = made["tokens"]


@schemathesis.hook
def map_path_parameters(_context: Any, path_parameters: Any) -> Any:
    """Most often ask after a match that there is."""
    known = _known()
    if (
        known
        and MATCH.fullmatch(str((path_parameters or {}).get("match")))
        and _chance.random() < 0.8
    ):
        return {**path_parameters, "match": _chance.choice(known)}
    return path_parameters


@schemathesis.hook
def map_headers(_context: Any, headers: Any) -> Any:
    """Use a key once: another body under the same key is refused, and rightly."""
    if headers and 16 <= len(str(headers.get("Idempotency-Key", ""))) <= 255:
        return {**headers, "Idempotency-Key": str(uuid.uuid4())}
    return headers


@schemathesis.auth(refresh_interval=None)
class Tokens:
    """A token of the match that is asked after, whoever's it is."""

    def get(self, case: Any, _context: Any) -> str | None:
        """Return one, None for a match that is not known; the operator's for what is the operator's."""
        if case.operation.definition.raw.get("operationId") == "importRecord":
            return OPERATOR
        with _lock:
            tokens = _matches.get(str((case.path_parameters or {}).get("match")), {})
        return _chance.choice(list(tokens.values())) if tokens else None

    def set(self, case: Any, data: str | None, _context: Any) -> None:
        """Send it."""
        if data:
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Half of the moves that could be made are legal ones."""
    positive = case.meta is not None and case.meta.generation.mode.is_positive
    if (
        case.operation.definition.raw.get("operationId") == "makeMove"
        and positive
        and _chance.random() < 0.5
    ):
        where = f"{case.operation.base_url.rstrip('/')}/v1/matches/{case.path_parameters.get('match')}/moves"
        token = (case.headers or {}).get("Authorization")
        if token:
            found = requests.get(where, headers={"Authorization": token}, timeout=5).json()
            case.body = _chance.choice(found.get("moves") or [case.body])


def _known() -> list[str]:
    with _lock:
        return list(_matches)
