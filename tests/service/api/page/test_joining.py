"""Joined modules behave like separate ones: each runs once, and later ones share its state."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from posixpath import dirname, normpath

import pytest

from service.api.page.assets import ENTRIES, STATIC, read_tree, tree
from service.api.page.joining import joined_modules

NODE = Path(sys.executable).with_name("node")
PAGES = ["page/one.js", "page/two.js"]

# Both pages import one counter. The first page counts itself and in a module that it loads later.
SOURCES = {
    "page/one.js": 'import { counter, next as go } from "../base/counter.js";\n'
    'import * as words from "../base/words.js";\n'
    "go();\n"
    'const later = import("../late/once.js");\n'
    'const any = import(`../late/${"once"}.js`);\n'
    "export const result = later.then(({ twice }) => [twice(), counter.at, words.joined]);\n"
    "export const same = Promise.all([later, any]).then(([one, other]) => one === other);\n",
    "page/two.js": 'import "../base/counter.js";\n',
    "late/once.js": 'import { next } from "../base/counter.js";\n'
    'import { helper } from "./helper.js";\n'
    "/** @import { Nothing } from './types.d.ts' */\n"
    "export function twice() {\n  next();\n  return helper();\n}\n",
    "late/helper.js": "const next = 40;\nexport const helper = () => next;\n",
    "base/counter.js": "export const counter = { at: 0 };\n"
    "export function next() {\n  counter.at += 1;\n}\n",
    "base/words.js": 'export { small as joined } from "./min.js";\n'
    "export const here = import.meta.url;\n",
    "base/min.js": 'const a=1,b="small";export{a as one,b as small};\n'
    "//# sourceMappingURL=min.js.map\n",
}


def written(directory: Path, sources: dict[str, str]) -> Path:
    """Write files below a directory, and return it."""
    for path, text in sources.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return directory


def run(directory: Path, script: str) -> object:
    """Return the JSON that a script prints, run by Node in a directory of modules."""
    (directory / "package.json").write_text('{"type": "module"}')
    command = [str(NODE), "--input-type=module", "-e", script]
    ran = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.skipif(not NODE.exists(), reason="Node is not installed")
@pytest.mark.parametrize("is_joined", [False, True], ids=["apart", "joined"])
def test_joined_modules_share_their_state(tmp_path: Path, *, is_joined: bool) -> None:
    """A module that is loaded later goes on with the same counter, joined or not."""
    directory = written(tmp_path, SOURCES)
    folder = "joined/" if is_joined else ""
    if is_joined:
        written(tmp_path, joined_modules(SOURCES, PAGES))
    script = f'const page = await import("./{folder}page/one.js");'
    last_line = "console.log(JSON.stringify([await page.result, await page.same]));"
    assert run(directory, script + last_line) == [[40, 2, "small"], True]


def test_no_module_is_in_two_files() -> None:
    """A page would run a module in two files twice, and each copy would have a state of its own."""
    texts = [asset.content.decode() for path, asset in tree().joined.items() if path.endswith("js")]
    counts = Counter(re.findall("^// ==== (.*)$", "\n".join(texts), re.MULTILINE))
    assert counts
    assert set(counts.values()) == {1}


def test_joined_files_import_served_files_without_a_cycle() -> None:
    """Imports of a joined file lead to joined files, and never back to it."""
    files = tree().joined
    for entry in files:
        imports: list[str] = list(files[entry].imports())
        for path in imports:  # grows meanwhile
            assert path in files, path
            imports += [one for one in files[path].imports() if one not in imports]
        assert entry not in imports


def test_every_later_import_is_a_joined_file() -> None:
    """Imports of boards are not checked, because a game's name stands in their paths."""
    texts = {path: one.content.decode() for path, one in tree().joined.items()}
    later = {
        normpath(f"{dirname(path)}/{module}")
        for path, text in texts.items()
        for module in re.findall(r'import\("([^"]+)"\)', text)
    }

    assert later - texts.keys() == set()
    assert later > {"joined/base/drawing.js", "joined/keys/signing.js", "joined/table/door.js"}


def test_a_page_has_one_style_sheet() -> None:
    """The style sheet of a page begins with the page's first style and has all its others."""
    for page in ENTRIES:
        text = tree().joined[f"joined/{page}.css"].content.decode()
        parts = [(STATIC / path).read_text() for path in tree().styles(page)]
        assert text.startswith(parts[0])
        assert all(part in text for part in parts)


def test_every_process_joins_the_same_files() -> None:
    """Sets differ in order between processes, but all serve addresses with the same digest."""
    ask = "from service.api.page.assets import tree; print(tree().digest)"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", ask]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == tree().digest


def test_a_changed_module_changes_the_digest_of_all(tmp_path: Path) -> None:
    """The digest stands in the addresses of joined files, too."""
    first = read_tree(written(tmp_path, SOURCES)).digest
    (tmp_path / "base/words.js").write_text("export const joined = 1;\n")
    assert read_tree(tmp_path).digest != first
