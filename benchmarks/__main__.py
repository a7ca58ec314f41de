"""Benchmarks: `python -m benchmarks` lists them, `python -m benchmarks NAME ...` runs some.

Each prints its figures, and its ratios with their goals. The last lines name the ratios that are
worse by more than a tenth than in the last noted run on this kind of machine. `python -m benchmarks
all` runs those of `make bench`, and notes their ratios in the history.

CONSTANT=VALUE sets a constant of the named benchmarks. For example, `python -m benchmarks reading
RUNS=1 MATCHES=100` is soon done. Curves and rows are noted unless a constant was set.
"""

import os
import sys
from ast import literal_eval
from importlib import import_module
from types import ModuleType

from benchmarks import history
from benchmarks.measure import Curve, Figures, Ratio, Row

IN_BENCH = {
    "playouts": "random matches, copies of a state, imagined states",
    "replay": "a state rebuilt from its commits",
    "append": "an append with all guarantees against a bare one",
    "archive": "bytes of a match in the server and in an archive",
    "log": "an older journal sealed in the log, and the wait for a position",
    "moves": "a POSTed move against a bare route, and the cost of its parts",
    "reading": "GET requests against a bare route",
    "streams": "moves beside 200 open streams, and the delays of these",
    "verifying": "an audit, and many of them",
    "page": "the pages in Chromium",
}
ALONE = {
    "compression": "bytes and time of the codings of long answers",
    "my_matches": "streams of many matches each",
    "scale": "growth of times with many matches, and with long ones",
    "load": "more clients than the service can serve (make load)",
    "processes": "memory and start of all processes",
    "peers": "the same match on the alternatives (make peers)",
}
EVERY = IN_BENCH | ALONE


def main(arguments: list[str]) -> None:
    """List the benchmarks, or measure and compare with the last run on this kind of machine."""
    os.environ.setdefault("PYTHONPATH", ".")
    names = [argument for argument in arguments if "=" not in argument]
    settings = [argument for argument in arguments if "=" in argument]
    is_whole = names == ["all"]
    if not is_whole and (not names or not EVERY.keys() >= set(names)):
        print("python -m benchmarks all, or NAME ... [CONSTANT=VALUE ...]")
        print(*[f"  {name:<11} {what}" for name, what in EVERY.items()], sep="\n")
        sys.exit(2 if names else 0)

    ratios: list[Ratio] = []
    for name in IN_BENCH if is_whole else names:
        print(f"\n== {name}", flush=True)
        figures = measure(name, settings)
        ratios += [figure for figure in figures if isinstance(figure, Ratio)]

    before = history.latest(history.read(history.HISTORY), history.this_machine())
    compared = [ratio for ratio in ratios if ratio.name in before]
    print(
        f"\n== {len(compared)} of {len(ratios)} ratios compared with the last run on such a machine"
    )
    worse = history.losses(before, compared)
    print(*worse or ["None of them is worse by more than a tenth."], sep="\n")
    if is_whole and not settings:
        history.note_ratios(ratios)


def measure(name: str, settings: list[str]) -> Figures:
    """Run one benchmark, print its figures, and return them. Note its curves and rows."""
    module = import_module(f"benchmarks.{name}")
    for setting in settings:
        change(module, setting)

    figures: Figures = module.main()
    print(*figures, sep="\n", flush=True)
    curves = [figure for figure in figures if isinstance(figure, Curve)]
    if curves and not settings:
        history.note_curves(curves)
    rows = [figure for figure in figures if isinstance(figure, Row)]
    if rows and not settings:
        history.note_rows(rows)
    return figures


def change(module: ModuleType, setting: str) -> None:
    """Set a constant of a benchmark, such as `RUNS=1` or `NUMBERS=100,1000`."""
    name, _, text = setting.partition("=")
    before = getattr(module, name, None)
    if before is None or not name.isupper():
        sys.exit(f"{module.__name__} has no constant {name}")
    setattr(module, name, text if isinstance(before, str) else literal_eval(text))


if __name__ == "__main__":
    main(sys.argv[1:])
