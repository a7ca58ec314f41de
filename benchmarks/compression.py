"""The codings of long answers: bytes and processor time of each, beside gzip.

The bodies are read plain from a web process. Each coding compresses each body in turn, by processor
time: as an answer to one request, and as an answer that lasts.
"""

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.matches import new_context
from benchmarks.measure import Figures, Ratio, compare, limit, show, worked
from benchmarks.reading import running_match
from benchmarks.web import Client, server, web
from domain.games import GAMES
from service.api.page.assets import ENTRIES, tree
from service.api.wsgi.codings import CODINGS, Compress
from service.store.journal.redis import open_journal

RUNS = 21
BYTES = 1_000_000  # compressed by each coding in one run, about
BASELINE = "gzip"


def bodies() -> Iterator[tuple[str, bytes]]:
    """Yield the long answers of the API by name."""
    with server() as url, web(url) as port:
        ctx, client = new_context(open_journal(url)), Client(port)
        for game in GAMES:
            opened = running_match(ctx, game)
            match = f"/v1/matches/{opened.loaded.id}"
            token = {"Authorization": f"Bearer {opened.tokens['seat:0']}"}
            yield f"{game}: state", client.read(f"{match}/state", **token)[0]
            yield f"{game}: page of 100 commits", client.read(f"{match}/commits?limit=100")[0]
        yield "contract", client.read("/openapi.json")[0]


def measure(what: str, plain: bytes, codings: dict[str, Compress]) -> list[Ratio]:
    """Compress one body in each coding. Print bytes and microseconds, return ratios to gzip."""
    times = max(1, BYTES // len(plain))

    def microseconds(compress: Compress) -> float:
        return 1000 * worked(lambda: [compress(plain) for _ in range(times)]) / times

    sizes = {name: float(len(compress(plain))) for name, compress in codings.items()}
    show(what, {"plain": len(plain)} | sizes, "bytes")
    contenders: dict[str, Callable[[], float]] = {
        name: partial(microseconds, compress) for name, compress in codings.items()
    }
    spent = compare(what, "us", RUNS, contenders)
    others = [name for name in codings if name != BASELINE]
    return [
        limit(f"{what}: {figure} of {name} against {BASELINE}", values[name] / values[BASELINE])
        for name in others
        for figure, values in (("bytes", sizes), ("time", spent))
    ]


def main() -> Figures:
    """Measure all bodies. Return the ratios."""
    figures: Figures = []
    fast = {coding.name: coding.fast for coding in CODINGS}
    for what, plain in bodies():
        figures += measure(what, plain, fast)
        if what == "contract":
            lasting = {coding.name: coding.small for coding in CODINGS}
            figures += measure("contract, lasting", plain, lasting)
    static = tree()
    for page in ("lobby", "table"):
        files = [static.joined[path].content for path in static.files(ENTRIES[page])]
        lasting = {coding.name: partial(_each, coding.small, files) for coding in CODINGS}
        figures += measure(f"modules of the page {page}, lasting", b"".join(files), lasting)
    return figures


def _each(compress: Compress, files: list[bytes], _: bytes) -> bytes:
    return b"".join(map(compress, files))
