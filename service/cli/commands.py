"""The command `giornale`, with all its groups."""

import click

from service.cli import (
    archive,
    backup,
    boards,
    dump,
    journal,
    keys,
    matches,
    pending,
    records,
    running,
    show_config,
    story,
    verify,
    view,
)
from service.cli.plugins import WithPlugins
from service.keys.private_files import keep_private

_CONTEXT = {"help_option_names": ["-h", "--help"]}


@click.group(cls=WithPlugins, context_settings=_CONTEXT)
@click.version_option(package_name="giornale", message="%(prog)s %(version)s")
def main() -> None:
    """Giornale: an event-sourced game log service.

    Settings come from GIORNALE_* (docs/operations.md).
    """
    keep_private()


COMMANDS: tuple[click.Command, ...] = (
    running.serve,
    running.web,
    running.worker,
    running.keeper,
    show_config.config,
    verify.verify,
    view.view,
    records.export,
    story.story,
    records.import_,
    keys.keys,
    journal.journal,
    matches.match,
    pending.pending,
    backup.backup,
    backup.restore,
    archive.archive,
    dump.dump,
    boards.board,
)

for command in COMMANDS:
    main.add_command(command)
