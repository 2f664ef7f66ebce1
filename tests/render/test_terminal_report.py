"""What `agrad run` prints: literal tables, and what they leave out."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from sample_traces import a_pass, abc, failed, forward_only, leaf, node, trace, training_loop

from autograd_cli.errors import Cause, InplaceModified, InvalidScenario, NoGraph, Place
from autograd_cli.render.terminal_report import print_error, print_report
from autograd_cli.render.values import grad_text, number_text, type_text, value_text
from autograd_cli.trace.model import ErrorRecord

ABC = """\

                      requires
name  type            _grad     grad_fn       value        grad
───────────────────────────────────────────────────────────────────────────────
a     float32 [2, 2]  yes                     [[0.4963, …  [[1., 1.], [1., 1.]]
b     float32 [2, 2]  yes                     [[0.3074, …  [[1., 1.], [1., 1.]]
c     float32 [2, 2]  yes                     [[0.4556, …  not computed
d     float32 [2, 2]  yes       AddBackward0  [[0.8037, …  not kept
e     float32 [2, 2]  yes       MulBackward0  [[0.1401, …  not kept

backward() at line 9: 4 nodes evaluated
step  node            variable  line  deps  next
──────────────────────────────────────────────────────────
   1  SumBackward0                 9     0  AddBackward0 d
   2  AddBackward0    d            6     1  a, b
   3  AccumulateGrad  a            3     1
   4  AccumulateGrad  b            4     1
Not reached by this pass (0 dependencies): MulBackward0 e, AccumulateGrad c
"""


def printed(show, *args, width=80, encoding="utf-8", options=None, **keywords) -> str:
    """What `show` prints to a console that is no terminal."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    show(*args, Console(file=file, width=width, **(options or {})), **keywords)
    file.flush()
    return raw.getvalue().decode(encoding)


def test_the_abc_report():
    assert printed(print_report, abc()) == ABC


def test_no_line_is_wider_than_the_terminal():
    for a_trace in (abc(), training_loop(), failed(), forward_only()):
        for width in (80, 100, 140):
            for encoding in ("utf-8", "ascii"):
                assert max(map(len, printed(print_report, a_trace, width=width, encoding=encoding).splitlines())) <= width


@pytest.mark.parametrize("width", [80, 100])
def test_long_types_leave_room_for_values_and_gradients(width):
    tensor = {"type": "tensor", "device": "cpu", "requires_grad": True, "is_leaf": True, "node": 1, "version": 0}
    numbers = [0.25] * 100
    small = {**tensor, "shape": [100], "dtype": "float32", "grad_fn": None, "value": numbers, "grad": numbers}
    large = {**small, "shape": [100, 1, 1, 1], "dtype": "float64", "grad_fn": "BinaryCrossEntropyBackward0", "grad": None}
    shown = {"measured": small, "classification_loss": large}
    lines = printed(print_report, trace([], variables=shown), width=width).splitlines()
    assert max(map(len, lines)) <= width
    first, second = (line for line in lines if "float" in line)
    assert first.count("[0.2500, …") + first.count("[0.2500, 0.2500, …") == 2  # both are cut between numbers, not by the window
    assert second.endswith("not computed")


def test_an_ascii_console_gets_ascii():
    text = printed(print_report, abc(), encoding="ascii")  # encoding would raise otherwise
    assert "--------" in text
    assert "[[0.4963, ..." in text


def test_a_gradient_that_nobody_computed_is_never_0():
    tensor = {"type": "tensor", "requires_grad": True, "is_leaf": True, "grad": None, "dtype": "float32"}
    assert grad_text(tensor, 20) == "not computed"
    assert grad_text({**tensor, "is_leaf": False}, 20) == "not kept"
    assert grad_text({**tensor, "grad": 0.0}, 20) == "0."
    assert grad_text({**tensor, "requires_grad": False}, 20) == ""
    assert grad_text({**tensor, "elided": True}, 20) == "(elided)"  # too large for the Trace: nobody knows


def test_long_loops_show_the_first_and_the_last_pass():
    text = printed(print_report, training_loop())
    assert re.findall(r"^Pass (\d+) of 60", text, re.M) == ["1", "60"]
    assert "… passes 2 to 59 are not shown" in text
    text = printed(print_report, training_loop(), verbose=True)
    assert re.findall(r"^Pass (\d+) of 60", text, re.M) == ["1", "2", "59", "60"]
    assert "… passes 3 to 58 are not shown" in text


def test_long_passes_keep_their_ends():
    count = 200
    chain = [node(i, "MulBackward0", count - i, (i + 1,)) for i in range(count)] + [leaf(count, "x")]
    long = trace(chain, [a_pass(range(count + 1), {0: 0, **dict.fromkeys(range(1, count + 1), 1)})])
    text = printed(print_report, long)
    assert "169 more nodes" in text
    assert len(text.splitlines()) < 45
    assert len(printed(print_report, long, verbose=True).splitlines()) > 200


def test_durations_are_only_told_when_asked_for():
    """They differ from run to run; the plain report is the same bytes every time."""
    assert "ms" not in printed(print_report, abc()).split()
    assert "1.000 ms" in printed(print_report, training_loop(), verbose=True)


def test_quiet_keeps_warnings_and_the_error():
    assert printed(print_report, abc(), quiet=True) == ""
    assert printed(print_report, training_loop(), quiet=True).startswith("warning: line 8: y is not a leaf")
    assert "InplaceModified" in printed(print_report, failed(), quiet=True)


def test_a_run_without_a_pass_says_so():
    assert "No backward pass ran: 3 nodes recorded" in printed(print_report, forward_only())


def test_an_error_says_what_where_why_and_what_to_do():
    assert printed(print_error, failed().error, trace=failed()) == (
        "╭─  InplaceModified (RuntimeError)  ───────────────────────────────────────────╮\n"
        "│ run.yaml:4:1                                                                 │\n"
        "│ ExpBackward0 needs the value that b had at line 2 (version 0), but b was     │\n"
        "│ changed in place since (version 1).                                          │\n"
        "│                                                                              │\n"
        "│   4 | b.sum().backward()                                                     │\n"
        "│     | ^                                                                      │\n"
        "│                                                                              │\n"
        "│   line 2: ExpBackward0 saved b (version 0)    b = a.exp()                    │\n"
        "│   line 3: b was changed in place (version 1)  b.add_(1)                      │\n"
        "│                                                                              │\n"
        "│ What to do: Write b = b + 1 instead of b.add_(1).                            │\n"
        "╰────────────────────────────────────────────  agrad explain InplaceModified  ─╯\n"
    )


def test_text_of_a_cause_is_cut_where_there_is_little_room_and_left_out_where_there_is_none():
    error = failed().error
    assert error is not None
    error.causes[0].source = "b = torch.exp(a)  # the result is what it saves"
    narrow = printed(print_error, error, trace=failed(), width=66).splitlines()
    assert narrow[8] == "│   line 2: ExpBackward0 saved b (version 0)    b = torch.exp(a… │"
    assert "torch.exp" not in printed(print_error, error, trace=failed(), width=56)


def test_raised_errors_print_like_recorded_ones():
    error = InplaceModified("changed", hint="do not", place=Place("s.yaml", 6, 3, "  b.add_(1)"))
    error.causes = [Cause("saved", line=4, variable="b", version=0)]
    recorded = ErrorRecord("InplaceModified", "RuntimeError", "changed", 6, 3, "  b.add_(1)", "do not", None, None, [])
    text = printed(print_error, error)
    assert "line 4: b was saved for the backward pass (version 0)" in text
    error.causes = []
    assert printed(print_error, error) == printed(print_error, recorded, file="s.yaml")


@pytest.mark.parametrize(
    ("source", "column"),
    [("    e = d.foo()", 11), ("\tx = y", 6), ("名前 = wrong", 6), ("x = " + "abc + " * 60 + "wrong", 365)],
    ids=["indented", "tab", "wide", "long"],
)
def test_the_caret_stands_under_its_column(source, column):
    from rich.cells import cell_len

    text = printed(print_error, NoGraph("no", place=Place("s.yaml", 12, column, source)))
    shown, caret = (line for line in text.splitlines() if " | " in line)
    position = caret.index("^")
    under = "".join(c for i, c in enumerate(shown) if cell_len(shown[:i]) >= position)
    assert under.startswith(source[column - 1 : column + 2])


def test_places_that_are_only_half_known():
    assert "│ s.yaml " in printed(print_error, InvalidScenario("empty", place=Place("s.yaml")))
    assert "line 3, column 2" in printed(print_error, ErrorRecord("X", "X", "m", 3, 2, None, None, None, None, []))
    assert "None" not in printed(print_error, InvalidScenario("empty"))


def test_texts_from_a_scenario_are_neither_markup_nor_terminal_codes():
    evil = "\x1b]0;owned\x07 [bold]x[/bold] [/nonsense]"
    error = ErrorRecord(evil, evil, evil, 1, 1, evil, evil, None, evil, [])
    text = printed(print_error, error) + printed(print_report, trace([leaf(0, evil)], [a_pass([0], {0: 0})], title=evil))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold]x[/bold]" in text


def test_values_of_every_type():
    number = {"type": "number", "value": 1.5}
    tensor = {"type": "tensor", "shape": [2], "dtype": "float32", "device": "cpu", "value": [1.0, 0.25], "requires_grad": False}
    assert type_text(tensor) == "float32 [2]"
    assert type_text({**tensor, "device": "cuda:0"}) == "float32 [2] cuda:0"
    assert value_text(tensor, 20) == "[1., 0.2500]"
    assert value_text({**tensor, "value": None, "elided": True, "shape": [200, 100]}, 30) == "(20000 elements)"
    assert (
        value_text({"type": "list", "items": [number, {"type": "str", "value": "a\n"}, {"type": "cycle"}]}, 30)
        == "[1.5, 'a\\n', ...]"
    )
    assert value_text({"type": "tuple", "items": [number]}, 30) == "(1.5,)"
    assert (
        value_text({"type": "dict", "items": {"k": number, "j": {"type": "NoneType", "value": None}}}, 30) == "{k: 1.5, j: None}"
    )
    assert (
        value_text({"type": "module", "class": "Linear", "parameters": {"weight": tensor, "bias": tensor}}, 30) == "weight, bias"
    )
    assert value_text({**tensor, "dtype": "complex64", "value": [[1.0, -2.0], [0.0, "nan"]]}, 30) == "[1.-2.j, 0.+nanj]"
    assert value_text({**tensor, "shape": [], "value": "-inf"}, 30) == "-inf"
    assert value_text({"type": "SGD"}, 30) == "SGD"
    assert value_text({"type": "list", "items": [], "elided": True}, 30) == "[...]"
    assert value_text({"type": "dict", "items": {}, "elided": True}, 30) == "{...}"


def test_a_number_is_never_cut_in_two():
    tensor = {"type": "tensor", "shape": [3], "dtype": "float32", "device": "cpu", "value": [0.1234, 0.5678, 0.9012]}
    assert value_text({**tensor, "value": [[-1.0127, 2.0]]}, 10) == "[[-1.0127…"
    for width in range(9, 30):
        text = value_text(tensor, width)
        assert len(text) <= width
        assert set(re.findall(r"[\d.]+", text)) <= {"0.1234", "0.5678", "0.9012"}


def test_large_values_are_not_formatted_beyond_what_is_shown():
    class Forbidden(list):
        def __iter__(self):
            raise AssertionError("read to its end")

    row = {"type": "tensor", "shape": [2, 3], "dtype": "int64", "device": "cpu"}
    assert value_text({**row, "value": [[1000000, 2000000, 3000000], Forbidden()]}, 12) == "[[1000000, …"


@pytest.mark.parametrize(  # as torch.set_printoptions leaves them: what PyTorch prints for a tensor of that one number
    ("number", "text"),
    [
        (0.0, "0."),
        (1.0, "1."),
        (-3.0, "-3."),
        (0.5, "0.5000"),
        (0.803679, "0.8037"),
        (1e-7, "1.0000e-07"),
        (7, "7"),
        (True, "True"),
    ],
)
def test_numbers_look_as_in_pytorch(number, text):
    assert number_text(number) == text


def test_no_gradient_is_said_in_whole_words_where_names_are_long():
    many = {"type": "tensor", "requires_grad": True, "grad": None, "dtype": "float32", "device": "cpu", "shape": [2000]}
    run = forward_only()
    run.variables = {
        "learning_rate": {"type": "number", "value": 1e-6},
        "weight": {**many, "is_leaf": True, "grad_fn": None, "value": [8.7423e-08] * 2000},
        "y_pred": {**many, "is_leaf": False, "grad_fn": "AddBackward0", "value": [8.7423e-08] * 2000},
    }
    report = printed(print_report, run).splitlines()
    assert next(line for line in report if line.startswith("weight")).endswith("  not computed")
    assert all(len(line) <= 80 for line in report)
