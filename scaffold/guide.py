"""The files of the guide's game, and these files under the names of a new game."""

import re
from pathlib import Path

from scaffold.names import Names

GUIDE = "docs/guides/third-game.md"
EXAMPLE = Names(key="zecca", title="Zecca", letter="Z")

# A path on a line of its own, then the content of the file.
_FILE = re.compile(
    r"^\*\*([\w./-]+)\*\*\n\n```(?:python|markdown)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def files_of_the_guide(root: Path) -> dict[str, str]:
    """Return the texts of the files in the guide by their paths in the repository."""
    guide = (root / GUIDE).read_text(encoding="utf-8")
    files: dict[str, str] = dict(_FILE.findall(guide))
    return files


def renamed(text: str, names: Names) -> str:
    """Return a text of the guide with the key, the title and the letter of another game."""
    upper = EXAMPLE.letter
    lower = upper.lower()
    text = re.sub(rf"\b{upper}(?=[0-9])", names.letter, text)

    # Names of tests contain numbers of rules, too: "test_z5_the_house_deals".
    text = re.sub(rf"(?<=_){lower}(?=[0-9]+_)", names.letter.lower(), text)
    return text.replace(EXAMPLE.key, names.key).replace(EXAMPLE.title, names.title)
