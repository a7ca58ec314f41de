"""`giornale keys`: the keys of receipts, listed and rotated."""

import json

from service.matches.desk import Desk
from tests.service.cli.conftest import Run


def test_keys_are_listed_and_rotated(run: Run, served: Desk) -> None:
    """A rotation adds a key and ends the old one, which stays on the list."""
    assert served.signer is not None
    served.signer.keys()  # the web process does it when it starts
    [first] = json.loads(run("keys", "list").stdout)["keys"]

    new_id = run("keys", "rotate").stdout.strip()
    listed = json.loads(run("keys", "list").stdout)["keys"]
    assert [key["id"] for key in listed] == [first["id"], new_id]
    assert listed[0]["until"] is not None
