"""A name means one thing: locals in their file, classes in domain, service and workers."""

import ast
from collections.abc import Iterator

import pytest

from tests.checkout import ROOT

PACKAGES = ("domain", "service", "workers")
GAMES = ("domain/calimala/", "domain/firenze/")  # their files have the same names, as do classes
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the path and the syntax tree of each module."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if "node_modules" not in file.parts:
                yield str(file.relative_to(ROOT)), ast.parse(file.read_text(encoding="utf-8"))


def imported_names(tree: ast.AST) -> set[str]:
    """Return the names bound by the imports of a module."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {one.asname or one.name for one in node.names}
    return names


def bound_name(node: ast.AST) -> str | None:
    """Return the name bound by a node, None if it binds none."""
    match node:
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            return name
        case ast.MatchAs(name=name) | ast.MatchStar(name=name) | ast.ExceptHandler(name=name):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return None


def locals_of(function: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of the parameters and local variables of a function."""
    for node in ast.walk(function):
        name = bound_name(node)
        if name and node is not function and hasattr(node, "lineno"):
            yield node.lineno, name


def hidden_imports(path: str, tree: ast.Module) -> set[str]:
    """Return the places of locals with the name of an import of the same module."""
    imported = imported_names(tree)
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    return {
        f"{path}:{line} {name}"
        for function in functions
        for line, name in locals_of(function)
        if name in imported
    }


@pytest.mark.whole
def test_no_local_hides_an_import() -> None:
    """The name of a module or of an import means the same in the whole file."""
    complaints = set[str]()
    for path, tree in modules():
        complaints |= hidden_imports(path, tree)
    assert sorted(complaints) == []


def test_a_local_that_hides_an_import_is_found() -> None:
    """Parameters, a loop variable, a match and a nested function are found."""
    text = """
from a import b, c, d, e
import f.g
def one(b):
    for c in b: pass
    match b:
        case [d]: pass
    def e(): pass
    return lambda f: f
"""
    complaints = hidden_imports("x", ast.parse(text))
    assert {place.partition(" ")[2] for place in complaints} == {"b", "c", "d", "e", "f"}


# ---- classes -------------------------------------------------------------------------------------

SHOWN = "the domain's noun, and the schema in the API under the same name"

# Class names in several files, with the reason.
SHARED: dict[str, str] = {
    "Clock": SHOWN,
    "Commit": SHOWN,
    "Game": SHOWN,
    "Heading": SHOWN,
    "LegalMoves": "schemas of the API and of its tools for agents",
    "Match": SHOWN,
    "Outcome": SHOWN,
    "Seat": SHOWN,
    "Sentence": SHOWN,
    "State": SHOWN,
    "TakeBack": SHOWN,
}


def test_a_class_name_stands_in_one_file() -> None:
    """Only the names in SHARED stand in several files, and names of the games' classes."""
    files: dict[str, set[str]] = {}
    for path, tree in modules():
        if path.startswith(GAMES):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                files.setdefault(node.name, set()).add(path)
    several = {name: sorted(paths) for name, paths in files.items() if len(paths) > 1}
    assert several.keys() == SHARED.keys(), several
