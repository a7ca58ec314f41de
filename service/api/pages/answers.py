"""Answers that change only with a release of the service."""

import hashlib

from flask import Response, request

from service.api.contract.operations import HTML

# Pages name the static files of their own release, so nobody may keep one unasked.
_ASK_AGAIN = "public, no-cache"
_FIVE_MINUTES = "public, max-age=300"


def kept_page(body: bytes, kind: str, policy: str = "") -> Response:
    """Answer what may be kept, or 304 if the caller has it.

    kind: the media type.
    policy: the Content-Security-Policy; "" for one that lets nothing load.
    """
    how_long = _ASK_AGAIN if kind == HTML else _FIVE_MINUTES
    response = Response(body, mimetype=kind, headers={"Cache-Control": how_long})
    response.set_etag(hashlib.sha256(body).hexdigest()[:32])
    if policy:
        response.headers["Content-Security-Policy"] = policy
    response.make_conditional(request)
    return response
