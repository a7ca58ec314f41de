"""`giornale web`: run the web process alone."""

import os
from dataclasses import replace

import click

from service.bootstrap import prepare_data
from service.cli.complaints import failed_starts
from service.cli.settings import load_or_exit, with_options
from service.process import address, logs, metrics_directory, preflight
from service.process.parent_watch import is_supervised, watch_parent


@click.command()
@with_options
def web(options: dict[str, str]) -> None:
    """Run the web process alone."""
    config = load_or_exit(connected=True, options=options)
    logs.setup(config.log_level)
    watch_parent(os.environ)

    # A web process that is started again must answer while the journal loads, and may share its
    # port for a moment with what is left of the last one.
    if not is_supervised(os.environ):
        with failed_starts():
            preflight.check(config)
            config = replace(config, port=address.free_port(config.host, config.port))
            prepare_data(config)

    # The options must reach the processes that this one starts.
    os.environ.update(config.environment())
    metrics_directory.prepare(config)

    # This imports prometheus_client, for which the directory must have its name before.
    from service.process import web as web_process

    web_process.run(config)
