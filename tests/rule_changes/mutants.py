"""Rule changes of one expression, planted in the source of a game when it is imported."""

import ast
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
GAMES = ("calimala", "firenze")
# Files without rules: words for people, bots, and the forms of messages and states.
NO_RULES = ("__init__", "commands", "events", "refusals", "state", "words")

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Mutant(NamedTuple):
    """A changed expression: the module, and the number of the expression in it."""

    module: str
    number: int


def mutants(seed: int) -> Iterator[Mutant]:
    """Yield all rule changes of both games in a random order, one game after the other."""
    random = Random(seed)
    of_games = [list(_of_game(game)) for game in GAMES]
    for of_game in of_games:
        random.shuffle(of_game)
    for pair in zip(*of_games, strict=False):
        yield from pair


def _of_game(game: str) -> Iterator[Mutant]:
    for path in sorted((ROOT / "domain" / game).glob("*.py")):
        if path.stem not in NO_RULES and not path.stem.startswith(("story", "view")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for number, _ in enumerate(_expressions(tree)):
                yield Mutant(f"domain.{game}.{path.stem}", number)


def _expressions(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the expressions within functions that can be changed."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for statement in function.body:
            for node in ast.walk(statement):
                if _is_changeable(node):
                    assert isinstance(node, ast.expr)
                    yield node


def _is_changeable(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=bool() | int()):
            return True
        case ast.Compare(ops=[operator]):
            return type(operator) in _COMPARISONS
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.BoolOp():
            return True
        case _:
            return False


def _change(node: ast.expr) -> None:
    """Change an expression in place."""
    match node:
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Compare(ops=[operator]):
            node.ops = [_COMPARISONS[type(operator)]()]
        case ast.BinOp(op=ast.Add()):
            node.op = ast.Sub()
        case ast.BinOp():
            node.op = ast.Add()
        case ast.BoolOp(op=ast.And()):
            node.op = ast.Or()
        case ast.BoolOp():
            node.op = ast.And()


def changed_source(mutant: Mutant) -> tuple[ast.Module, str]:
    """Return the changed module, and the changed expression as text with its line."""
    path = ROOT / f"{mutant.module.replace('.', '/')}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node = list(_expressions(tree))[mutant.number]
    before = ast.unparse(node)
    _change(node)
    text = f"{path.relative_to(ROOT)}:{node.lineno}: {before} -> {ast.unparse(node)}"
    return ast.fix_missing_locations(tree), text


class _Planter(MetaPathFinder, Loader):
    """Imports one module in its changed form."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - of the protocol
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Return the place of the changed module, None for all others."""
        if fullname != self._mutant.module:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed module."""
        tree, text = changed_source(self._mutant)
        exec(compile(tree, text, "exec"), module.__dict__)  # noqa: S102 - code of this project


def plant(mutant: Mutant) -> None:
    """Let all later imports find the changed module."""
    assert mutant.module not in sys.modules, "the game was imported already"
    sys.meta_path.insert(0, _Planter(mutant))
