"""Each file that starts threads is listed with the test of a failed start."""

import ast
from pathlib import Path

import pytest

from tests.checkout import ROOT

STARTS = {"threading.Thread", "threading.Timer", "ThreadPoolExecutor", "ProcessPoolExecutor"}

# If the start of a thread fails, a process ends and its supervisor starts it again. A command ends.
AT_THE_START = "at the start"

# The test of a failed start of a thread, by the file that starts it.
PLACES: dict[str, str] = {
    "giornale_client.py": AT_THE_START,
    "service/api/wsgi/admission.py": (
        "tests/service/api/test_gate.py::test_a_thread_that_cannot_be_started_refuses_one_body"
    ),
    "service/base/fetch.py": (
        "tests/service/base/test_fetch.py::test_a_post_without_an_alarm_is_not_sent"
    ),
    "service/base/rounds.py": AT_THE_START,
    "service/capabilities/archive/rounds.py": AT_THE_START,
    "service/capabilities/log/witnesses.py": (
        "tests/service/capabilities/log/test_witnesses.py::"
        "test_a_round_without_threads_is_made_again"
    ),
    "service/capabilities/webhooks/calls.py": (
        "tests/service/capabilities/webhooks/test_webhooks.py::"
        "test_a_question_without_a_thread_takes_no_place"
    ),
    "service/capabilities/webhooks/jobs.py": (
        "tests/service/capabilities/webhooks/test_webhooks.py::"
        "test_a_match_without_a_thread_takes_no_place"
    ),
    "service/ops/cli/witness.py": (
        "tests/service/ops/cli/test_witness.py::test_an_answer_without_a_thread"
    ),
    "service/store/jobs/queues.py": (
        "tests/service/store/jobs/test_queues.py::"
        "test_without_a_thread_the_next_question_is_the_next_try"
    ),
    "service/store/journal/notifications.py": (
        "tests/service/store/journal/test_notifications.py::"
        "test_a_follower_hears_of_commits_once_threads_start_again"
    ),
    "service/store/tlog/ratings.py": (
        "tests/service/store/tlog/test_ratings_file.py::"
        "test_work_without_a_thread_is_begun_by_the_next_reader"
    ),
    "service/ops/process/heartbeat.py": AT_THE_START,
    "service/ops/process/logs.py": AT_THE_START,
    "service/ops/process/web.py": AT_THE_START,
    "workers/arena/command.py": AT_THE_START,
    "workers/worker.py": AT_THE_START,
}


def starts_threads(file: Path) -> bool:
    """Return True if a file makes threads, timers or pools of them."""
    calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func) in STARTS for call in calls)


@pytest.mark.whole
def test_each_place_that_starts_threads_is_in_the_table() -> None:
    """A new file that starts threads needs an entry in PLACES."""
    files = [ROOT / "giornale_client.py"]
    for package in ("service", "workers", "domain"):
        files += sorted((ROOT / package).rglob("*.py"))
    places = {str(file.relative_to(ROOT)) for file in files if starts_threads(file)}
    assert places == set(PLACES)


@pytest.mark.parametrize("place", sorted(set(PLACES.values()) - {AT_THE_START}))
def test_the_tests_of_the_table_exist(place: str) -> None:
    """Each test that PLACES names is in its file."""
    file, _, name = place.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text()
