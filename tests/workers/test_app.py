"""The composition root of workers: the imports of a process behind the web."""

import json
import subprocess
import sys

from tests.checkout import ROOT

# Load all that a worker or the scheduler may run, and print the names of all loaded modules.
LOAD_ALL = """\
import json, pkgutil, sys
from importlib import import_module
import workers
names = [one.name for one in pkgutil.walk_packages(workers.__path__, "workers.")]
for name in names:
    if not name.startswith("workers.arena"):
        import_module(name)
print(json.dumps(sorted(sys.modules)))
"""

OF_THE_WEB = {"flask", "werkzeug", "granian", "apispec"}


def test_a_worker_imports_no_flask() -> None:
    """Flask and the routes would cost each worker memory."""
    command = [sys.executable, "-c", LOAD_ALL]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    loaded = json.loads(printed)

    assert "workers.app" in loaded
    assert "service.capabilities.webhooks.jobs" in loaded
    assert OF_THE_WEB.isdisjoint(name.partition(".")[0] for name in loaded)
