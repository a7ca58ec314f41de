"""Parameters of tests: `make test` takes a few of them, and `.ci/run` all."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def whole_unless(is_short: bool) -> Any:
    """Return the marks of a parameter: none if it is short, else `whole`."""
    return () if is_short else pytest.mark.whole


def whole_but(short: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Return the values as parameters, marked `whole` except the short ones."""
    return [pytest.param(value, marks=whole_unless(value in short)) for value in values]
