"""`python -m tests.records.train`: make the dictionaries of the archive that are missing.

A released version of the rules without a dictionary gets one, trained on the rows of its golden
records, if these are enough. A present dictionary is never made anew, because archived matches are
read by it. The script prints the new lines of NEWEST in service/store/archive/packing.py.
"""

import gzip
import hashlib
from pathlib import Path
from typing import Any

from zstandard import train_dictionary

from domain.game import Game
from domain.games import RELEASED
from service.record import record
from service.record.commit import canonical
from service.store.archive.packing import HOME, LEVEL, newest, path_of, rows_of
from tests.records.make import files

BYTES = 16 * 1024  # of a dictionary. Larger ones compress no better
LEAST_SAMPLES = 20  # fewer records teach too little

Samples = list[bytes | bytearray | memoryview]


def main() -> None:
    """Train a dictionary for all rules that have none."""
    for game in RELEASED:
        samples = samples_of(game.rules)
        if not newest(game.rules) and len(samples) >= LEAST_SAMPLES:
            name = train(game, samples)
            print(
                "Once these rules are released, NEWEST in service/store/archive/packing.py takes:"
            )
            print(f'    "{game.rules}": "{name}",')


def train(game: Game[Any], samples: Samples) -> str:
    """Write the dictionary of some rules. Return its name."""
    content = train_dictionary(BYTES, samples, level=LEVEL).as_bytes()

    digest = hashlib.sha256(content).hexdigest()
    name = f"{game.rules.replace('/', '-')}-{digest[:8]}"
    HOME.mkdir(exist_ok=True)
    path_of(name).write_bytes(content)
    return name


def samples_of(rules: str) -> Samples:
    """Return the packed content, not yet compressed, of each golden record of some rules."""
    samples: Samples = []
    for path in files():
        stored = [record.read_line(line)[0] for line in record.lines(read(path))]
        if stored[0]["commit"]["command"]["rules"] == rules:
            rows = rows_of([canonical(one) for one in stored])
            samples.append(canonical({"ids": {}, "rows": rows}))
    return samples


def read(path: Path) -> bytes:
    """Return the bytes of a golden record."""
    return gzip.decompress(path.read_bytes())


if __name__ == "__main__":
    main()
