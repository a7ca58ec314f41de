"""Modules that are always loaded together become one file, so that a page loads only a few files.

In a joined file each module is the body of a function, in the order of the imports, and the
function returns its exports. The text stays, apart from imports, exports and URLs:

    const base_dom = (() => {
    ... the text of base/dom.js ...
    return { html: vendor_lit_html.html, setting };
    })();

The roots are the pages' own modules, and modules that a script imports later, with `import()`.
Modules that are reached from the same roots are a group, and a group is a file. A root that is
imported later does not reach a module that each of its pages has loaded at once. So no module is in
two files, each module runs once, and the imports of the files have no cycle.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from posixpath import dirname, normpath, relpath

FOLDER = "joined"

# A static import or re-export at the beginning of a line, with its clause, if any, and the imported
# path.
_STATIC = re.compile(
    r"""^(import|export)\s*(?:([\w$*{},\s]*?)\s*from\s*)?["']([^"']+)["'];?""", re.MULTILINE
)
_LATER = re.compile(r"""import\(\s*(["'`])(\.[^"'`]*)\1\s*\)""")
_DECLARED = re.compile(r"^export ((?:async )?(?:function\*?|const|class) ([\w$]+))", re.MULTILINE)
_LISTED = re.compile(r"export\s*\{([^}]*)\};?\s*$", re.MULTILINE)
_RENAMED = re.compile(r"\s+as\s+")
_SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)


def joined_modules(sources: Mapping[str, str], pages: Sequence[str]) -> dict[str, str]:
    """Return the texts of the joined files by path.

    sources: the modules by path.   pages: the pages' own modules.
    """
    graph = Graph(sources)
    roots = graph.roots(pages)
    groups = graph.groups(pages)
    file_of = {path: _file_of(group, roots) for group in groups for path in group}
    return {file_of[group[0]]: _JoinedFile(graph, group, file_of, roots).text() for group in groups}


def joined_path(root: str) -> str:
    """Return the path of a root's joined file."""
    return f"{FOLDER}/{root}"


class Graph:
    """Modules and their imports."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        """Read the imports of some modules, given by path."""
        self.sources = sources
        self.imports = {path: list(self._imports(path)) for path in sources}
        self.later = {path: list(self._later(path)) for path in sources}

    def _imports(self, path: str) -> Iterator[str]:
        for match in _STATIC.finditer(self.sources[path]):
            yield resolved(path, match.group(3))

    def _later(self, path: str) -> Iterator[str]:
        for match in _LATER.finditer(self.sources[path]):
            parts = resolved(path, match.group(2).replace("${game}", "*")).split("*")
            pattern = re.compile("[^/]+".join(map(re.escape, parts)))
            yield from filter(pattern.fullmatch, self.sources)

    def closure(self, root: str) -> set[str]:
        """Return a module and all modules that it imports statically, directly or not."""
        closure = {root}
        queue = [root]
        while queue:
            new = set(self.imports[queue.pop()]) - closure
            closure |= new
            queue += new
        return closure

    def roots(self, pages: Iterable[str]) -> list[str]:
        """Return the roots: the pages' modules, and modules imported later."""
        roots = list(pages)
        for root in roots:  # the loop adds roots
            for path in sorted(self.closure(root)):
                roots += [one for one in self.later[path] if one not in roots]
        return roots

    def groups(self, pages: Sequence[str]) -> list[list[str]]:
        """Return the groups of modules that are always loaded together, in the order of imports."""
        at_once = {page: self.closure(page) for page in pages}
        pages_of: dict[str, set[str]] = {}
        for page in pages:
            for root in self.roots([page]):
                pages_of.setdefault(root, set()).add(page)

        reached: dict[str, list[str]] = {}
        for root in self.roots(pages):
            for path in sorted(self.closure(root)):
                is_there = all(path in at_once[page] for page in pages_of[root])
                if root in at_once or path == root or not is_there:
                    reached.setdefault(path, []).append(root)

        order = TopologicalSorter({path: self.imports[path] for path in reached}).static_order()
        groups: dict[tuple[str, ...], list[str]] = {}
        for path in order:
            groups.setdefault(tuple(reached[path]), []).append(path)
        return list(groups.values())


class _JoinedFile:
    """One joined file."""

    def __init__(
        self, graph: Graph, group: Sequence[str], file_of: Mapping[str, str], roots: Sequence[str]
    ) -> None:
        self._graph = graph
        self._group = group
        self._file_of = file_of
        self._file = file_of[group[0]]
        self._roots = [path for path in group if path in roots]

    def text(self) -> str:
        bodies = [self._wrapped(path) for path in self._group]
        names = ", ".join(map(_name, self._group))
        return "\n".join([*self._imports(), *bodies, f"export {{ {names} }};", *self._flat(), ""])

    def _imports(self) -> Iterator[str]:
        """Yield the imports of other joined files."""
        needed: dict[str, list[str]] = {}
        for path in self._group:
            for imported in self._graph.imports[path]:
                names = needed.setdefault(self._file_of[imported], [])
                if _name(imported) not in names:
                    names.append(_name(imported))
        for file, names in sorted(needed.items()):
            if file != self._file:
                yield f'import {{ {", ".join(names)} }} from "{self._to(file)}";'

    def _flat(self) -> Iterator[str]:
        """Yield the exports of each root in this file, by name, for importers of the root."""
        for root in self._roots:
            names = ", ".join(_exports(self._graph.sources[root]))
            if names:
                yield f"export const {{ {names} }} = {_name(root)};"

    def _wrapped(self, path: str) -> str:
        """Return a module as a constant with its exports."""
        source = self._graph.sources[path]
        members = [f"{name}: {value}" for name, value in _exports_from(path, source).items()]
        body = _STATIC.sub(lambda match: _bound(path, match), source)
        body = _LISTED.sub("", _SOURCE_MAP.sub("", _DECLARED.sub(r"\1", body)))
        body = _LATER.sub(lambda match: self._later(path, match), body)
        raw = f'new URL("{self._to(path)}", import.meta.url)'
        body = body.replace("import.meta.url", raw)
        returned = ", ".join(members)
        begin = f"// ==== {path}\nconst {_name(path)} = (() => {{"
        return f"{begin}\n{body}\nreturn {{ {returned} }};\n}})();"

    def _later(self, path: str, match: re.Match[str]) -> str:
        quote, imported = match.groups()
        return f"import({quote}{self._to(joined_path(resolved(path, imported)))}{quote})"

    def _to(self, path: str) -> str:
        relative = relpath(path, dirname(self._file))
        return relative if relative.startswith(".") else f"./{relative}"


def _file_of(group: Sequence[str], roots: Sequence[str]) -> str:
    return joined_path(next((path for path in group if path in roots), group[-1]))


def resolved(path: str, imported: str) -> str:
    """Return the path of an imported module."""
    return normpath(f"{dirname(path)}/{imported}")


def _name(path: str) -> str:
    """Return the name of the constant with a module's exports: "base_dom" for base/dom.js."""
    return re.sub(r"\W", "_", path.removesuffix(".js"))


def _bound(path: str, match: re.Match[str]) -> str:
    """Return the statement that binds the names of an import."""
    kind, clause, imported = match.groups()
    if kind == "export" or not clause:
        return ""
    module = _name(resolved(path, imported))
    if clause.startswith("*"):
        return f"const {clause.split()[-1]} = {module};"
    names = _RENAMED.sub(": ", clause)
    return f"const {names} = {module};"


def _exports_from(path: str, source: str) -> dict[str, str]:
    """Return the exports of a module: expressions within its function, by exported name."""
    exports = {name: name for _, name in _DECLARED.findall(source)}
    for kind, clause, imported in _STATIC.findall(source):
        if kind == "export":
            module = _name(resolved(path, imported))
            exports |= {new: f"{module}.{old}" for old, new in _pairs(clause)}
    for clause in _LISTED.findall(source):
        exports |= {new: old for old, new in _pairs(clause)}
    return exports


def _exports(source: str) -> list[str]:
    return list(_exports_from("", source))


def _pairs(clause: str) -> Iterator[tuple[str, str]]:
    """Yield each name in braces with its outer name: ("a", "b") and ("c", "c") for "a as b, c"."""
    for part in clause.strip(" {}\n").split(","):
        old, _, new = part.strip().partition(" as ")
        if old:
            yield old, (new or old).strip()
