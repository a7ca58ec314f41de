"""A follower that is far behind: how fast it catches up, against reading pages of commits.

`python -m benchmarks.following.far_behind PORT MATCH COMMITS` catches up again and again, one
stream after the other, until a line comes on standard input.
"""

import http.client
import select
import sys
import time

from benchmarks.matches import HUMANS, new_context
from benchmarks.web import HOST, REQUEST_SECONDS, Client
from domain.match.messages import ReplaceToken
from service.config import Config
from service.journal.redis import open_journal
from service.matches.command_handler import Act, commit
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load

PAGE = 200  # commits

# A stream holds its slot until the server notices that its reader has gone. None may be refused.
PAUSE_SECONDS = 0.25


def long_match(url: str, game: str, commits: int) -> str:
    """Open a match and tell of replaced tokens until it has so many commits; return its id."""
    journal = open_journal(url, Config.load({}).partitions)
    ctx = new_context(journal)
    match_id = open_new(ctx, OpenRequest(game, HUMANS)).loaded.id
    while (loaded := load(ctx, match_id)).version < commits:
        commit(ctx, loaded, Act(actor="owner", command=ReplaceToken("owner")))
    journal.close()
    return match_id


def follow(port: int, match_id: str, commits: int) -> float:
    """Follow a match from its first commit to its last; return the seconds."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection(HOST, port, timeout=REQUEST_SECONDS)
    connection.request("GET", f"/v1/matches/{match_id}/stream?after=1")
    answer = connection.getresponse()
    last = b"id: %d\n" % commits
    while answer.readline() != last:
        pass
    connection.close()
    return time.perf_counter() - begun


def read_pages(port: int, match_id: str, commits: int) -> float:
    """Read the same commits page by page; return the seconds."""
    begun = time.perf_counter()
    client = Client(port)
    after = 1
    while after < commits:
        path = f"/v1/matches/{match_id}/commits?after={after}&limit={PAGE}"
        _, page = client.ask("GET", path)
        after = page["commits"][-1]["version"]
    return time.perf_counter() - begun


def main() -> None:
    """Catch up until told to stop."""
    port, match_id, commits = sys.argv[1:]
    print("reading", flush=True)
    while not select.select([sys.stdin], [], [], PAUSE_SECONDS)[0]:
        follow(int(port), match_id, int(commits))
    print("[]", flush=True)


if __name__ == "__main__":
    main()
