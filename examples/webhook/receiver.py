"""A receiver of webhooks. It prints each call with a valid signature by the server.

pip install standardwebhooks
WEBHOOK_SECRET=whsec_... python receiver.py 8080
"""

import os
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError


def receiver(secret: str, port: int, act: Callable[[dict], None]) -> ThreadingHTTPServer:
    """Return a server that hands each call with a valid signature to `act`."""
    webhook = Webhook(secret)

    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # seconds that a sender may take

        def do_POST(self) -> None:
            call = self.signed_call()
            self.send_response(204 if call else 401)
            self.end_headers()
            if call:
                act(call)

        def signed_call(self) -> dict | None:
            try:
                length = max(0, min(int(self.headers["Content-Length"]), 10_000))
                return webhook.verify(self.rfile.read(length), dict(self.headers))
            except (WebhookVerificationError, ValueError, TypeError):
                return None

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    receiver(os.environ["WEBHOOK_SECRET"], int(sys.argv[1]), print).serve_forever()
