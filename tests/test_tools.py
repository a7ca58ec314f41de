"""Makefile, hooks of git and workflow check a change with the same commands."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import pythons

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text()
HOOK_FILE: dict[str, Any] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
HOOKS: list[dict[str, Any]] = HOOK_FILE["repos"][0]["hooks"]
WORKFLOW_TEXT = (ROOT / ".github/workflows/check.yml").read_text()
WORKFLOW: dict[Any, Any] = yaml.safe_load(WORKFLOW_TEXT)
[JOB] = WORKFLOW["jobs"].values()


def recipe(target: str) -> list[str]:
    """Return the commands of a target in the Makefile, for the environment in .venv."""
    [lines] = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    plain = lines.replace("$(PY)", "$(VENV)/bin/python").replace("$(VENV)", ".venv")
    return [line.strip() for line in plain.splitlines()]


def test_hooks_run_the_commands_of_make_check() -> None:
    """The hooks run exactly these, with installed tools. Contract and pages are a hook each."""
    [prerequisites] = re.findall(r"^check: (.*?) ##", MAKEFILE, re.MULTILINE)
    assert prerequisites.split() == ["$(VENV)/.dev", "contract", "page"]
    entries = [hook["entry"] for hook in HOOKS]
    assert sorted(entries) == sorted([*recipe("check"), "make contract", "make page"])

    assert [one["repo"] for one in HOOK_FILE["repos"]] == ["local"]
    for hook in HOOKS:
        assert hook["language"] == "system"
        assert hook["pass_filenames"] is False


def test_the_workflow_runs_the_projects_own_check() -> None:
    """The workflow runs .ci/run and nothing else, on every promised Python and system.

    .ci/run runs the obligatory checks. One line runs all tests marked `whole`, except those in
    the folders of another line.
    """
    commands = [step["run"] for step in JOB["steps"] if "run" in step]
    assert commands == [".ci/run"]
    matrix = JOB["strategy"]["matrix"]
    assert matrix["python"] == pythons.promised()
    assert matrix["system"] == ["ubuntu-latest", "macos-latest"]

    script = ROOT / ".ci/run"
    assert script.stat().st_mode & 0o111
    run = re.findall(r"^make (.+) \|\| failed=1$", script.read_text(), re.MULTILINE)
    assert run[:3] == ["check", "test", "browser"]
    assert run[-1].startswith("attack")

    [whole] = [line for line in run if "-m whole " in line]
    words = whole.removeprefix('test PYTEST_ARGS="-m whole ').removesuffix('"').split()
    ignored = [word.removeprefix("--ignore=") for word in words]
    assert set(ignored) == {"tests/browser", "tests/campaign"}
    everything = "-m 'whole or not whole'"
    assert f"{everything} tests/browser" in recipe("browser")[-1]
    assert [f"{everything} tests/campaign" in line for line in run].count(True) == 1


def test_the_workflow_may_read_and_no_more() -> None:
    """The workflow can only read the code, names no secret, and pins actions to commits.

    Tags may be moved by their holders. The version beside a commit is for readers.
    """
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in JOB
    assert "secrets." not in WORKFLOW_TEXT

    actions = re.findall(r"uses: (.*)", WORKFLOW_TEXT)
    assert len(actions) == 2
    for action in actions:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


# Files without text: records, packed matches, dictionaries of zstd, pictures.
COMPRESSED = (".gz", ".zst", ".dictionary", ".png", ".xz")


def tracked_text() -> list[Path]:
    """Return the project's files with text, as git lists them."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git")

    listed = subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    return [path for path in paths if path.is_file() and path.suffix not in COMPRESSED]


def test_every_file_follows_the_editors_settings() -> None:
    """Files are UTF-8, without spaces at line ends, and with tabs only as .editorconfig says."""
    settings = (ROOT / ".editorconfig").read_text()
    [with_tabs] = re.findall(r"^\[\{(.+)\}\]\nindent_style = tab$", settings, re.MULTILINE)

    paths = tracked_text()
    assert len(paths) > 100
    for path in paths:
        text = path.read_bytes().decode()
        assert "\r" not in text, path
        assert not text or text.endswith("\n"), path
        assert not re.search(r"[ \t]$", text, re.MULTILINE), path

        tabs = re.search(r"^ *\t", text, re.MULTILINE)
        assert not tabs or path.name in with_tabs.split(","), path
