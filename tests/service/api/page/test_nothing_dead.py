"""Static files have no leftovers: each export is named elsewhere, each styled class is used."""

import re
from collections.abc import Iterator
from pathlib import Path

from service.api.page.assets import TEMPLATES, tree

EXPORT = re.compile(
    r"^export (?:async )?(?:function\*?|const|let|class) ([\w$]+)",
    re.MULTILINE,
)
WORD = re.compile(r"[\w$]+")
CLASS = re.compile(r"[\w-]+")
STYLED = re.compile(r"\.([a-zA-Z][\w-]*)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BODY = re.compile(r"\{[^{}]*\}")

ROOT = Path(__file__).parents[4]

# Files other than modules that give classes to elements.
SERVICE = ROOT / "service"
BESIDE = (
    *TEMPLATES.glob("*.html"),
    *SERVICE.rglob("templates/*.html"),
    SERVICE / "api/rulebooks.py",
)
# These run modules without a page, so a module may export its internals to them.
ALONE = (*(ROOT / "tests/page").glob("*.mjs"), ROOT / "docs/fairness.mjs")
# The single-file page, written by Python, imports these.
FOR_PYTHON = {"open", "board"}


def modules() -> dict[str, str]:
    """Return the texts of all modules but the vendored ones, by their paths."""
    return {
        path: asset.content.decode()
        for path, asset in tree().assets.items()
        if path.endswith(".js") and not path.startswith("vendor/")
    }


def exports(texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each export with the path of its module."""
    for path, text in texts.items():
        for name in EXPORT.findall(text):
            yield path, name


def classes(style: str) -> set[str]:
    """Return the classes that a style sheet has rules for."""
    selectors = BODY.sub("{}", COMMENT.sub("", style))
    return set(STYLED.findall(selectors))


def is_given(name: str, words: set[str], texts: str) -> bool:
    """Return True if an element gets a class, whole or by its first parts: `seat-${n}`."""
    parts = name.split("-")
    beginnings = ["-".join(parts[:count]) + "-${" for count in range(1, len(parts))]
    return name in words or any(beginning in texts for beginning in beginnings)


def test_every_export_is_imported() -> None:
    """Another module has the name of each export, so nothing is exported in vain."""
    texts = modules()
    users = texts | {file.name: file.read_text() for file in ALONE}
    words = {path: set(WORD.findall(text)) for path, text in users.items()}
    dead = [
        f"{path}: {name}"
        for path, name in exports(texts)
        if name not in FOR_PYTHON
        and not any(name in others for other, others in words.items() if other != path)
    ]

    assert len(texts) > 60
    assert dead == []


def test_every_class_with_a_style_is_given() -> None:
    """Everybody who changes the style would read a rule for an unused class."""
    written = [file.read_text() for file in BESIDE]
    texts = "\n".join([*modules().values(), *written])
    words = set(CLASS.findall(texts))
    styles = {path: asset.content.decode() for path, asset in tree().assets.items()}
    dead = [
        f"{path}: {name}"
        for path, text in styles.items()
        if path.endswith(".css")
        for name in sorted(classes(text))
        if not is_given(name, words, texts)
    ]

    assert len(styles) > 60
    assert dead == []
