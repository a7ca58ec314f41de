"""A copy of the repository, for tests to change files in it."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "domain", "examples", "page", "scaffold", "service", "tests", "workers")
FILES = ("Makefile", "openapi.yaml", "pyproject.toml")

# Large files, and those made by running something.
LEFT_OUT = ignore_patterns("__pycache__", "node_modules", "*.ndjson.gz")
MADE = ignore_patterns(
    *(".git", ".venv", ".*_cache", ".hypothesis", ".coverage*"),
    *("__pycache__", "node_modules", "var", "dist"),
)

# The packages of Node are a link, for a copy of them would be larger than all else.
NODE_MODULES = (
    "tests/contract/node_modules",
    "page/node_modules",
    "benchmarks/boardgame/node_modules",
)


class Checkout:
    """A copy of the repository, and commands in it with this Python."""

    def __init__(self, directory: Path) -> None:
        self.root = directory
        for name in FOLDERS:
            copytree(ROOT / name, directory / name, ignore=LEFT_OUT)
        for name in FILES:
            text = (ROOT / name).read_text(encoding="utf-8")
            (directory / name).write_text(text, encoding="utf-8")

    def complete(self) -> None:
        """Copy the rest: golden records, and all other files for the tests."""
        copytree(ROOT, self.root, ignore=MADE, dirs_exist_ok=True)
        for name in NODE_MODULES:
            if (ROOT / name).is_dir():
                (self.root / name).symlink_to(ROOT / name)

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command in the copy. It imports the copy's packages."""
        return subprocess.run(
            command,
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    def python(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run this Python with arguments in the copy."""
        return self.run(sys.executable, *arguments)

    def files(self) -> dict[str, bytes]:
        """Return the content of every file, by its path. Directories have an empty one."""
        contents = {}
        for path in self.root.rglob("*"):
            name = str(path.relative_to(self.root))
            contents[name] = path.read_bytes() if path.is_file() else b""
        return contents


def changes(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Return the added, changed or removed paths."""
    return {path for path in before | after if before.get(path) != after.get(path)}
