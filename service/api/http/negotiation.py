"""In which form an answer is wanted: what the header Accept says (RFC 9110)."""

from flask import request

from service.api.http.answers import JSON
from service.errors import NotAcceptable

_HTML = "text/html"


def accepted(*media_types: str) -> str:
    """Return the media type that the request likes best, the first of equals.

    Raises NotAcceptable if it likes none.
    """
    if "Accept" not in request.headers:
        return media_types[0]
    best = request.accept_mimetypes.best_match(media_types)
    if best is None:
        raise NotAcceptable(f"this comes as {' or '.join(media_types)}")
    return best


def prefers_a_page() -> bool:
    """Return whether the request likes HTML better than JSON, as browsers do of an address.

    Programs say that they take anything, or say nothing: they get JSON. So does whoever sends a
    token, which no browser does of an address: some libraries ask for HTML unless told otherwise.
    """
    if "Accept" not in request.headers or "Authorization" in request.headers:
        return False
    wanted = request.accept_mimetypes
    return wanted.quality(_HTML) > wanted.quality(JSON)
