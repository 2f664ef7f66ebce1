"""Every line of a script is found again in its file: for complaints, for tracebacks, for narration."""

import textwrap
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_cli.errors import ForbiddenSyntax
from autograd_cli.scenario.load import read_scenario
from autograd_cli.scenario.sandbox import compile_expression, compile_script, script_globals
from autograd_cli.scenario.script import Script


def script_of(text):
    return read_scenario(text.encode(), None, "s.yaml").script


def fails_at(script):
    """(function, line, 1-based column) of each frame of the script's own error."""
    code = compile_script(script)
    try:
        exec(code, script_globals({}, print))
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        return [(f.name, f.lineno, script.character_column(f.lineno, f.colno)) for f in frames if f.filename == "s.yaml"]
    raise AssertionError("the script worked")


FORMS = [  # a file whose script fails at `1/0`, and where that is
    ("forward: |\n  x = 1\n  y = 1/0\n", 3, 7),
    ("forward: |-\n  x = 1\n  y = 1/0", 3, 7),
    ("forward: |+\n\n\n  x = 1\n  y = 1/0\n\n\n", 5, 7),
    ("forward: |2\n    # deeper\n  y = 1/0\n", 3, 7),
    ("title: t\nforward: |   # a comment\n\n     x = 1\n\n     y = 1/0\n", 6, 10),
    ("forward: y = 1/0\n", 1, 14),
    ("forward: 'y = 1/0'\n", 1, 15),
    ('forward: "y = 1/0"\n', 1, 15),
    ('forward: "x = 1\\ny = 1/0"\n', 1, 22),
    ("forward: >\n  y = 1/0\n", 2, 7),
    ("forward:\n- x = 1\n- y = 1/0\n", 3, 7),
    ("forward:\n  - x = 1\n  - 'y = 1/0'\n", 3, 10),
    ("forward: [x = 1, y = 1/0]\n", 1, 22),
    ("forward:\n- |\n  x = 1\n- |\n  if x:\n    y = 1/0\n", 6, 9),
    ("forward: |\n  ü = 'ö'; y = 1/0\n", 2, 16),
    ("{title: é, forward: y = 1/0}\n", 1, 25),
    ("forward: |\r\n  x = 1\r\n  y = 1/0\r\n", 3, 7),
]


@pytest.mark.parametrize(("text", "line", "column"), FORMS, ids=[repr(form[0])[:50] for form in FORMS])
def test_every_form_of_forward_keeps_its_places(text, line, column):
    assert fails_at(script_of(text)) == [("<module>", line, column)]


def test_frames_inside_functions_point_into_the_file():
    script = script_of(
        "title: t\nforward: |   # a comment\n\n  def f(x):\n    return x.nope\n\n  y = [f(1)\n       for _ in range(1)]\n"
    )
    frames = fails_at(script)
    assert frames[0][:2] == ("<module>", 7)
    assert frames[-1] == ("f", 5, 12)


def test_the_end_of_a_position_is_moved_too():
    script = script_of("forward: |\n    x = (1 +\n         2)\n")
    positions = [position for position in compile_script(script).co_positions() if position[0]]
    assert max(position[1] for position in positions) <= 3
    assert all(position[2] >= 4 and position[3] >= 4 for position in positions if position[0] > 1)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("forward: |\n  x = 1\n  y = x.__class__\n", 3, 7),
        ("forward: |\n  é = 'é'; y = é.__class__\n", 2, 16),
        ("forward: |\n  x = (1,\n  y = 2\n", 2, 7),
        ("forward: |\n  if True:\n  y = 2\n", 3, 3),
        ("forward: |\n  return 3\n", 2, 3),
        ("forward: |\n  def f():\n      nonlocal y\n", 3, 7),
        ("forward: 'x = = 1'", 1, 15),
    ],
)
def test_complaints_of_the_compiler_point_into_the_file(text, line, column):
    with pytest.raises(ForbiddenSyntax) as caught:
        compile_script(script_of(text))
    place = caught.value.place
    assert (place.line, place.column) == (line, column)
    assert place.source == text.split("\n")[line - 1]


def test_an_expression_of_backward_points_into_the_file():
    scenario = read_scenario(b"forward: x = 1\nbackward:\n- x\n- x.__class__\n", None, "s.yaml")
    assert eval(compile_expression(scenario.backward.roots[0]), {"x": 5}) == 5
    with pytest.raises(ForbiddenSyntax) as caught:
        compile_expression(scenario.backward.roots[1])
    assert (caught.value.place.line, caught.value.place.column) == (4, 3)


@pytest.mark.parametrize("text", ["x = 1", "x; y", "import os", "for i in x: pass"])
def test_a_root_is_one_expression(text):
    with pytest.raises(ForbiddenSyntax):
        compile_expression(Script.whole_file(text, "s.yaml"))


def test_narration():
    script = script_of(
        textwrap.dedent("""\
        forward: |
          # First we make leaves.
          # Two of them.
          a = 1  # the first leaf
          b = '# not a comment'

          c = 3
          #
          d = 4 #end
        """)
    )
    assert script.comments == {2: "First we make leaves.", 3: "Two of them.", 4: "the first leaf", 9: "end"}
    assert script.narration(4) == "First we make leaves. Two of them. the first leaf"
    assert script.narration(5) is None
    assert script.narration(9) == "end"


def test_comments_of_text_that_is_not_python_are_still_found():
    assert script_of("forward: |\n  a = 1  # one\n  b = (\n").comments == {2: "one"}


def test_source_line():
    script = script_of("forward: |\n  a = 1\n")
    assert script.source_line(2) == "  a = 1"
    assert script.source_line(99) == ""
    assert str(script.place) == "s.yaml:2:3"


@given(
    st.lists(st.sampled_from(["x = 1", "", "  # note", "y = 2  # é", "z = '''", "'''", "if x:", "    q = 3"]), min_size=1),
    st.integers(1, 6),
)
def test_each_line_of_block_text_stands_at_its_place(lines, indent):
    lines = ["first = 0", *lines]
    block = "\n".join(" " * indent + line if line else "" for line in lines)
    script = script_of(f"title: t\nforward: |\n{block}\n")
    for line, (number, column) in zip(script.text.split("\n"), script.places, strict=True):
        if line:
            assert script.source_line(number)[column:] == line
