"""Requirements of the tests on other Pythons: versions, packages, files."""

import re
from importlib.metadata import requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import pythons


def test_the_promised_versions_are_those_of_the_classifiers() -> None:
    """The promised versions begin with 3.11, in order, and each is named once."""
    versions = pythons.promised()

    assert versions[0] == "3.11"
    assert versions == sorted(set(versions))
    assert len(versions) >= 4


def test_the_domains_tests_need_the_packages_that_are_listed() -> None:
    """Each package needs only others of the list, so pip can install all by their hashes."""
    for package in pythons.DOMAIN_PACKAGES:
        for requirement in map(Requirement, requires(package) or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert canonicalize_name(requirement.name) in pythons.DOMAIN_PACKAGES, package


def test_every_package_for_the_domain_is_locked_with_hashes() -> None:
    """The entries of the lock file are taken whole."""
    entries = pythons.locked(pythons.DOMAIN_PACKAGES)

    for package in pythons.DOMAIN_PACKAGES:
        [entry] = [one for one in entries.split("\n") if one.startswith(f"{package}==")]
        assert entry.endswith("\\")
    assert entries.count("--hash=sha256:") >= 2 * len(pythons.DOMAIN_PACKAGES)


def test_the_domains_tests_import_no_package_of_the_service() -> None:
    """The tests import neither service nor workers, and none of redis, flask and orjson."""
    elsewhere = re.compile(
        r"^\s*(?:from|import) (?:service|workers|redis|flask|orjson)\b", re.MULTILINE
    )
    assert (pythons.ROOT / pythons.LAWS).is_file()
    files = list((pythons.ROOT / pythons.DOMAIN_TESTS).rglob("*.py"))

    assert len(files) > 20
    assert [path for path in files if elsewhere.search(path.read_text())] == []
