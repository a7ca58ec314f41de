"""`python -m benchmarks.growth [NAME ...]`: measure how times grow, and remember the curves.

The names are `commits`, `matches`, `clients` and `streams`; without one all are measured.
`make bench-plots` draws the curves.
"""

import sys
from importlib import import_module

from benchmarks.growth import curves

NAMES = ("commits", "matches", "clients", "streams")


def main(names: tuple[str, ...]) -> None:
    """Measure, print and remember, one after the other, so that none is lost with the next."""
    for name in names:
        print(f"\n== {name}", flush=True)
        found: list[curves.Curve] = import_module(f"benchmarks.growth.{name}").measure()
        print(*found, sep="\n", flush=True)
        curves.append(curves.run_of(found), curves.CURVES)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or NAMES)
