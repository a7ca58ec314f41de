"""The shells of the pages: HTML without data, the same for every match; scripts fetch the data."""

from dataclasses import dataclass
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"

# What a page may load: only what this service serves. `lit-html` and `giornale` are the policies
# by which its scripts may make HTML and addresses of scripts out of texts; nobody else may.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; worker-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types lit-html giornale; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

# What a script that runs as a worker may load. A page loads a hundred files with this header, so a
# short one saves a tenth of all bytes.
FILE_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"


@dataclass(frozen=True, slots=True)
class Shell:
    """What sets one page's shell apart."""

    # What the page is called in `data-page`.
    name: str
    title: str
    # Its module, which loads all others.
    entry: str
    # What is shown without scripts.
    without_scripts: str
    # Styles of other pages.
    unused_styles: tuple[str, ...] = ()


LOBBY = Shell(
    name="lobby",
    title="Giornale",
    entry="lobby/lobby.js",
    without_scripts="The list of matches needs JavaScript.",
)
TABLE = Shell(
    name="table",
    title="A match - Giornale",
    entry="table/table.js",
    without_scripts="The table of a match needs JavaScript.",
    unused_styles=("style/audit.css", "style/lobby.css", "style/single.css"),
)
AUDIT = Shell(
    name="audit",
    title="Audit - Giornale",
    entry="audit/audit.js",
    without_scripts="The audit of a match needs JavaScript: it is done in your browser.",
)

SHELLS = (LOBBY, TABLE, AUDIT)
