"""A server with pages of a test: matches, records, keys, receipts, redirects."""

import json
import threading
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from werkzeug import Request, Response
from werkzeug.serving import make_server

from service.record.commit import Json
from service.store.keys.signer import Accepted, sign_receipt
from tests.attacks.forging import entries_of

Pages = dict[str, Any]
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = {"id": "k", "public": PRIVATE.public_key().public_bytes_raw().hex(), "until": None}


def receipt_for(accepted: Accepted) -> Json:
    """Return the receipt of the server with the listed keys."""
    return dict(sign_receipt(accepted, "k", PRIVATE))


def served_by(application: Any) -> Iterator[str]:
    """Serve an application on a port of its own while the iterator waits. Yield the address."""
    server = make_server("127.0.0.1", 0, application, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()

    yield f"http://127.0.0.1:{server.port}"

    server.shutdown()
    thread.join()
    server.server_close()


def served_pages(pages: Pages) -> Iterator[str]:
    """Serve pages while the iterator waits. Yield the address."""

    @Request.application
    def application(request: Request) -> Response:
        token = request.headers.get("Authorization")
        pages["asked"].append((request.host, request.path, token))

        pages_of_host = pages.get(request.host, pages)
        page = pages_of_host.get(request.path)
        if page is None:
            return Response(status=404)
        if isinstance(page, str):
            return Response(status=302, headers={"Location": page})
        return Response(page)

    yield from served_by(application)


def show(pages: Pages, lines: list[bytes], **more: Any) -> str:
    """Let the server show a match, and return its path; more: fields of the match's document."""
    last = entries_of(lines)[-1]
    content = last["commit"]
    document = {
        "version": content["version"],
        "hash": last["hash"],
        "outcome": None,
        **more,
    }

    path = f"/v1/matches/{content['match']}"
    pages[path] = json.dumps(document).encode()
    pages[f"{path}/record"] = b"".join(lines)
    pages["/v1/keys"] = json.dumps({"keys": [KEY]}).encode()
    return path


def host_of(origin: str) -> str:
    """Return the host and port of an origin."""
    return origin.removeprefix("http://")


def tokens_sent_to(pages: Pages, origin: str) -> list[str | None]:
    """Return the tokens, or None, of the requests to an origin."""
    return [token for host, _, token in pages["asked"] if host == host_of(origin)]
