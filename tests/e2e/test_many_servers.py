"""A whole service with a journal in a cluster, or on a server under Sentinels."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from domain.games import GAMES
from service.ops.cli.commands import main
from service.store.journal.redis import open_journal
from tests.e2e.playing import client, to_end
from tests.redis_cluster import RunningCluster
from tests.redis_node import Node
from tests.redis_sentinel import running_pair
from tests.running import RunningService, running_service

pytestmark = pytest.mark.whole

BOTS = [{"kind": "bot", "level": "random"}] * 3


@contextmanager
def replicas_needed(nodes: list[Node]) -> Iterator[None]:
    """Have every node refuse to write without a replica, as GIORNALE_REPLICAS=1 asks."""
    for node in nodes:
        node.ask("CONFIG", "SET", "min-replicas-to-write", 1)
    try:
        yield
    finally:
        for node in nodes:
            node.ask("CONFIG", "SET", "min-replicas-to-write", 0)


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> dict[str, str]:
    """Settings of the service but for the journal's URL."""
    return {
        "GIORNALE_QUEUE_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path / "data"),
        "GIORNALE_REPLICAS": "1",
        "GIORNALE_PARTITIONS": "16",
    }


def run(settings: dict[str, str], *words: str) -> str:
    """Return the command's output. It must not fail."""
    result = CliRunner().invoke(main, words, env=settings)
    assert result.exit_code == 0, result.output
    return result.output


def play(service: RunningService, games: Iterable[str]) -> list[str]:
    """Let bots play a match of each of these games to its end, and return the matches."""
    with client(service) as anyone:
        matches = []
        for game in games:
            opening = {"game": game, "seats": BOTS, "seed": "several"}
            answer = anyone.post("/v1/matches", json=opening)
            assert answer.status_code == httpx.codes.CREATED, answer.text
            matches.append(answer.json()["match"])

        for match in matches:
            to_end(anyone, match)
        assert anyone.get("/readyz").status_code == httpx.codes.OK
        listed = anyone.get("/v1/matches").json()["matches"]
        assert {one["match"] for one in listed} == set(matches)
    return matches


def test_bots_play_over_a_cluster(redis_cluster: RunningCluster, settings: dict[str, str]) -> None:
    """Web processes, workers and scheduler work over three masters. Every match verifies."""
    settings |= {"GIORNALE_JOURNAL_URL": redis_cluster.url, "GIORNALE_ALLOW_SEED": "true"}
    with (
        replicas_needed(redis_cluster.nodes),
        running_service(Path(settings["GIORNALE_DATA"]), **settings) as service,
    ):
        matches = play(service, GAMES)

    assert f"GIORNALE_JOURNAL_URL={redis_cluster.url}" in run(settings, "config")
    for match in matches:
        assert run(settings, "verify", match).startswith("right:")


def test_a_journal_moves_from_sentinels_to_a_cluster(
    redis_cluster: RunningCluster, settings: dict[str, str], tmp_path: Path
) -> None:
    """Bots play over Sentinels. A backup made there is restored into a cluster, whole."""
    backup = tmp_path / "backup"
    settings["GIORNALE_ALLOW_SEED"] = "true"
    with running_pair(tmp_path / "pair") as pair, replicas_needed(pair.nodes):
        over_sentinels = settings | {"GIORNALE_JOURNAL_URL": pair.url}
        with running_service(Path(settings["GIORNALE_DATA"]), **over_sentinels) as service:
            matches = play(service, ["firenze"])
        run(over_sentinels, "backup", str(backup))
        before = open_journal(pair.url, partitions=16)
        commits = {match: before.events.read(match) for match in matches}
        before.close()

    over_cluster = settings | {"GIORNALE_JOURNAL_URL": redis_cluster.url}
    with replicas_needed(redis_cluster.nodes):
        run(over_cluster, "restore", str(backup))

    after = open_journal(redis_cluster.url, partitions=16)
    assert {match: after.events.read(match) for match in after.events.matches()} == commits
    after.close()
    for match in matches:
        with replicas_needed(redis_cluster.nodes):
            assert run(over_cluster, "verify", match).startswith("right:")
