"""Figures of the division of the code into files: `python -m tests.figures` prints them.

None has a limit: limits have led to files with several subjects. CONTRIBUTING.md tells their
purpose.
"""

import ast
from pathlib import Path

import grimp

from benchmarks.web import application
from tests.trace import KINDS, trace_move

ROOT = Path(__file__).parents[1]
PACKAGES = ("domain", "service", "workers")


def cut() -> dict[str, float]:
    """Return the number of modules, the share with one importer, and the share of import lines.

    single_importer: percent of the modules with exactly one importing module. `__init__` and
    `__main__` do not count. import_lines: percent of all lines.
    """
    all_files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    # Templates of programs are no modules.
    files = [file for file in all_files if (file.parent / "__init__.py").exists()]
    texts = [file.read_text(encoding="utf-8") for file in files]
    lines = sum(text.count("\n") for text in texts)

    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    plain = [_module(file) for file in files if not file.stem.startswith("__")]
    single = [one for one in plain if len(graph.find_modules_that_directly_import(one)) == 1]

    return {
        "modules": len(files),
        "single_importer": round(100 * len(single) / len(plain), 1),
        "import_lines": round(100 * sum(map(_import_lines, texts)) / lines, 1),
    }


def way_of_a_move() -> dict[str, float]:
    """Return the number of files and of calls of a POSTed move, the largest of all games."""
    with application() as app:
        traces = [trace_move(app.test_client(), game, kind) for game, kind in KINDS.items()]
    return {
        "files_of_a_move": max(len(trace.files()) for trace in traces),
        "calls_of_a_move": max(trace.calls.total() for trace in traces),
    }


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def _import_lines(text: str) -> int:
    nodes = ast.walk(ast.parse(text))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in imports)


def main() -> None:
    """Print the figures."""
    for name, figure in (cut() | way_of_a_move()).items():
        print(f"{name:<16} {figure:>6g}")


if __name__ == "__main__":
    main()
