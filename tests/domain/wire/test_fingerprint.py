"""The fingerprint of a class tells its fields and those of every class in it."""

from domain import wire
from tests.domain.wire.stones import Carted, Shed

INT, STR, NONE = "<class 'int'>", "<class 'str'>", "<class 'NoneType'>"
UNION = str(type(int | None))


def test_every_field_within_is_told() -> None:
    """It names the fields of inner classes and the members of enums: a change in any changes it."""
    text = wire.fingerprint(Shed)
    for word in ("yards", "counts", "agenda", "stones", "ROUGH", "CUT"):
        assert word in text


def test_the_same_fields_give_the_same_text() -> None:
    """The digest of this text lies in stored snapshots, so it must not change by itself."""
    classes = dict(part.split("=", 1) for part in wire.fingerprint(Shed).split(";"))
    assert list(classes) == ["Gone", "Laid", "Shed", "Yard"]
    assert classes["Gone"] == ""
    assert classes["Shed"] == "yards:<class 'list'>[Yard]"
    assert classes["Yard"] == (
        f"counts:<class 'list'>[{INT}],"
        f"agenda:<class 'list'>[{UNION}[Laid,Gone]],"
        f"rows:<class 'list'>[<class 'list'>[{UNION}[Stone(ROUGH,CUT),{NONE}]]],"
        f"names:<class 'dict'>[{STR},{INT}],"
        f"last:{UNION}[Laid,{NONE}],"
        f"next:{UNION}[Laid,Gone,{NONE}]"
    )
    assert f"pair:{UNION}[<class 'tuple'>[{INT},Stone(ROUGH,CUT)],{NONE}]," in classes["Laid"]
    assert f"words:<class 'tuple'>[{STR},Ellipsis]," in classes["Laid"]


def test_any_json_is_told_as_such() -> None:
    """What is inside it has no fields."""
    text = wire.fingerprint(Carted)
    assert "anything:typing.Any" in text
    assert f"rest:<class 'collections.abc.Mapping'>[{STR},typing.Any]" in text
