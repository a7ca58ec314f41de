"""A note beside the bundled server's files, of an end that was torn and cut off.

The operator reads it under the warnings of /readyz, and removes it.
"""

import time
from contextlib import suppress
from pathlib import Path

from service.keys.private_files import open_private

NOTE = "server.torn"


def write_note(directory: Path, sentence: str) -> None:
    """Write down what was found now, after what was found before. A full disk keeps no note."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    with suppress(OSError), open(directory / NOTE, "a", opener=open_private) as note:
        note.write(f"{now}: {sentence}\n")


def read_note(directory: Path) -> str:
    """Return the last of what was found, and how to forget it; "" if there is nothing."""
    path = directory / NOTE
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return ""
    return f"{lines[-1]}. Remove {path} when you have seen to it" if lines else ""
