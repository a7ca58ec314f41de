"""The child processes of `giornale serve`: what runs them, and when each is ready or hangs."""

from service.config import Config
from service.jobs.queues import FUNCTIONS
from service.process import address
from service.process.child import Child, module_command
from service.process.watchdog import Watchdog

# So long a process may be silent before it counts as hanging and is killed. It gives a sign every
# second, however busy it is. New connections hang while one of several web processes does; a
# worker's hang costs less than a job that is begun anew.
_WEB_PATIENCE = 5.0
_WORKER_PATIENCE = 10.0


def child_processes(config: Config, watchdog: Watchdog) -> list[Child]:
    """Return all child processes, not yet started, in the order in which they start."""

    def web_answers(pid: int) -> bool:
        is_whole = len(watchdog.members(pid)) >= config.web_workers
        return is_whole and address.answers(config.host, config.port)

    web = Child(
        name="web",
        command=module_command("service.cli", "web"),
        ready=web_answers,
        patience=_WEB_PATIENCE,
        overlaps=True,
        needs_journal=False,
    )
    others = [
        Child(
            name=kind,
            command=module_command("workers", kind),
            ready=watchdog.has_heard,
            patience=_WORKER_PATIENCE,
        )
        for kind in [*FUNCTIONS, "keeper"]
    ]
    return [web, *others]
