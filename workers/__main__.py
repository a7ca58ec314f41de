"""`python -m workers scoring|bots|exhibitions|audits|keeper`: one process of the service behind the web."""

import os
import sys

from service import tracing
from service.config import Config, ConfigError
from service.jobs.queues import FUNCTIONS
from service.keys.secret import keep_private
from service.process import logs
from service.process import parent_watch as lifeline
from workers import keeper
from workers import worker as hand


def main(arguments: list[str]) -> int:
    """Run until SIGTERM; return the exit code."""
    if len(arguments) != 1 or arguments[0] not in {*FUNCTIONS, "keeper"}:
        print("usage: python -m workers scoring|bots|exhibitions|audits|keeper", file=sys.stderr)
        return 2
    keep_private()
    try:
        config = Config.load(os.environ, connected=True)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 1
    logs.setup(config.log_level)
    lifeline.hold(os.environ)
    tracing.setup(arguments[0], os.environ)
    if arguments[0] == "keeper":
        keeper.run()
    else:
        hand.run(arguments[0])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
