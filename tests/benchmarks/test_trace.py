"""The trace of a move: which calls it counts, and when a call is a change of file."""

from collections.abc import Callable
from types import CodeType

from benchmarks.trace import ROOT, Trace, following


def function_in(file: str, name: str) -> Callable[[], None]:
    """Return an empty function that seems to come from a file of the project."""
    names: dict[str, Callable[[], None]] = {}
    code = compile(f"def {name}(): pass", str(ROOT / file), "exec")
    exec(code, names)  # noqa: S102 - the line above
    return names[name]


play = function_in("domain/play.py", "play")
check = function_in("domain/play.py", "check")
append = function_in("service/journal.py", "append")
probe = function_in("tests/probe.py", "probe")


def test_calls_are_counted_by_file_and_function() -> None:
    """Files come in the order of their first call; a function called twice is one function."""
    with following() as trace:
        append()
        play()
        check()
        play()

    assert list(trace.files()) == ["service/journal.py", "domain/play.py"]
    assert trace.files()["domain/play.py"] == {"play": 2, "check": 1}
    assert trace.summary() == "4 calls, 3 functions, 2 files, 1 changes of file"


def test_a_call_in_another_file_is_a_change() -> None:
    """There and back again are two changes."""
    with following() as trace:
        play()
        append()
        play()

    assert trace.changes_of_file == 2


def test_only_the_projects_functions_count() -> None:
    """Libraries, tests and comprehensions are no calls and no changes of file."""
    listing = function_in("domain/match.py", "listing")
    comprehension = CodeType.replace(listing.__code__, co_name="<listcomp>")

    with following() as trace:
        play()
        probe()
        exec(comprehension)  # noqa: S102 - an empty function
        sorted("a built-in function")
        play()

    assert trace.files() == {"domain/play.py": {"play": 2}}
    assert trace.changes_of_file == 0


def test_nothing_is_counted_afterwards() -> None:
    """The profile is switched off at the end."""
    with following() as trace:
        pass
    play()

    assert trace == Trace()
