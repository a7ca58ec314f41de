"""Ctrl-C ends a command with one word, not with a trace of Python."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # as a shell counts a program that Ctrl-C has ended


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
