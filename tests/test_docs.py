"""The files, links, modules and targets of make that the pages name exist."""

import pkgutil
import re
from pathlib import Path

import pytest

from service.api.problems import KINDS

ROOT = Path(__file__).parents[1]
ALL_PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
)

# The changelog tells of removed names.
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

MESSAGE = re.compile(r"(?!giornale )[a-z][a-z' :]+ [a-z']+")
PUT_TOGETHER = re.compile(r"^the (?:head|archive marker) ")

# Diagrams in D2: labels follow a colon.
NO_LABEL = re.compile(r"#.*|\{[^}\n]*:[^}\n]*\}|^(?:direction|shape):.*", re.MULTILINE)
LABEL = re.compile(r": ([^{\n]+)")
LONG_WORD = re.compile(r"[a-z]{4,}")

# A page answers one question. These pages are longer. All but the rules are to be split.
MOST_WORDS = 2500
LONG_PAGES = {
    "docs/guides/third-game.md",
    "docs/rules/firenze.md",
}

# Files that exist only after `make bench` or `npm ci`.
MADE_BY_A_COMMAND = {
    "benchmarks/history.jsonl",
    "benchmarks/boardgame/node_modules",
    "benchmarks/peers.jsonl",
    "page/node_modules",
    "tests/contract/node_modules",
}


def quoted(page: str) -> list[str]:
    """Return a page's texts in backticks."""
    text = (ROOT / page).read_text()
    return IN_BACKTICKS.findall(text)


def places(page: str) -> list[str]:
    """Return the files and folders of the project in a page's backticks."""
    return [
        words
        for words in quoted(page)
        if PLACE.fullmatch(words) or FILE_IN_A_FOLDER.fullmatch(words)
    ]


def resolves(name: str) -> bool:
    """Return True if a dotted name is a module, or a name in one."""
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
    """Return True if a link leads to a file, and its anchor to a heading."""
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
    """There are names to check. A change of form does not make the next tests empty."""
    assert len(PAGES) > 40
    assert sum(len(places(page)) for page in PAGES) > 60


@pytest.mark.parametrize("source", sorted(ROOT.glob("docs/images/*.d2")), ids=lambda one: one.stem)
def test_a_diagram_is_drawn_from_its_source(source: Path) -> None:
    """The picture beside a source holds each word of its labels with four letters or more."""
    labels = LABEL.findall(NO_LABEL.sub("", source.read_text()))
    words = {word for label in labels for word in LONG_WORD.findall(label.replace(r"\n", " "))}
    picture = source.with_suffix(".svg").read_text()
    assert len(words) > 4
    assert [word for word in sorted(words) if word not in picture] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_lists_nest_by_four_columns(page: str) -> None:
    """The site's Markdown takes fewer columns for the end of the list, unlike GitHub's."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.DOTALL)
    assert (
        re.findall(r"^ {2,3}(?:[-*]|\d+\.) .*|(?<=\n\n) {2,3}[^ |\n].*", text, re.MULTILINE) == []
    )


@pytest.mark.parametrize("page", ["journal-server", "log", "monitor", "troubles"])
def test_a_log_message_of_a_guide_is_in_the_code(page: str) -> None:
    """Each message in backticks stands in a program, without a beginning that is put together."""
    sources = [
        path.read_text()
        for folder in ("service", "workers")
        for path in (ROOT / folder).rglob("*.py")
    ]
    code = re.sub(r'"\s*\n\s*f?"', "", "\n".join(sources))
    messages = [words for words in quoted(f"docs/guides/{page}.md") if MESSAGE.fullmatch(words)]
    assert [one for one in messages if PUT_TOGETHER.sub("", one) not in code] == []


def test_the_reference_has_every_problem() -> None:
    """The table of problems has the name and the status of each kind."""
    text = (ROOT / "docs/reference/problems.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", text, re.MULTILINE)
    assert sorted(rows) == sorted((kind.name, str(kind.status)) for kind in KINDS.values())


def test_no_page_is_too_long() -> None:
    """A page has 2,500 words at most. The list of exceptions has no page that is short enough."""
    words = {page: len((ROOT / page).read_text().split()) for page in PAGES}
    assert {page for page, number in words.items() if number > MOST_WORDS} == LONG_PAGES


@pytest.mark.parametrize("page", ALL_PAGES)
def test_links_and_targets_of_make_that_a_page_names_are_there(page: str) -> None:
    """A link leads to a file, and its anchor to a heading there. `make NAME` is in the Makefile."""
    dead = [link for link in links(page) if not leads_somewhere(page, link)]
    assert dead == []

    targets = set(TARGET.findall((ROOT / "Makefile").read_text()))
    assert set(MAKE.findall((ROOT / page).read_text())) <= targets


@pytest.mark.parametrize("page", PAGES)
def test_files_and_modules_that_a_page_names_are_there(page: str) -> None:
    """A path in backticks leads from the root to a file or a folder. A dotted name to code."""
    missing = [
        place
        for place in places(page)
        if not (ROOT / place).exists() and place not in MADE_BY_A_COMMAND
    ]
    assert missing == []

    names = [words for words in quoted(page) if DOTTED_NAME.fullmatch(words)]
    assert [name for name in names if not resolves(name)] == []
