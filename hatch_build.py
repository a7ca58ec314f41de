"""Build hook: the commit of a checkout goes into sdist and wheel, so that `--version` names it.

A wheel that is built from an sdist has the sdist's commit. Without git both are built without one.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMIT_FILE = "service/commit.txt"


class CommitHook(BuildHookInterface[Any]):
    """Adds a file with the commit to what is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file, unless the sources have it, or are installed to be edited."""
        root = Path(self.root)
        commit = commit_of(root)
        if version == "editable" or (root / COMMIT_FILE).exists() or not commit:
            return
        self._directory = tempfile.TemporaryDirectory()
        path = Path(self._directory.name) / "commit.txt"
        path.write_text(commit)
        build_data["force_include"][str(path)] = COMMIT_FILE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the draft of the file."""
        directory = getattr(self, "_directory", None)
        if directory is not None:
            directory.cleanup()


def commit_of(root: Path) -> str:
    """Return the commit of a checkout, with ".dirty" if a file differs; "" if there is none."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return ""
    try:
        commit = _output(git, root, "rev-parse", "--short=10", "HEAD")
        changed = _output(git, root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"g{commit}{'.dirty' if changed else ''}"


def _output(git: str, root: Path, *arguments: str) -> str:
    command = [git, "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.strip()
