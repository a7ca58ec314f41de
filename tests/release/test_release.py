"""A release: the same bytes from every build of one commit, and no release by mistake."""

import hashlib
import subprocess
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from release.__main__ import build, differences, faults, project_of, section_of, write_sums
from tests import installed

ROOT = Path(__file__).parents[2]
PINNED = "FROM python:3.13-slim@sha256:00 AS build\n"
CHANGELOG = """\
# Changelog

## [Unreleased]

- A later change.

## [1.2.0] - 2026-11-29

### Added

- A change.

## [1.1.0] - 2026-11-01

- An earlier change.

[1.2.0]: https://example.org
"""


def git(root: Path, *arguments: str) -> None:
    """Run git with a developer's name and address."""
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    command = ["git", *who, *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def commit(root: Path, **files: str) -> None:
    """Write files and commit them. A name has `__` for each `/`, and `_` for the last dot."""
    for name, text in files.items():
        path = root / ".".join(name.replace("__", "/").rsplit("_", 1)).removesuffix(".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "--all")
    git(root, "commit", "--message", "change")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a commit that may become release 1.2.0."""
    git(tmp_path, "init")
    commit(
        tmp_path,
        pyproject_toml='[project]\nversion = "1.2.0"\n',
        CHANGELOG_md=CHANGELOG,
        examples__deploy__container__Containerfile_=PINNED,
    )
    return tmp_path


def test_a_section_ends_at_the_next_heading() -> None:
    """A section has the changes of one version, without its heading."""
    assert section_of(CHANGELOG, "1.2.0") == "### Added\n\n- A change."
    assert section_of(CHANGELOG, "1.1.0") == "- An earlier change."
    assert section_of(CHANGELOG, "1.3.0") == ""


def test_a_whole_commit_may_be_released(project: Path) -> None:
    """A commit may be released even if it has the tag already."""
    assert list(faults(project, "1.2.0")) == []
    git(project, "tag", "v1.2.0")
    assert list(faults(project, "1.2.0")) == []


@pytest.mark.parametrize("version", ["1.2", "v1.2.0", "1.2.0.dev0", "../1.2.0", ""])
def test_a_version_has_three_numbers(project: Path, version: str) -> None:
    """A version becomes the name of a directory and of a tag."""
    assert list(faults(project, version)) == [f"{version!r} is no version such as 0.2.0."]


def test_each_fault_has_a_sentence(project: Path) -> None:
    """A changed file, another version, no changes and an image without a digest are faults."""
    (project / "new.txt").write_text("")
    assert list(faults(project, "1.2.0")) == ["The working tree has changes. Commit them first."]

    commit(project, examples__deploy__container__Containerfile_="FROM python:3.13-slim\n")
    assert list(faults(project, "1.3.0")) == [
        "pyproject.toml has version 1.2.0. Set it to 1.3.0.",
        "CHANGELOG.md has no section `## [1.3.0] - YYYY-MM-DD` with changes.",
        "examples/deploy/container/Containerfile names images without a digest: python:3.13-slim.",
    ]


def test_a_tag_never_moves(project: Path) -> None:
    """A released version stays the same."""
    git(project, "tag", "v1.2.0")
    commit(project, README_md="more")
    assert list(faults(project, "1.2.0")) == ["The tag v1.2.0 names another commit."]


def test_builds_are_compared_byte_for_byte(tmp_path: Path) -> None:
    """A file that one build lacks differs, too."""
    first, second = tmp_path / "first", tmp_path / "second"
    for place, content in ((first, b"1"), (second, b"2")):
        place.mkdir()
        (place / "same").write_bytes(b"0")
        (place / "other").write_bytes(content)
    (first / "alone").write_bytes(b"")
    assert list(differences(first, second)) == [
        "Only one of two builds has alone.",
        "Two builds of other differ.",
    ]


def test_sums_are_those_of_sha256sum(tmp_path: Path) -> None:
    """The list has one line for each file but itself."""
    (tmp_path / "a.whl").write_bytes(b"wheel")
    write_sums(tmp_path)
    digest = hashlib.sha256(b"wheel").hexdigest()
    assert (tmp_path / "SHA256SUMS").read_text() == f"{digest}  a.whl\n"


def test_an_upgrade_begins_at_the_last_release(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m tests.installed` upgrades from the newest tag of a version before the commit."""
    monkeypatch.setattr(installed, "ROOT", project)
    assert installed.last_release() == ""
    git(project, "tag", "v1.1.0")
    git(project, "tag", "nightly")
    commit(project, README_md="more")
    assert installed.last_release() == "v1.1.0"


@pytest.mark.whole
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a checkout is released")
def test_two_builds_of_a_commit_are_equal(tmp_path: Path) -> None:
    """Builds of service and client are equal. The client is one file, without requirements."""
    builds = [build(ROOT, tmp_path / name) for name in ("first", "second")]
    assert list(differences(*builds)) == []

    version = project_of(ROOT)["version"]
    assert {path.name for path in builds[0].iterdir()} == {
        f"giornale-{version}.tar.gz",
        f"giornale-{version}-py3-none-any.whl",
        f"giornale_client-{version}-py3-none-any.whl",
    }

    [client] = builds[0].glob("giornale_client-*.whl")
    with zipfile.ZipFile(client) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith("METADATA")]
        assert Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist") is None
        show = ["git", "show", "HEAD:giornale_client.py"]
        committed = subprocess.run(show, cwd=ROOT, capture_output=True, check=True).stdout
        assert archive.read("giornale_client.py") == committed
