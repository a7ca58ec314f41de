"""The running release, and the commit of its build."""

import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from shutil import which

_PACKAGE = Path(__file__).parents[1]


@cache
def release() -> str:
    """Return the version, such as "0.2.0.dev0+g1a2b3c4d5e".

    The commit is in the package if a build has written it there. In a checkout it comes from git.
    Otherwise the version has no commit.
    """
    try:
        commit = (_PACKAGE / "commit.txt").read_text().strip()
    except OSError:
        commit = _commit_of_checkout()
    return f"{version('giornale')}+{commit}" if commit else version("giornale")


def with_extra(name: str) -> str:
    """Return the command that installs the wheel with an extra.

    The command names the file of the wheel, since no package index has the wheel.
    """
    extras = name if name == "server" else f"server,{name}"
    return f"pipx install --force './giornale-{version('giornale')}-py3-none-any.whl[{extras}]'"


def _commit_of_checkout() -> str:
    root = _PACKAGE.parent
    git = which("git")
    if git is None or not (root / ".git").exists():
        return ""
    command = [git, "-C", str(root), "rev-parse", "--short=10", "HEAD"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"g{result.stdout.strip()}"
