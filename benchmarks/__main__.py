"""Run every benchmark, one after the other: `make bench`."""

import runpy

NAMES = ("playouts", "replay", "append", "capacity", "http", "streams", "audit")

for name in NAMES:
    print(f"\n== {name}", flush=True)
    runpy.run_module(f"benchmarks.{name}", run_name="__main__")
