"""What the children of `giornale serve` run, loaded once in the process that forks them.

The supervisor names this file to `multiprocessing`, whose "forkserver" imports it before the first
child. A child is ready at once then, and shares the memory of all that is loaded. Nothing here may
start a thread: a fork has only the one that called it.
"""

import gc
import signal

from setproctitle import setproctitle

from service.process import web
from workers import __main__ as processes, jobs

__all__ = ["jobs", "processes", "web"]

# An order to stop is for the children. It ends this process only after them, when the supervisor
# has closed its pipe. A child takes both signals again.
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGHUP))

setproctitle("giornale forkserver")

# The garbage collector would write into all that the children share.
gc.collect()
gc.freeze()
