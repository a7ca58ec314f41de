"""Run every benchmark, or those that are named, one after the other: `make bench`.

Then append the ratios to the history, and tell what has become worse.
"""

import sys
from importlib import import_module

from benchmarks import history
from benchmarks.measure import Ratio

NAMES = (
    "playouts",
    "copies",
    "replay",
    "append",
    "listing",
    "capacity",
    "http",
    "saturation",
    "reading",
    "streams",
    "followers",
    "audit",
    "verifying",
    "archive",
    "page",
)


def measure(names: tuple[str, ...]) -> list[Ratio]:
    """Run benchmarks; return what they measured."""
    ratios: list[Ratio] = []
    for name in names:
        print(f"\n== {name}", flush=True)
        ratios += import_module(f"benchmarks.{name}").main()
    return ratios


def main(names: tuple[str, ...]) -> None:
    """Measure, compare with the last run on this kind of machine, and remember."""
    ratios = measure(names)
    entry = history.entry_of(ratios)
    before = history.latest(history.read(history.HISTORY), entry.machine)
    history.append(entry, history.HISTORY)

    print("\n== compared with the last run on this kind of machine")
    if not before:
        print("There is none.")
        return

    worse = history.losses(before, ratios)
    print("\n".join(worse) or "Nothing is worse by more than a tenth.")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or NAMES)
