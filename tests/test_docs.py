"""The pages name nothing that is not there: no file, no link, no module, no target of make."""

import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALL_PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
)

# The changelog tells of names that have gone.
PAGES = [page for page in ALL_PAGES if page != "CHANGELOG.md"]

FOLDERS = (
    *("domain", "service", "workers", "page"),
    *("tests", "docs", "benchmarks", "examples", "scaffold"),
)
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
PLACE = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./-]*")
FILE_IN_A_FOLDER = re.compile(r"[\w-]+/[\w./-]+\.(?:py|lua|md|mjs|json|yaml|yml)")
DOTTED_NAME = re.compile(r"(?:domain|service|workers)(?:\.\w+)+")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MAKE = re.compile(r"(?:^    |`)make ([a-z][a-z-]*)", re.MULTILINE)
TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)

# What is there only after `make bench` or `npm ci`.
MADE_BY_A_COMMAND = {
    "benchmarks/history.jsonl",
    "benchmarks/boardgame/node_modules",
    "benchmarks/peers.jsonl",
    "page/node_modules",
    "tests/contract/node_modules",
}


def quoted(page: str) -> list[str]:
    """Return what a page has in backticks."""
    text = (ROOT / page).read_text()
    return IN_BACKTICKS.findall(text)


def places(page: str) -> list[str]:
    """Return the files and folders of the project that a page names in backticks."""
    return [
        words
        for words in quoted(page)
        if PLACE.fullmatch(words) or FILE_IN_A_FOLDER.fullmatch(words)
    ]


def resolves(name: str) -> bool:
    """Return whether a dotted name is a module, or a name in one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def links(page: str) -> list[str]:
    """Return the links of a page to other pages and to its own headings."""
    text = (ROOT / page).read_text()
    return [link for link in LINK.findall(text) if not link.startswith(("http:", "https:"))]


def leads_somewhere(page: str, link: str) -> bool:
    """Return whether there is a file where a link leads, and a heading where its anchor leads."""
    source = ROOT / page
    path, _, anchor = link.partition("#")
    target = source.parent / path if path else source

    if not target.exists():
        return False
    return not anchor or anchor in anchors(target)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    anchors = set()
    for heading in HEADING.findall(page.read_text()):
        words = re.sub(r"[^\w -]", "", heading)
        anchors.add(words.lower().replace(" ", "-"))
    return anchors


def test_the_pages_are_read() -> None:
    """There are names to check; a change of form does not make the next tests empty."""
    assert len(PAGES) > 40
    assert sum(len(places(page)) for page in PAGES) > 60


@pytest.mark.parametrize("page", ALL_PAGES)
def test_links_and_targets_of_make_that_a_page_names_are_there(page: str) -> None:
    """A link leads to a file, and its anchor to a heading there; `make NAME` is in the Makefile."""
    dead = [link for link in links(page) if not leads_somewhere(page, link)]
    assert dead == []

    targets = set(TARGET.findall((ROOT / "Makefile").read_text()))
    assert set(MAKE.findall((ROOT / page).read_text())) <= targets


@pytest.mark.parametrize("page", PAGES)
def test_files_and_modules_that_a_page_names_are_there(page: str) -> None:
    """A path in backticks leads from the root to a file or a folder; a dotted name to code."""
    missing = [
        place
        for place in places(page)
        if not (ROOT / place).exists() and place not in MADE_BY_A_COMMAND
    ]
    assert missing == []

    names = [words for words in quoted(page) if DOTTED_NAME.fullmatch(words)]
    assert [name for name in names if not resolves(name)] == []
