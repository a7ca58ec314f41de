"""A worker or the scheduler: `python -m workers QUEUE` or `python -m workers scheduler`."""

import os
import sys

from service.base import tracing
from service.base.config import Config, ConfigError
from service.base.private_files import keep_private
from service.ops.process import logs
from service.ops.process.heartbeat import end_with_parent
from service.store.jobs.table import QUEUES
from workers import app

FAILED = 1
WRONG_USAGE = 2


def main(arguments: list[str]) -> int:
    """Run the process named on the command line."""
    kinds = [*QUEUES, app.SCHEDULER]
    if len(arguments) != 1 or arguments[0] not in kinds:
        print(f"usage: python -m workers {'|'.join(kinds)}", file=sys.stderr)
        return WRONG_USAGE

    return run(arguments[0])


def run(kind: str) -> int:
    """Run a worker or the scheduler until SIGTERM or SIGINT. Return the exit code."""
    keep_private()
    try:
        config = Config.load(os.environ, connected=True)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return FAILED

    logs.setup(config.log_level)
    end_with_parent()
    tracing.setup(kind, os.environ)
    app.run(kind)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
