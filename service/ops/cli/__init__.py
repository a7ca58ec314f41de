"""The command `giornale`: one file for each group of commands."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from service.ops.process.programs import Programs

INTERRUPTED = 130  # as a shell counts a program that Ctrl-C has ended


def main(programs: Programs) -> None:
    """Run the command. To load it takes a moment, in which it may be interrupted, too."""
    with interruptible():
        from service.ops.cli import commands

    commands.main(prog_name="giornale", obj=programs)


@contextmanager
def interruptible() -> Iterator[None]:
    """End the command with 130 and without a word of Python at Ctrl-C or SIGTERM."""
    usual = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, usual)
