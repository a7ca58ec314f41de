"""The command `giornale`: one file for each group of commands."""

from service.cli.interrupts import interruptible

__all__ = ["main"]


def main() -> None:
    """Run the command. To load it takes a moment, in which it may be interrupted, too."""
    with interruptible():
        from service.cli import commands

    commands.main(prog_name="giornale")
