"""Commands in pseudo-terminals, each a process with a terminal to itself.

`Terminals` runs this file as a program of one thread. It loads all commands once and forks each
run, so that a run takes milliseconds. Input is typed at a real terminal. The program takes a run as
a line of JSON on standard input and answers with the terminal's output.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import click

CTRL_C = "\x03"
ENTER = "\r"
PATIENCE_SECONDS = 60.0
COLUMNS = 80
BEGUN = "$ giornale"  # shown before all else

_SILENT_SECONDS = 0.3

# Variables that a run keeps. All others could change its settings or output.
_KEPT = ("HOME", "LANG", "LC_ALL", "PATH", "PYTHONPYCACHEPREFIX", "TMPDIR")

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Shown(NamedTuple):
    """The output of a run on a terminal. exit_code: -N if signal N has ended it."""

    exit_code: int
    text: str

    @property
    def plain(self) -> str:
        """The text without escape sequences."""
        return _ESCAPE.sub("", self.text)

    @property
    def lines(self) -> list[str]:
        """All lines, also overwritten ones."""
        return re.split(r"[\r\n]+", self.plain)


class Terminals:
    """Runs commands in terminals, one after another."""

    def __init__(self) -> None:
        self._forker = subprocess.Popen(
            [sys.executable, "-m", "tests.service.ops.cli.terminals"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> "Terminals":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the forking program."""
        self._forker.communicate(timeout=PATIENCE_SECONDS)

    def run(
        self,
        words: list[str],
        environ: dict[str, str],
        directory: Path,
        *,
        columns: int = COLUMNS,
        until: str = "",
        typed: str = "",
    ) -> Shown:
        """Run a command, and type something when the terminal shows a text.

        until: the text, "" for a terminal that has shown nothing new for a while.
        """
        request = {
            "words": words,
            "until": until,
            "typed": typed,
            "columns": columns,
            "environ": environ,
            "directory": str(directory),
        }
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.write(json.dumps(request).encode() + b"\n")
        self._forker.stdin.flush()
        answer = json.loads(self._forker.stdout.readline())
        return Shown(answer["exit_code"], answer["text"])


def leaves(command: click.Command, *above: str) -> Iterator[str]:
    """Yield the words of each command with an effect, as the command line has it."""
    if not isinstance(command, click.Group):
        yield " ".join(above)
        return
    if command.invoke_without_command:
        yield " ".join(above)
    with click.Context(command) as context:
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from leaves(below, *above, name)


# ---- the forking program -------------------------------------------------------------------------


def _serve() -> None:
    from service.ops.cli import commands

    list(leaves(commands.main))  # loads all of them
    for line in iter(sys.stdin.buffer.readline, b""):
        request = json.loads(line)
        process, terminal = pty.fork()
        if process == 0:
            _become(request)
            return
        answer = _watch(process, terminal, request)
        print(json.dumps(answer), flush=True)


def _become(request: dict[str, object]) -> None:
    """Run a command in the process of a fork, to its end."""
    from service.ops import cli
    from workers import giornale

    size = struct.pack("HHHH", 24, request["columns"], 0, 0)
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", 1, closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, closefd=False)

    environ = request["environ"]
    words = request["words"]
    assert isinstance(environ, dict)
    assert isinstance(words, list)
    for name in set(os.environ) - set(_KEPT):
        del os.environ[name]
    os.environ.update({"TERM": "xterm"} | environ)
    os.chdir(str(request["directory"]))
    sys.argv = ["giornale", *words]
    with cli.interruptible():
        print(BEGUN)
        giornale.main()


def _watch(process: int, terminal: int, request: dict[str, object]) -> dict[str, object]:
    """Read all output of a terminal, type the input, and wait for the end."""
    output = b""
    until, typed = str(request["until"]).encode(), str(request["typed"]).encode()
    ends = time.monotonic() + PATIENCE_SECONDS
    is_silent = False
    while True:
        has_begun = BEGUN.encode() in output
        if typed and has_begun and (until in output if until else is_silent):
            os.write(terminal, typed)
            typed = b""
        if time.monotonic() > ends:
            output += b"\nThe test waits no longer."
            os.kill(process, signal.SIGKILL)
            break
        is_silent = not select.select([terminal], [], [], _SILENT_SECONDS)[0]
        if is_silent:
            continue
        try:
            more = os.read(terminal, 65_536)
        except OSError:  # Linux: nobody has the terminal open any more
            break
        if not more:
            break
        output += more
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    exit_code = os.waitstatus_to_exitcode(status)
    text = output.decode(errors="replace")
    return {"exit_code": exit_code, "text": text.removeprefix(f"{BEGUN}\r\n")}


if __name__ == "__main__":
    _serve()
