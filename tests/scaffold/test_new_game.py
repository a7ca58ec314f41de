"""`make new-game`: what it writes is the guide's game, whole; what it refuses leaves no trace."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scaffold.guide import files_of_the_guide
from tests.checkout import ROOT, Checkout, changes

PROGRAMS = Path(sys.executable).parent
REGISTERED = {"domain/games.py", "pyproject.toml"}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A copy of the repository."""
    return Checkout(tmp_path / "copy")


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy in which nothing is ever written."""
    return Checkout(tmp_path_factory.mktemp("untouched") / "copy")


@pytest.fixture(scope="module")
def zecca(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy with the game of the guide; the tests leave it as it is."""
    if (ROOT / "domain/zecca").exists():
        pytest.skip("the guide's own game is in the repository already")
    made = Checkout(tmp_path_factory.mktemp("zecca") / "copy")
    scaffold(made, "zecca")
    return made


def scaffold(checkout: Checkout, *names: str) -> subprocess.CompletedProcess[str]:
    """Write a game in a copy; fail if it is refused."""
    done = checkout.python("-m", "scaffold", *names)
    assert done.returncode == 0, done.stderr
    return done


def test_the_games_in_the_guide_and_of_the_scaffold_are_one(
    untouched: Checkout, zecca: Checkout
) -> None:
    """Under the guide's own name the files are the guide's blocks, to the letter."""
    before = untouched.files()
    after = zecca.files()

    blocks = files_of_the_guide(ROOT)
    written = {name: after[name].decode() for name in blocks}
    assert written == blocks
    directories = {str(parent) for name in blocks for parent in Path(name).parents}
    assert changes(before, after) - directories == blocks.keys() | REGISTERED


def test_what_is_written_passes_the_checks(checkout: Checkout) -> None:
    """Lint, format, types, and the imports between packages, also where the names are long.

    Rules and tests have the game's own name and numbers; a second game of its key is refused.
    """
    scaffold(checkout, "a_game_of_the_longest", "The game with the longest title, No. 40!")
    assert "docs/rules/malaspina.md" in scaffold(checkout, "malaspina", "I Malaspina").stdout

    places = ("domain", "tests/domain")
    commands = [
        (sys.executable, "-m", "ruff", "check", "--no-cache", *places),
        (sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *places),
        (sys.executable, "-m", "mypy", "-p", "domain.malaspina", "-p", "tests.domain.malaspina"),
        (str(PROGRAMS / "lint-imports"), "--no-cache"),
    ]
    for command in commands:
        done = checkout.run(*command)
        assert done.returncode == 0, done.stdout + done.stderr

    rules = (checkout.root / "docs/rules/malaspina.md").read_text()
    assert rules.startswith("# I Malaspina: the rules, numbered\n")
    assert re.findall(r"^- ([A-Z]+\d+) ", rules, re.MULTILINE) == [f"M{n}" for n in range(1, 11)]
    tests = (checkout.root / "tests/domain/malaspina/test_rules.py").read_text()
    assert "def test_m5_" in tests
    for path, text in checkout.files().items():
        if "malaspina" in path:
            assert not re.search(rb"(?i)zecca|\bZ\d", text), path

    check_refused(checkout, "malaspina", "Malaspina", why="there is domain/malaspina")


def test_a_game_has_the_files_of_the_other_games() -> None:
    """Calimala and Firenze have all of them, and more for their many rules."""
    modules = {
        name.removeprefix("domain/zecca/")
        for name in files_of_the_guide(ROOT)
        if name.startswith("domain/")
    }
    for home in (ROOT / "domain/calimala", ROOT / "domain/firenze"):
        assert modules <= {str(path.relative_to(home)) for path in home.rglob("*.py")}
    assert len(modules) == 18


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_passes_the_names_on(checkout: Checkout) -> None:
    """A title may hold what a shell would read in its own way."""
    made_already = f"{sys.prefix}/.dev"
    names = ("KEY=malaspina", "TITLE=Lorenzo's Game & Co.")
    done = checkout.run("make", "-o", made_already, f"VENV={sys.prefix}", "new-game", *names)

    assert done.returncode == 0, done.stdout + done.stderr
    package = (checkout.root / "domain/malaspina/__init__.py").read_text()
    assert 'title="Lorenzo\'s Game & Co.",' in package


@pytest.mark.parametrize(
    ("key", "why"),
    [
        pytest.param("", "Say which game", id="none"),
        pytest.param("Malaspina", "small letters", id="capital"),
        pytest.param("i__malaspina", "small letters", id="two-underscores"),
        pytest.param("../malaspina", "small letters", id="path"),
        pytest.param("malaspina\n", "small letters", id="two-lines"),
        pytest.param("m" * 22, "at most 21", id="long"),
        pytest.param("class", "Python's own", id="word-of-python"),
        pytest.param("kit", "there is domain/kit", id="room-of-the-domain"),
        pytest.param("game", "there is domain/game.py", id="module-of-the-domain"),
        pytest.param("match", "is taken", id="rules-of-every-match"),
        pytest.param("problem", "is taken", id="name-in-the-contract"),
    ],
)
def test_a_key_that_cannot_be_used_is_refused(untouched: Checkout, key: str, why: str) -> None:
    """The answer says why, and nothing is written."""
    check_refused(untouched, key, "Malaspina", why=why)


@pytest.mark.parametrize(
    "title",
    ['The "Malaspina"', "Malaspina\\", "Malaspina\nFamily", "{Malaspina}", " Malaspina", "M" * 41],
    ids=["quotes", "backslash", "two-lines", "braces", "space-first", "long"],
)
def test_a_title_that_cannot_be_used_is_refused(untouched: Checkout, title: str) -> None:
    """It stands in code and on pages, so it is one plain line."""
    check_refused(untouched, "malaspina", title, why="cannot be used")


def check_refused(checkout: Checkout, *names: str, why: str) -> None:
    """Assert that no game of these names is written, and that the reason is given."""
    before = checkout.files()
    done = checkout.python("-m", "scaffold", *names)

    assert done.returncode == 1
    assert why in done.stderr
    assert "Traceback" not in done.stderr
    assert changes(before, checkout.files()) == set()


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("domain/games.py", "RELEASED: ", "ALL: "),
        ("domain/games.py", "from domain import ", "import "),
        ("pyproject.toml", '"calimala | firenze', '"calimala", "firenze'),
        ("pyproject.toml", '["domain.calimala", ', '["domain.florin", '),
    ],
    ids=["released", "imported", "layer", "forbidden"],
)
def test_a_registry_of_another_form_is_left_alone(
    checkout: Checkout, path: str, old: str, new: str
) -> None:
    """Rather no game than a line in the wrong place."""
    place = checkout.root / path
    text = place.read_text()
    assert text.count(old) == 1
    place.write_text(text.replace(old, new))

    check_refused(checkout, "malaspina", "Malaspina", why=f"{path} does not list the games")
