"""The append-only files of the bundled server: what is looked at before and after it loads them."""

import re
from pathlib import Path

from service.process.server_program import EmbeddedError

_DIRECTORY = "appendonlydir"
_MANIFEST = "appendonly.aof.manifest"


def check_files(directory: Path) -> None:
    """Raise EmbeddedError if there are files of a journal but not the list of them.

    A server would begin an empty journal then, and write it over them.
    """
    place = directory / _DIRECTORY
    orphans = sorted(path.name for path in place.glob("appendonly.aof.*.*"))
    if not orphans or (place / _MANIFEST).exists():
        return

    raise EmbeddedError(
        f"The file {_MANIFEST} is missing in {place}, but there are {', '.join(orphans)}: a server "
        "would overwrite them. Put the file back, or restore the last backup into a new data "
        "directory."
    )


def file_sizes(directory: Path) -> dict[str, int]:
    """Return the sizes of the append-only files in bytes, by name."""
    place = directory / _DIRECTORY
    return {path.name: path.stat().st_size for path in place.glob("appendonly.aof.*")}


def torn_end(log: str, sizes: dict[str, int]) -> str:
    """Return a sentence if a server has cut off the end of its last file, else "".

    log: what it has logged since it was started.   sizes: those of the files before that.
    """
    found = re.search(r"Truncating the AOF (\S+) at offset (\d+)", log)
    if found is None:
        return ""

    file, offset = found.groups()
    cut_bytes = sizes.get(file, 0) - int(offset)
    return (
        f"the end of {file} was torn: {cut_bytes} bytes after its last whole write were cut off. "
        "A write that was cut short was never acknowledged; if anything but a crash has shortened "
        "the file, moves are missing, and a backup may have them"
    )
