"""Hooks of the documentation site: links out of docs/, and proof that pages ask no other server."""

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent
DOCS = ROOT / "docs"
PICTURES = "page/static/pictures"
FOREIGN_SCRIPT = '"https://unpkg.com/'
EMPTY_SCRIPT = '"data:text/javascript,//'
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
LOADED = re.compile(
    r"""
    <(?:script|img|iframe|source|video|audio|embed|object)\b
      [^>]*?\b(?:src|srcset|data)=["']?(?:https?:)?//
    | <link\b(?=[^>]*\brel=["']?(?:stylesheet|icon|preload|prefetch|preconnect|dns-prefetch))
      [^>]*href=["']?(?:https?:)?//
    | (?:url\(|@import\s)\s*["']?(?:https?:)?//
    | class=["'][^"']*\bmermaid\b
    """,
    re.VERBOSE,
)


def on_files(files: Files, config: Any) -> None:
    """Add the pictures of the rules, which lie with the service's own pages."""
    for path in sorted((ROOT / PICTURES).glob("*.svg")):
        files.append(File.generated(config, f"{PICTURES}/{path.name}", abs_src_path=str(path)))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace links to files outside docs/, which the site does not hold, with their paths."""
    markdown = markdown.replace(f"../../../{PICTURES}", f"../../{PICTURES}")
    folder = (DOCS / page.file.src_uri).parent

    def replace(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        if target.is_relative_to(DOCS) or not target.exists():
            return link[0]
        path = target.relative_to(ROOT)
        return f"`{path}`" if str(path) in link[1] else f"{link[1]} (`{path}`)"

    return LINK.sub(replace, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Fail if a page or a style would load something from another server.

    Material's script loads Mermaid, and a part that old browsers lack, from a network of servers.
    It gets an empty script in their place: diagrams are pictures.
    """
    site = Path(config["site_dir"])
    for path in site.rglob("assets/javascripts/bundle.*.js"):
        script = path.read_text(encoding="utf-8")
        path.write_text(script.replace(FOREIGN_SCRIPT, EMPTY_SCRIPT), encoding="utf-8")

    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        request = LOADED.search(path.read_text(encoding="utf-8"))
        if request:
            raise PluginError(f"{path.relative_to(site)} loads from another server: {request[0]}")
