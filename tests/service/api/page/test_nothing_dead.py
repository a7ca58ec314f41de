"""Static files have no leftovers: each export is imported, each styled class is used."""

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, normpath

from service.api.page.assets import STATIC, TEMPLATES, tree

EXPORT = re.compile(
    r"^export (?:async )?(?:function\*?|const|let|class) ([\w$]+)",
    re.MULTILINE,
)
# `import { a, b as c } from`, `const { a, b: c } = await import(`
NAMED_IMPORT = re.compile(r"""\{([^{}]*)\}\s*(?:from\s*|=\s*await\s+import\(\s*)["']([^"']+)["']""")
# `import("a.js").then(({ a }) =>`
AWAITED_IMPORT = re.compile(r"""import\(["']([^"']+)["']\)\.then\(\(\{([^{}]*)\}""")
# `import * as all from`, `import("a.js")`, and types: `import("a.js").Name`
WHOLE_IMPORT = re.compile(r"""(?:\*\s*as\s+[\w$]+\s+from\s*|import\(\s*)["'`]([^"'`]+)["'`]""")
# The use of a module that is imported whole: `all.name`, `({ name }) =>`
MEMBER = re.compile(r"\.([\w$]+)|\(\{ ([\w$]+) \}\) =>")
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


def imports(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the exports used by a file, each with the path of its module.

    For a module that is imported whole, all names of members in the file are yielded.
    """
    clauses = [(module, clause) for clause, module in NAMED_IMPORT.findall(text)]
    for module, clause in clauses + AWAITED_IMPORT.findall(text):
        for part in clause.split(","):
            if names := re.findall(r"[\w$]+", part):
                yield resolved(path, module), names[0]
    for module in WHOLE_IMPORT.findall(text):
        for name in MEMBER.finditer(text):
            yield resolved(path, module), name[1] or name[2]


def resolved(path: str, module: str) -> str:
    """Return the path of a module, relative to that of the importing file."""
    return normpath(f"{dirname(path)}/{module}")


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
    """Another file imports each export, but for those in FOR_PYTHON."""
    texts = modules()
    users = {str(STATIC / path): text for path, text in texts.items()}
    users |= {str(file): file.read_text() for file in ALONE}
    used = {one for path, text in users.items() for one in imports(path, text) if one[0] != path}
    dead = [
        f"{path}: {name}"
        for path, name in exports(texts)
        if name not in FOR_PYTHON and (str(STATIC / path), name) not in used
    ]

    assert len(texts) > 60
    assert dead == []


def test_every_class_with_a_style_is_given() -> None:
    """A style sheet has no rule for an unused class."""
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
