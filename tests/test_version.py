"""Each state has its own version, so that pip and pipx know one from the other."""

import re
import tomllib
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
RELEASE = re.compile(r"\[(?P<version>[^\]]+)\] - \d{4}-\d{2}-\d{2}")
UNRELEASED = "[Unreleased]"


def own_version() -> Version:
    """Return the version in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return Version(project["version"])


def test_the_version_is_that_of_this_state() -> None:
    """A release has a heading with its version and a date, the newest first.

    As soon as something has changed since, the version is a later one, under development: that of
    the next release with `.devN`. CONTRIBUTING.md gives the steps.
    """
    changelog = (ROOT / "CHANGELOG.md").read_text()
    first, *headings = HEADING.findall(changelog)
    assert first == UNRELEASED

    dated = [RELEASE.fullmatch(heading) for heading in headings]
    assert None not in dated, "a heading is not [version] - date"
    releases = [Version(release["version"]) for release in dated if release]
    assert releases == sorted(set(releases), reverse=True)

    _, _, rest = changelog.partition(f"## {UNRELEASED}\n")
    unreleased, _, _ = rest.partition("\n## ")
    has_changed = bool(unreleased.strip())
    version = own_version()
    assert (version > releases[0]) == has_changed
    assert version.is_devrelease == has_changed


def test_the_contract_names_the_version() -> None:
    """openapi.yaml has the version of pyproject.toml."""
    contract = (ROOT / "openapi.yaml").read_text()
    assert f"\n  version: {own_version()}\n" in contract
