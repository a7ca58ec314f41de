"""The root of the API: links to its parts."""

from flask import Blueprint, Response, current_app

from service.api import links
from service.api.contract.operations import AnswerSpec, operation
from service.api.http.context import root_links_of
from service.api.http.responses import answer
from service.base import answers
from service.base.release import release

root = Blueprint("root", __name__, url_prefix="/v1")

# Paths of the kernel's own parts, by name. Capabilities add further paths.
_PATHS = {
    "games": "/v1/games",
    "matches": "/v1/matches",
    "records": "/v1/records",
    "keys": "/v1/keys",
    "rules": "/rules",
    "problems": "/problems",
}


@root.get("")
@operation(
    "getRoot",
    "Find the parts of the API",
    tag="service",
    tokens="none",
    answers={200: AnswerSpec("The release and the links.", answers.Root)},
)
def show_root() -> Response:
    """Return the release of the service and the addresses of its parts."""
    paths = {**_PATHS, **root_links_of(current_app)}
    body: answers.Root = {
        "release": release(),
        "links": {name: links.to(path) for name, path in sorted(paths.items())},
    }
    return answer(body, headers={"Cache-Control": "public, max-age=300"})
