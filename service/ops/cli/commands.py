"""The command `giornale`: its commands by name, imported when they are called.

The service may not import higher packages, such as `workers` with the command `arena`. So another
package names the places of its commands in its entry points, in the group "giornale.commands".
"""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from service.base.private_files import keep_private
from service.ops.cli import interruptible

GROUP = "giornale.commands"

_CONTEXT = {"help_option_names": ["-h", "--help"]}

# The place of each command. A command's file is imported when the command is called, or when all
# commands are listed. Few commands need the imports of the web process, and these take half a
# second to load.
PLACES = {
    "archive": "service.ops.cli.archive:archive",
    "backup": "service.ops.cli.records:backup",
    "board": "service.ops.cli.boards:board",
    "bot": "service.ops.cli.bot:bot",
    "config": "service.ops.cli.settings:config",
    "dump": "service.ops.cli.records:dump",
    "export": "service.ops.cli.records:export",
    "feed": "service.ops.cli.log:feed",
    "games": "service.ops.cli.games:games",
    "import": "service.ops.cli.records:import_",
    "journal": "service.ops.cli.journal:journal",
    "keys": "service.ops.cli.journal:keys",
    "log": "service.ops.cli.log:log",
    "match": "service.ops.cli.matches:match",
    "pending": "service.ops.cli.journal:pending",
    "ratings": "service.ops.cli.ratings:ratings_",
    "replay-test": "service.ops.cli.replay_test:replay_test",
    "restore": "service.ops.cli.records:restore",
    "scheduler": "service.ops.cli.processes:scheduler",
    "schema": "service.ops.cli.schema:schema",
    "serve": "service.ops.cli.processes:serve",
    "story": "service.ops.cli.story:story",
    "verify": "service.ops.cli.verify:verify",
    "view": "service.ops.cli.story:view",
    "web": "service.ops.cli.processes:web",
    "worker": "service.ops.cli.processes:worker",
}


class WithPlugins(click.Group):
    """A group of own commands and commands of other packages. On equal names the own one is used.

    places: the place of each own command by name, as "module:variable".
    """

    def __init__(self, *args: Any, places: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._own = {name: EntryPoint(name, place, GROUP) for name, place in places.items()}

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. By default Ctrl-C and SIGTERM end it in the same way."""
        with interruptible():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's
        """Return the names of all commands, in order."""
        return sorted({*self._own, *_plugins()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of a name, None if there is none.

        Loading takes up to half a second, and Ctrl-C ends it, too.
        """
        with interruptible():
            if cmd_name in self._own:
                return _own(self._own[cmd_name])

            plugin = _plugins().get(cmd_name)
            return _loaded(plugin) if plugin else None


def _plugins() -> dict[str, EntryPoint]:
    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}


def _own(entry_point: EntryPoint) -> click.Command:
    """Return a command of this project, or one that tells of the missing extra `server`."""
    try:
        command: click.Command = entry_point.load()
    except ModuleNotFoundError as error:
        from service.ops.cli.errors import needs_server

        reason = needs_server(f"giornale {entry_point.name}", error)
        return _broken(entry_point, reason, "Needs the extra `server`.")
    return command


def _loaded(entry_point: EntryPoint) -> click.Command:
    """Return the command of an entry point, or one that fails if the command cannot be loaded.

    So neither the help nor another command fails.
    """
    try:
        command = entry_point.load()
    except (ImportError, AttributeError) as error:
        return _broken(entry_point, f"{entry_point.name} cannot be loaded: {error}")
    if not isinstance(command, click.Command):
        reason = f"{entry_point.value} is not a command"
        return _broken(entry_point, f"{entry_point.name} cannot be loaded: {reason}")
    return command


def _broken(
    entry_point: EntryPoint, reason: str, short_help: str = "Cannot be loaded."
) -> click.Command:
    def fail() -> None:
        raise click.ClickException(reason)

    return click.Command(
        entry_point.name,
        callback=fail,
        short_help=short_help,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )


def _show_version(context: click.Context, _option: click.Parameter, is_asked: bool) -> None:
    """Print the version with its commit. Git is asked for the commit only now."""
    if is_asked and not context.resilient_parsing:
        from service.base.release import release

        click.echo(f"giornale {release()}")
        context.exit()


@click.group(cls=WithPlugins, places=PLACES, context_settings=_CONTEXT)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Giornale: an event-sourced game log service.

    Settings come from GIORNALE_* (docs/reference/settings.md).
    """
    keep_private()
