"""What the bundled server's log means, and what to do about it."""

import re
import shutil
from pathlib import Path

_LOG_LINES = 10  # that are repeated where none of them is understood

_DISK_FULL = "the disk is full: {free} MiB are free in {directory}. Make room there"
_DAMAGED = (
    "its file {file} in {directory} is damaged; nothing of it was changed. Copy the directory "
    "first. Then restore the last backup into a new data directory, or cut the file off where the "
    "damage begins: valkey-check-aof --fix (what comes after is lost)"
)
_MISSING = (
    "files are missing in {directory}, or the list of them is damaged. Put back what was taken "
    "away, or restore the last backup into a new data directory"
)
_NEWER = (
    "its files in {directory} were written by a newer server (format {file}). Use that one, or a "
    "newer one"
)
_NOT_ALLOWED = "it may not write to {directory}. Give the directory to the user who runs it"
_NO_MEMORY = "the machine has too little memory for the matches in {directory}. Give it more"

# What a log holds, with the file or format that it names, and what that means.
_MEANINGS = (
    (r"No space left on device|Disk quota exceeded", _DISK_FULL),
    (r"Short write while writing to the AOF file|AOF write error", _DISK_FULL),
    (r"Can't handle RDB format version (\d+)", _NEWER),
    (r"Bad file format reading the append only file ([^:\s]+)", _DAMAGED),
    (r"Error reading the RDB preamble of the AOF file ([^,\s]+)", _DAMAGED),
    (r"Unexpected end of file reading the append only file (\S+)\. You can", _DAMAGED),
    (r"Checking RDB file (\S+)", _DAMAGED),
    (r"the truncated file is not the last file", _DAMAGED),
    (r"FATAL AOF MANIFEST FILE ERROR|The AOF manifest file \S+ doesn't exist", _MISSING),
    (r"AOF file \S+ length|can.t open the append log file", _MISSING),
    (r"Permission denied|Read-only file system", _NOT_ALLOWED),
    (r"Out Of Memory|OUT OF MEMORY|Cannot allocate memory", _NO_MEMORY),
)


def explain(log: str, directory: Path) -> str:
    """Return why a server has ended: a sentence, or the end of its log.

    log: what it has logged since it was started.   directory: where its files lie.
    """
    for pattern, meaning in _MEANINGS:
        found = re.search(pattern, log)
        if found is not None:
            file = found[1] if found.groups() else "of the journal"
            return meaning.format(file=file, directory=directory, free=free_mib(directory))

    lines = log.splitlines()
    if not lines:
        return "its log says nothing"
    return "\n".join(["its log ends:", *lines[-_LOG_LINES:]])


def free_mib(directory: Path) -> str:
    """Return how many MiB are free on the disk where a directory lies, as a text."""
    try:
        free_bytes = shutil.disk_usage(directory).free
    except OSError:
        return "unknown"
    return f"{free_bytes / 2**20:.0f}"
