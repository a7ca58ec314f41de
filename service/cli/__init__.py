"""The command `giornale`: one file for each group of commands."""

from service.cli.commands import main

__all__ = ["main"]
