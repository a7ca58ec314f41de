"""Each state has a version of its own, so that pip and pipx know one from the other."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
RELEASE = re.compile(r"\[(?P<version>[^\]]+)\] - \d{4}-\d{2}-\d{2}")
UNRELEASED = "[Unreleased]"


def own_version() -> Version:
    """Return the version that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return Version(project["version"])


def breaks_the_rule(version: Version, changelog: str) -> str:
    """Return why a version is not that of a state with this changelog, "" if it is.

    A release has a heading with its version and a date. As soon as something has changed since, the
    version is a later one, under development: that of the next release with `.devN`.
    """
    first, *headings = HEADING.findall(changelog)
    if first != UNRELEASED:
        return f"the first heading is {first}, not {UNRELEASED}"

    dated = [RELEASE.fullmatch(heading) for heading in headings]
    if None in dated:
        return "a heading is not [version] - date"
    releases = [Version(found["version"]) for found in dated if found]
    if releases != sorted(set(releases), reverse=True):
        return "the releases do not stand newest first, each once"

    _, _, rest = changelog.partition(f"## {UNRELEASED}\n")
    unreleased, _, _ = rest.partition("\n## ")
    if not unreleased.strip():
        return "" if version == releases[0] else f"this is {releases[0]}, not {version}"
    if version <= releases[0]:
        return f"something has changed since {releases[0]}, and the version is still {version}"
    return "" if version.is_devrelease else f"{version} is not released, so it must end with .devN"


def test_the_version_is_that_of_this_state() -> None:
    """It is no release's while something is unreleased; CONTRIBUTING.md says what to do."""
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert breaks_the_rule(own_version(), changelog) == ""


RELEASED = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-24\n\n## [0.1.0] - 2026-11-20\n"
CHANGED = RELEASED.replace("## [0.2", "### Added\n\n- Something.\n\n## [0.2")


@pytest.mark.parametrize(
    ("version", "changelog", "reason"),
    [
        ("0.2.0", RELEASED, ""),
        ("0.1.0", RELEASED, "this is 0.2.0, not 0.1.0"),
        ("0.3.0.dev0", RELEASED, "this is 0.2.0, not 0.3.0.dev0"),
        ("0.3.0.dev0", CHANGED, ""),
        ("0.2.1.dev3", CHANGED, ""),
        ("0.2.0", CHANGED, "something has changed since 0.2.0, and the version is still 0.2.0"),
        ("0.2.0.dev1", CHANGED, "something has changed since 0.2.0"),
        ("0.3.0", CHANGED, "0.3.0 is not released, so it must end with .devN"),
        ("0.2.0", RELEASED.replace(" - 2026-12-24", ""), "a heading is not"),
        ("0.2.0", RELEASED.replace("0.1.0", "0.3.0"), "the releases do not stand newest first"),
        ("0.2.0", RELEASED.replace("## [Unreleased]\n\n", ""), "the first heading is [0.2.0]"),
    ],
)
def test_a_version_that_breaks_the_rule_is_found(version: str, changelog: str, reason: str) -> None:
    """The rule tells the states of a project one from the other."""
    found = breaks_the_rule(Version(version), changelog)
    assert found.startswith(reason)
    assert bool(found) == bool(reason)


def test_the_contract_names_the_version() -> None:
    """openapi.yaml is written from the code that is installed here."""
    contract = (ROOT / "openapi.yaml").read_text()
    assert f"\n  version: {own_version()}\n" in contract
