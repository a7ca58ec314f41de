"""The command `giornale`, with all its groups."""

import click

from service.cli.plugins import WithPlugins
from service.keys.private_files import keep_private

_CONTEXT = {"help_option_names": ["-h", "--help"]}

# Where each command is. Its file is imported when it is called, or when all of them are listed:
# only few commands need what the web process needs, which takes half a second to load.
PLACES = {
    "archive": "service.cli.archive:archive",
    "backup": "service.cli.backup:backup",
    "board": "service.cli.boards:board",
    "config": "service.cli.show_config:config",
    "dump": "service.cli.dump:dump",
    "export": "service.cli.records:export",
    "import": "service.cli.records:import_",
    "journal": "service.cli.journal:journal",
    "keeper": "service.cli.workers:keeper",
    "keys": "service.cli.keys:keys",
    "match": "service.cli.matches:match",
    "pending": "service.cli.pending:pending",
    "restore": "service.cli.backup:restore",
    "serve": "service.cli.serve:serve",
    "story": "service.cli.story:story",
    "verify": "service.cli.verify:verify",
    "view": "service.cli.view:view",
    "web": "service.cli.web:web",
    "worker": "service.cli.workers:worker",
}


@click.group(cls=WithPlugins, places=PLACES, context_settings=_CONTEXT)
@click.version_option(package_name="giornale", message="%(prog)s %(version)s")
def main() -> None:
    """Giornale: an event-sourced game log service.

    Settings come from GIORNALE_* (docs/operations.md).
    """
    keep_private()
