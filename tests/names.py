"""What every module and every public class says of itself, as one page: docs/names.md.

`make names` writes the page from the first sentences of the docstrings in `domain/`, `service/` and
`workers/`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/names.md"
PACKAGES = ("domain", "service", "workers")

# Up to the first full stop: a question is told with its answer.
SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)
CODE = re.compile(r"(`[^`]*`)")

HEAD = """# Names

Every module of the project with the first sentence of its docstring, and its public classes with
theirs, room by room. `make names` writes this page from the code.

[architecture.md](architecture.md) says which room may import which, and [glossary.md](glossary.md)
explains the words.
"""


def page() -> str:
    """Return the whole page."""
    rooms = [room(folder) for package in PACKAGES for folder in folders(package)]
    return "\n".join([HEAD, *rooms])


def folders(package: str) -> list[Path]:
    """Return the folders of a package that hold modules, itself first."""
    modules = (ROOT / package).rglob("*.py")
    return sorted({module.parent for module in modules})


def room(folder: Path) -> str:
    """Return one folder's part of the page."""
    lines = [f"## `{folder.relative_to(ROOT)}/`", ""]
    for module in modules(folder):
        tree = ast.parse(module.read_text())
        if not tree.body:
            continue

        name = "The package" if module.stem == "__init__" else f"`{module.stem}`"
        lines.append(f"- {name}: {first_sentence(tree)}")
        lines += [f"  - `{one.name}`: {first_sentence(one)}" for one in public_classes(tree)]

    return "\n".join(lines) + "\n"


def modules(folder: Path) -> list[Path]:
    """Return the modules of a folder; `__init__` is the first."""
    return sorted(folder.glob("*.py"), key=lambda module: (module.stem != "__init__", module.stem))


def public_classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """Return the public classes of a module in their order."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node


def first_sentence(node: ast.Module | ast.ClassDef) -> str:
    """Return the first sentence of a docstring in one line of Markdown; "" without a docstring."""
    paragraph = (ast.get_docstring(node) or "").split("\n\n")[0]
    sentence = SENTENCE.match(paragraph)
    text = sentence[0] if sentence else paragraph
    return as_markdown(" ".join(text.split()))


def as_markdown(text: str) -> str:
    """Return a text in which angle brackets are no HTML; what is in backticks stays as it is."""
    parts = CODE.split(text)
    return "".join(part if part.startswith("`") else part.replace("<", r"\<") for part in parts)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
