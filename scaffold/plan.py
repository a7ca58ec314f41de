"""The files of a new game, and the writing of all files or none."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from scaffold.guide import EXAMPLE, files_of_the_guide, renamed
from scaffold.names import Names, Refused
from scaffold.registry import CHECKER, CONTRACT, allowed, games_in, known, read, registered

# New names change the order of imports and the length of lines. Ruff would take a package that is
# not written yet for a foreign one, so `domain` is named as the project's own.
_OURS = 'lint.isort.known-first-party = ["domain"]'
_TIDY = (
    ("check", "--select", "I", "--fix-only", "--quiet", "--config", _OURS),
    ("format", "--quiet"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The texts to write, by path in the repository.

    new: files that must not exist yet. changed: new texts of existing files.
    """

    new: dict[str, str]
    changed: dict[str, str]


def plan_of(root: Path, names: Names) -> Plan:
    """Return the files for a new game. Raises Refused."""
    # First the files that may be refused: to format the many new files takes longer.
    changed = _changed_files(root, names)
    return Plan(new=_new_files(root, names), changed=changed)


def _new_files(root: Path, names: Names) -> dict[str, str]:
    """Return the files of the guide's game under the names of the new one."""
    new_files = {}
    for guide_path, guide_text in files_of_the_guide(root).items():
        path = guide_path.replace(EXAMPLE.key, names.key)
        text = renamed(guide_text, names)
        new_files[path] = _tidy(root, path, text)
    return new_files


def _changed_files(root: Path, names: Names) -> dict[str, str]:
    """Return the files that list games, with the new game in them."""
    contract = read(root, CONTRACT)
    new_contract = allowed(contract, games_in(contract), names.key)
    return {
        CONTRACT: registered(new_contract, names.key),
        CHECKER: known(read(root, CHECKER), names.key),
    }


def _tidy(root: Path, path: str, text: str) -> str:
    """Return the text of a Python file, formatted and with sorted imports. Leave other texts."""
    if not path.endswith(".py"):
        return text

    for command in _TIDY:
        process = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", path, "-"],
            cwd=root,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if process.returncode:
            raise Refused(f"{path} cannot be formatted: {process.stderr.strip()}")
        text = process.stdout
    return text


def write(root: Path, plan: Plan) -> None:
    """Write all planned files. If that fails, restore everything and raise Refused or the error."""
    old_texts = {name: read(root, name) for name in plan.changed}
    new_paths: list[Path] = []
    try:
        for name, text in plan.new.items():
            _write_new(root / name, text, new_paths)

        for name, text in plan.changed.items():
            _write(root / name, text)

    except BaseException as error:  # Ctrl-C as well
        _remove(new_paths)
        _put_back(root, old_texts)
        if not isinstance(error, OSError):
            raise
        reason = f"{error.filename}: {error.strerror}"
        raise Refused(f"{reason}. All is as it was before.") from error


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _write_new(path: Path, text: str, new_paths: list[Path]) -> None:
    """Write a file that must not exist. Note it, and each directory made for it, in `new_paths`."""
    missing = [parent for parent in path.parents if not parent.exists()]
    for directory in reversed(missing):
        directory.mkdir()
        new_paths.append(directory)

    with path.open("x", encoding="utf-8") as file:
        new_paths.append(path)
        file.write(text)


def _remove(new_paths: list[Path]) -> None:
    """Remove files and directories, the newest first."""
    for path in reversed(new_paths):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()


def _put_back(root: Path, old_texts: dict[str, str]) -> None:
    """Restore the old texts of changed files."""
    for name, text in old_texts.items():
        if read(root, name) != text:
            _write(root / name, text)
