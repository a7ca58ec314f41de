"""Tables of numbers that lie beside the code, as JSON: boards, and what bots have been taught."""

import json
from importlib.resources import files
from typing import Any


def read_table(package: str, name: str) -> Any:
    """Return the JSON value of a file in a package: `read_table(__package__, "board.json")`."""
    return json.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
