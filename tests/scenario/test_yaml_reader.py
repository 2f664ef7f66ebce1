"""YAML by the 1.2 core schema, and one clear error with its place for everything else."""

import math

import pytest
import yaml

from autograd_cli.errors import InvalidScenario
from autograd_cli.scenario.yaml_reader import Document, scalar


def value(text, **options):
    return scalar(Document(text, "f.yaml").root, **options)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-6", 1e-6),
        ("1E3", 1000.0),
        ("-1.5e+3", -1500.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("+3", 3),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("null", None),
        ("~", None),
        ("''", ""),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("nan", "nan"),
        ("inf", "inf"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
        ("! 12", "12"),
    ],
)
def test_core_schema(text, expected):
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(("text", "expected"), [("nan", math.nan), ("NaN", math.nan), ("-inf", -math.inf), ("+inf", math.inf)])
def test_words_are_numbers_where_data_is_expected(text, expected):
    found = value(text, words=True)
    assert found == expected or (math.isnan(found) and math.isnan(expected))


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\na: 2", 2, 1, "second time"),
        ("a: {b: 1, b: 2}", 1, 11, "second time"),
        ("a: 1\n---\nb: 2", 2, 1, "second one"),
        ("a:\n\tb: 1", 2, 1, "tab"),
        ("a: b: c", 1, 5, "mapping values"),
        ("a: [1, 2", 1, 9, "not YAML"),
        ("a: 'x", 1, 6, "not YAML"),
        ("a: *nowhere", 1, 4, "no anchor"),
        ("&a [*a]", 1, 5, "contains it"),
        ("x: !!python/object/apply:os.system [ls]", 1, 4, "no meaning"),
        ("x: !custom 1", 1, 4, "no meaning"),
        ("? [1]\n: 2", 1, 3, "must be text"),
        ("a: \x07", 1, 4, "U+0007"),
        ("[" * 200, 1, 101, "deep"),
        ("a: @x", 1, 4, "cannot start"),
    ],
)
def test_bad_yaml_is_one_error_with_its_place(text, line, column, words):
    with pytest.raises(InvalidScenario) as caught:
        Document(text, "f.yaml")
    place = caught.value.place
    assert (place.file, place.line, place.column) == ("f.yaml", line, column)
    assert words in caught.value.message
    assert place.source == text.split("\n")[line - 1]


def test_exploding_aliases_are_refused_before_they_explode():
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with pytest.raises(InvalidScenario, match="aliases"):
        Document("\n".join(lines), "f.yaml")


def test_deep_nesting_needs_no_stack():
    with pytest.raises(InvalidScenario, match="deep"):
        Document("\n".join(f"{' ' * i}a{i}:" for i in range(5000)), "f.yaml")


def test_the_pure_python_parser_gives_the_same_tree(monkeypatch):
    text = "a: &x [1, 'two', {b: null}]\nforward: |\n  é = 1\n\n  y = 2\nc: *x\n"

    def dump(node):
        if node.kind == "mapping":
            return [(dump(key), dump(item)) for key, item in node.value]
        return (
            node.kind,
            [dump(item) for item in node.value] if node.kind == "list" else node.value,
            node.start,
            node.style,
            node.size,
        )

    with_c = dump(Document(text, "f").root)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert dump(Document(text, "f").root) == with_c


def test_marks_count_characters_not_bytes():
    root = Document("é: ü\nb: *x\n".replace("*x", "[ö, 1]"), "f").root
    assert root.value[0][1].start == (0, 3)
    assert root.value[1][1].value[1].start == (1, 7)
