"""The checker is a second opinion: it stands on the standard library."""

import ast
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.simulation import appends, checker, facts, history

# The form in which an entry is handed to the store is the one thing that both sides know.
COMMON = {"service.journal.values"}
MODULES = (checker, appends, history, facts)


@pytest.mark.parametrize("module", MODULES)
def test_the_checker_shares_no_code_with_the_use_cases(module: ModuleType) -> None:
    """Its modules import the standard library, one another and the type of an entry."""
    imported = _imported_modules(module)
    own_names = {one.__name__ for one in MODULES}
    from_outside = {name for name in imported if _top_level(name) not in sys.stdlib_module_names}
    assert from_outside <= COMMON | own_names


def _imported_modules(module: ModuleType) -> set[str]:
    """Return the names of the modules that a module imports."""
    assert module.__file__ is not None
    source = Path(module.__file__).read_text()
    tree = ast.parse(source)

    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def _top_level(name: str) -> str:
    return name.partition(".")[0]
