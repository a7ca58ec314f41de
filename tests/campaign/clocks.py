"""The clocks of the service under test, which the nemesis moves."""

import mmap
import struct
from pathlib import Path
from typing import Self

CLOCK_FILE = "clock"
PLACES = {"web": 0, "workers": 1}  # where the offset of each kind of process stands in the file
_NUMBER = struct.Struct("<q")


class Clocks:
    """A file that tells the processes of the service how wrong their clocks are."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / CLOCK_FILE
        size = _NUMBER.size * len(PLACES)
        self.path.write_bytes(bytes(size))
        with self.path.open("r+b") as file:
            self._offsets = mmap.mmap(file.fileno(), size)

    def move(self, place: str, milliseconds: int) -> None:
        """Set how far the clocks of one kind of process are ahead; below 0: behind."""
        _NUMBER.pack_into(self._offsets, PLACES[place] * _NUMBER.size, milliseconds)

    def set_right(self) -> None:
        """Set all clocks right."""
        for place in PLACES:
            self.move(place, 0)

    def close(self) -> None:
        """Let go of the file."""
        self._offsets.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
