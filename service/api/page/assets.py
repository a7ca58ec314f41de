"""The pages' static files: modules, styles and drawings, read once.

The digest of all files stands in the path of each file. So an address never leads to other bytes,
and may be cached for ever. Imports between modules are relative, so all files of a page are of one
release. Pages load files that belong together as one joined file (`joined/`). Each file is also
served as written.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from posixpath import normpath

from service.api.page.joining import joined_modules, joined_path

_PACKAGE = Path(__file__).parent
_REPOSITORY = Path(__file__).parents[3]
# Folder of the browser client: in the installed package, where the build has copied it, or in the
# repository.
_CLIENT = _PACKAGE if (_PACKAGE / "static").is_dir() else _REPOSITORY / "page"
STATIC = _CLIENT / "static"
TEMPLATES = _CLIENT / "templates"

# Media types by the end of a file's name. Other files, such as types for the checks, are not
# served.
MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".LICENSE": "text/plain",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}

# Styles of all pages, then styles of single pages. All other styles belong to boards.
_SHARED_STYLES = ["style/colours.css", "style/page.css"]
_PAGES = ("audit", "docs", "lobby", "players", "single", "table")
_PAGE_STYLES = {f"style/{page}.css" for page in _PAGES}

# The pages' own modules, by page.
ENTRIES = {
    "lobby": "lobby/lobby.js",
    "table": "table/table.js",
    "audit": "audit/audit.js",
    "players": "players/players.js",
    "docs": "docs/search.js",
}

_DIGEST_DIGITS = 16

# A static import or a re-export. Its group is the imported path. It matches neither import() nor
# types in comments.
IMPORT = re.compile(
    r"""^(?:import\s*|(?:import|export)\s[\w$*{},\s]*?from\s*)["']([^"']+)["']""",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Asset:
    """One static file."""

    # The path in the static tree, such as "base/dom.js".
    path: str
    content: bytes

    @property
    def media_type(self) -> str:
        """Return the media type of the file."""
        return MEDIA_TYPES[PurePosixPath(self.path).suffix]

    @cached_property
    def digest(self) -> str:
        """Return the digest of the content."""
        return hashlib.sha256(self.content).hexdigest()[:32]

    def imports(self) -> Iterator[str]:
        """Yield the paths of the modules imported here, without dynamic imports."""
        if self.media_type != MEDIA_TYPES[".js"]:
            return
        folder = PurePosixPath(self.path).parent
        for imported in IMPORT.findall(self.content.decode()):
            yield normpath(str(folder / imported))


@dataclass(frozen=True)
class Tree:
    """All static files by their paths."""

    assets: dict[str, Asset]

    @cached_property
    def digest(self) -> str:
        """Return the digest of all paths and all bytes."""
        whole = hashlib.sha256()
        for path, asset in sorted((self.assets | self.joined).items()):
            whole.update(f"{path}\n{len(asset.content)}\n".encode())
            whole.update(asset.content)
        return whole.hexdigest()[:_DIGEST_DIGITS]

    @cached_property
    def joined(self) -> dict[str, Asset]:
        """Return the joined files of the pages: modules and styles always loaded together."""
        modules = {
            path: asset.content.decode()
            for path, asset in self.assets.items()
            if asset.media_type == MEDIA_TYPES[".js"]
        }
        texts = joined_modules(modules, [entry for entry in ENTRIES.values() if entry in modules])
        for page in ENTRIES:
            styles = self.styles(page, has_boards=page == "table")
            if all(path in self.assets for path in styles):
                text = "\n".join(self.assets[path].content.decode() for path in styles)
                texts[joined_path(f"{page}.css")] = text
        return {path: Asset(path, text.encode()) for path, text in texts.items()}

    def get(self, path: str) -> Asset | None:
        """Return the file at a path, None without a file. The disk is not read."""
        return self.assets.get(path) or self.joined.get(path)

    def address(self, path: str) -> str:
        """Return the address of a file, below the service's own prefix."""
        return f"/static/{self.digest}/{path}"

    def styles(self, *own: str, has_boards: bool = False) -> list[str]:
        """Return the styles of a page in loading order.

        own: names of styles of single pages, such as "audit".
        has_boards: True to include the styles of all boards.
        """
        others = {f"style/{name}.css" for name in own}
        if has_boards:
            all_styles = {path for path in self.assets if path.startswith("style/")}
            others |= all_styles - {*_SHARED_STYLES, *_PAGE_STYLES}
        return _SHARED_STYLES + sorted(others)

    def files(self, entry: str) -> list[str]:
        """Return the joined file of a page's module, and all joined files it imports.

        Return [] if the module has no joined file.
        """
        files = [joined_path(entry)] if joined_path(entry) in self.joined else []
        for path in files:  # the loop adds files
            files += [one for one in self.joined[path].imports() if one not in files]
        return files

    def modules(self, entry: str) -> list[str]:
        """Return a module and all modules it imports, directly or not. [] without the module."""
        if entry not in self.assets:
            return []

        modules = [entry]
        for path in modules:  # the loop adds modules
            for imported in self.assets[path].imports():
                if imported in self.assets and imported not in modules:
                    modules.append(imported)
        return modules


@cache
def tree() -> Tree:
    """Return the static files of this release."""
    return read_tree(STATIC)


def read_tree(directory: Path) -> Tree:
    """Return the files of known kinds in a directory and its subdirectories."""
    assets: dict[str, Asset] = {}
    for file in sorted(directory.rglob("*")):
        if file.is_file() and file.suffix in MEDIA_TYPES:
            path = file.relative_to(directory).as_posix()
            assets[path] = Asset(path, file.read_bytes())
    return Tree(assets)
