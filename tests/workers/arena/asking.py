"""`giornale arena` as a test calls it."""

from pathlib import Path

from click.testing import CliRunner, Result

from workers.arena import command


def arena(*arguments: str, out: Path) -> Result:
    """Return what the command does."""
    return CliRunner().invoke(command.arena, [*arguments, "--out", str(out)])
