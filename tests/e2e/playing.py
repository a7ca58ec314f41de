"""Steps of a running service's clients: ask, play, wait for an end, read a history."""

from typing import Any

import httpx

from tests.running import PATIENCE, RunningService, until

Json = dict[str, Any]

# Games with many moves for every player of a match. A new game may be a short one.
LONG_GAMES = ("calimala", "firenze")


def client(service: RunningService, token: str | None = None) -> httpx.Client:
    """Return an HTTP client of the service, with a token if given."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(
        base_url=service.url,
        headers=headers,
        timeout=PATIENCE,
        trust_env=False,
        verify=False,  # noqa: S501 - it speaks no TLS, and reading certificates takes its time
    )


def to_end(asker: httpx.Client, match: str) -> Json:
    """Wait until a match has ended and everything is revealed. Return its document."""

    def ended_match() -> Json | None:
        document: Json = asker.get(f"/v1/matches/{match}").raise_for_status().json()
        is_over = document["status"] == "ended" and not document["waiting_for"]["house"]
        return document if is_over else None

    document: Json = until(ended_match, "the end of the match")
    return document


def history(asker: httpx.Client, match: str) -> list[Json]:
    """Return a match's whole history, read in pages."""
    commits: list[Json] = []
    while True:
        position = {"after": len(commits)}
        page = asker.get(f"/v1/matches/{match}/commits", params=position).json()["commits"]
        if not page:
            return commits
        commits += page


def is_one_chain(commits: list[Json]) -> bool:
    """Return True if each commit of a history names the hash of the one before."""
    hashes = [commit["hash"] for commit in commits]
    named_hashes = [commit["prev"] for commit in commits]
    return named_hashes[1:] == hashes[:-1]
