"""All that is to be written for a new game, and writing it: everything or nothing."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from scaffold.guide import EXAMPLE, files_of_the_guide, renamed
from scaffold.names import Names, Refused
from scaffold.registry import CONTRACT, REGISTRY, allowed, games_in, read, registered

# The names of a game change the order of imports and the length of lines. Ruff would take a package
# that is not written yet for somebody else's, so it is told whose `domain` is.
_OURS = 'lint.isort.known-first-party = ["domain"]'
_TIDY = (
    ("check", "--select", "I", "--fix-only", "--quiet", "--config", _OURS),
    ("format", "--quiet"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be written, by its path in the repository.

    new: files that must not be there yet. changed: the new texts of files that are there.
    """

    new: dict[str, str]
    changed: dict[str, str]


def plan_of(root: Path, names: Names) -> Plan:
    """Return what a new game needs; raises Refused."""
    new = {}
    for path, text in files_of_the_guide(root).items():
        own_path = path.replace(EXAMPLE.key, names.key)
        new[own_path] = _tidy(root, own_path, renamed(text, names))

    registry = read(root, REGISTRY)
    with_the_game = _tidy(root, REGISTRY, registered(registry, names.key))
    contract = allowed(read(root, CONTRACT), games_in(registry), names.key)
    return Plan(new=new, changed={REGISTRY: with_the_game, CONTRACT: contract})


def _tidy(root: Path, path: str, text: str) -> str:
    """Return the text of a Python file as `make format` leaves it; other texts as they are."""
    if not path.endswith(".py"):
        return text

    for command in _TIDY:
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", path, "-"],
            cwd=root,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Refused(f"{path} cannot be formatted: {done.stderr.strip()}")
        text = done.stdout
    return text


def write(root: Path, plan: Plan) -> None:
    """Write all that is planned; if that fails, leave everything as it was and raise Refused."""
    before = {name: read(root, name) for name in plan.changed}
    made: list[Path] = []
    try:
        for name, text in plan.new.items():
            _write_new(root / name, text, made)
        for name, text in plan.changed.items():
            (root / name).write_text(text, encoding="utf-8")
    except OSError as error:
        _undo(root, made, before)
        raise Refused(f"{error.filename}: {error.strerror}. All is as it was before.") from error


def _write_new(path: Path, text: str, made: list[Path]) -> None:
    """Write a file that must not be there; note it, and each directory that it needs, in `made`."""
    missing = [parent for parent in path.parents if not parent.exists()]
    for directory in reversed(missing):
        directory.mkdir()
        made.append(directory)

    with path.open("x", encoding="utf-8") as file:
        made.append(path)
        file.write(text)


def _undo(root: Path, made: list[Path], before: dict[str, str]) -> None:
    """Take away what was made, the last first, and give changed files their old texts back."""
    for path in reversed(made):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
    for name, text in before.items():
        if read(root, name) != text:
            (root / name).write_text(text, encoding="utf-8")
