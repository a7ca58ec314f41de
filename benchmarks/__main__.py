"""Run benchmarks: `python -m benchmarks [NAME ...] [CONSTANT=VALUE ...]`.

Without a name those of `make bench` are run one after the other; their ratios are compared with
the last run, and noted in the history. CONSTANT=VALUE sets a constant of the benchmarks that are
named: `python -m benchmarks reading RUNS=1 MATCHES=100` is soon done. Curves are noted unless a
constant was set.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

from benchmarks import history
from benchmarks.measure import Curve, Figures, Ratio

NAMES = (
    "playouts",
    "replay",
    "append",
    "archive",
    "moves",
    "reading",
    "streams",
    "followers",
    "verifying",
    "page",
)


def main(arguments: list[str]) -> None:
    """Measure, compare with the last run on this kind of machine, and remember."""
    os.environ.setdefault("PYTHONPATH", ".")
    names = [argument for argument in arguments if "=" not in argument]
    settings = [argument for argument in arguments if "=" in argument]

    ratios: list[Ratio] = []
    for name in names or NAMES:
        print(f"\n== {name}", flush=True)
        figures = measure(name, settings)
        ratios += [figure for figure in figures if isinstance(figure, Ratio)]

    if not ratios:
        return

    print("\n== compared with the last run on this kind of machine")
    before = history.latest(history.read(history.HISTORY), history.this_machine())
    print(*history.losses(before, ratios) or ["Nothing is worse by more than a tenth."], sep="\n")
    if not arguments:
        history.note_ratios(ratios)


def measure(name: str, settings: list[str]) -> Figures:
    """Run one benchmark, print its figures, and note its curves; return the figures."""
    module = import_module(f"benchmarks.{name}")
    for setting in settings:
        change(module, setting)

    figures: Figures = module.main() or []
    print(*figures, sep="\n", flush=True)
    curves = [figure for figure in figures if isinstance(figure, Curve)]
    if curves and not settings:
        history.note_curves(curves)
    return figures


def change(module: ModuleType, setting: str) -> None:
    """Set a constant of a benchmark, such as `RUNS=1` or `NUMBERS=100,1000`."""
    name, _, text = setting.partition("=")
    before = getattr(module, name, None)
    if before is None or not name.isupper():
        sys.exit(f"{module.__name__} has no constant {name}")

    value: object
    if isinstance(before, tuple):
        value = tuple(type(before[0])(part) for part in text.split(","))
    else:
        value = type(before)(text)
    setattr(module, name, value)


if __name__ == "__main__":
    main(sys.argv[1:])
