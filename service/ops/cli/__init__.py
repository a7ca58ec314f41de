"""The command `giornale`: one file for each group of commands."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from service.ops.process.programs import Programs

INTERRUPTED = 130  # a shell's exit code for a program ended by Ctrl-C


def main(programs: Programs) -> None:
    """Run the command. Ctrl-C ends it without a traceback, also while its code is loaded."""
    with interruptible():
        from service.ops.cli import commands

    commands.main(prog_name="giornale", obj=programs)


@contextmanager
def interruptible() -> Iterator[None]:
    """End the command with 130 and without a traceback at Ctrl-C or SIGTERM."""
    usual = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, usual)
