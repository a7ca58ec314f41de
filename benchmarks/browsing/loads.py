"""Loading a page: what comes over the wire, and how long until there is something to see."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserContext, Request

# Tells when what one waits for was seen first, by the frame after the one that has shown it.
WAIT = """(selector) => {
  const look = () => {
    if (document.querySelector(selector) === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => { window.drawnAfter = performance.now(); });
  };
  requestAnimationFrame(look);
}"""
IS_DRAWN = "() => window.drawnAfter"

# A page without scripts, against which the others are compared.
PLAIN_PAGE = "/problems"
PLAIN_SELECTOR = "main li, main td"


@dataclass(frozen=True, slots=True)
class Load:
    """One load of a page.

    requests, size: of all that was asked for until the page was quiet; bytes with headers, as they
    were sent.   data: the part of the bytes that the API has answered.
    drawn: milliseconds from the beginning until the page showed what it is for.
    """

    requests: int
    size: int
    data: int
    drawn: float

    def __str__(self) -> str:
        """Return it as a part of a line."""
        return (
            f"{self.requests:3} requests {self.size / 1000:6.1f} kB"
            f" (data {self.data / 1000:5.1f}), drawn after {self.drawn:5.0f} ms"
        )


def visits(browser: Browser, address: str, selector: str, runs: int) -> tuple[Load, Load]:
    """Return the median of first visits, each with an empty memory, and of second ones after them.

    selector: of what one waits for.
    """
    first_visits: list[Load] = []
    second_visits: list[Load] = []
    for _ in range(runs):
        context = browser.new_context()
        first_visits.append(visit(context, address, selector))
        second_visits.append(visit(context, address, selector))
        context.close()
    return median(first_visits), median(second_visits)


def visit(context: BrowserContext, address: str, selector: str) -> Load:
    """Load a page in a new tab."""
    page = context.new_page()
    finished: list[Request] = []
    page.on("requestfinished", lambda request: finished.append(request))
    page.add_init_script(f"({WAIT})({selector!r})")

    page.goto(address, wait_until="commit")
    drawn = page.wait_for_function(IS_DRAWN).json_value()
    page.wait_for_load_state("networkidle")
    sizes = [(request.url, size_of(request)) for request in finished]
    page.close()
    return Load(
        requests=sum(size > 0 for _, size in sizes),
        size=sum(size for _, size in sizes),
        data=sum(size for url, size in sizes if "/v1/" in url),
        drawn=drawn,
    )


def size_of(request: Request) -> int:
    """Return how many bytes an answer has brought; 0 if it came out of the browser's memory."""
    timing = request.sizes()
    return timing["responseBodySize"] + timing["responseHeadersSize"]


def median(loads: Sequence[Load]) -> Load:
    """Return the median of each figure."""
    return Load(
        requests=round(statistics.median(load.requests for load in loads)),
        size=round(statistics.median(load.size for load in loads)),
        data=round(statistics.median(load.data for load in loads)),
        drawn=statistics.median(load.drawn for load in loads),
    )
