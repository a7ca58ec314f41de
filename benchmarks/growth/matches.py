"""What a journal costs with more and more matches in it."""

from benchmarks.growth.curves import Curve
from benchmarks.scale import ask_all, filled_servers

NUMBERS = (100, 1_000, 10_000, 100_000)


def measure() -> list[Curve]:
    """Fill a server for each number of matches and ask all the same; return the milliseconds."""
    with filled_servers(NUMBERS) as servers:
        milliseconds = ask_all(servers)

    return [Curve("matches", name, "ms", points) for name, points in milliseconds.items()]
