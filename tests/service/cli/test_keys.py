"""`giornale keys`: the keys of receipts, listed and rotated."""

import json

from service.ledger.commit import Json
from service.matches.context import Context
from tests.service.cli.conftest import Run


def test_keys_are_listed_and_rotated(run: Run, served: Context) -> None:
    """A rotation adds a key and ends the old one, which stays on the list."""
    assert served.signer is not None
    served.signer.keys()  # the web process makes the first key when it starts
    [first_key] = listed_keys(run)

    new_id = run("keys", "rotate").stdout.strip()
    old_key, new_key = listed_keys(run)

    assert old_key["id"] == first_key["id"]
    assert new_key["id"] == new_id
    assert old_key["until"] is not None


def listed_keys(run: Run) -> list[Json]:
    """Return the keys that `giornale keys list` prints."""
    output = run("keys", "list").stdout
    keys: list[Json] = json.loads(output)["keys"]
    return keys
