"""`giornale feed`: the commits of a server as lines."""

import orjson

from service.matches.context import Context
from tests.service.ops.cli.conftest import Run, Seal
from tests.service.toy_matches import opened, play_on


def test_the_feed_is_printed_and_gone_on_with(
    run_alone: Run, here: Context, url: str, seal: Seal
) -> None:
    """A line of JSON for each commit. A later call with --after goes on from a position."""
    match = opened(here)
    play_on(here, match, until=4)
    seal()

    lines = run_alone("feed", url, "--once").output.splitlines()
    commits = [orjson.loads(line) for line in lines]
    assert [commit["version"] for commit in commits] == [1, 2, 3, 4]
    assert [commit["position"] for commit in commits] == [0, 1, 2, 3]
    assert {commit["match"] for commit in commits} == {match.loaded.id}

    play_on(here, match)
    seal()
    rest = run_alone("feed", url, "--once", "--after", "4").output.splitlines()
    assert orjson.loads(rest[0])["position"] == 4
    assert run_alone("feed", url, "--once").output.splitlines() == [*lines, *rest]
    assert run_alone("feed", url, "--once", "--game", "calimala").output == ""


def test_errors_are_told_in_the_servers_words(run_alone: Run, url: str) -> None:
    """A refusal is printed in the server's words. A server that is away is an error."""
    refused = run_alone("feed", url, "--once", "--game", "No!")
    assert refused.exit_code == 1
    assert "must be one of calimala, firenze" in refused.stderr

    away = run_alone("feed", "http://127.0.0.1:1", "--once", "--patience", "0")
    assert away.exit_code == 1
    assert away.stderr.startswith("Error: ")
