"""Commands that other packages add to `giornale`: they name themselves as entry points.

The service may not import what stands above it, such as the arena in `workers`. So a package says
in its metadata, under "giornale.commands", where its command is. It is imported when it is needed.
"""

from importlib.metadata import EntryPoint, entry_points

import click

GROUP = "giornale.commands"


class WithPlugins(click.Group):
    """A group that has the commands of other packages beside its own, which come first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in order."""
        return sorted({*super().list_commands(ctx), *_by_name()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, None where there is none."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own

        entry_point = _by_name().get(cmd_name)
        return _loaded(entry_point) if entry_point else None


def _by_name() -> dict[str, EntryPoint]:
    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}


def _loaded(entry_point: EntryPoint) -> click.Command:
    """Return the command of an entry point; one that cannot be had says so when it is called.

    So neither the help nor another command fails because of it.
    """
    try:
        command = entry_point.load()
    except (ImportError, AttributeError) as error:
        return _broken(entry_point, str(error))
    if not isinstance(command, click.Command):
        return _broken(entry_point, f"{entry_point.value} is no command")
    return command


def _broken(entry_point: EntryPoint, reason: str) -> click.Command:
    def fail() -> None:
        raise click.ClickException(f"{entry_point.name} cannot be loaded: {reason}")

    return click.Command(
        entry_point.name,
        callback=fail,
        short_help="Cannot be loaded.",
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
