"""A scenario file becomes a typed Scenario, or one InvalidScenario that names line and column."""

import gc
import math
import os
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_cli.errors import AgradError, FileProblem, InvalidScenario
from autograd_cli.scenario.load import MAX_BYTES, load_scenario, read_scenario
from autograd_cli.scenario.script import Script


def load(text):
    return read_scenario(textwrap.dedent(text).encode(), None, "s.yaml")


def test_every_key_of_a_single_process_scenario():
    scenario = load("""\
        title: A title
        about: |
          Some *Markdown*.
        seed: 7
        device: auto
        dtype: double
        tensors:
          x: {data: [[1, 2], [3, nan]], requires_grad: true}
          w: {randn: [2, 3], dtype: float64, device: "cuda:1"}
          s: {ones: []}
          z: {zeros: 4}
          t: {load: data/iris.csv, columns: [0, petal], skip_rows: 1}
        forward: |
          y = x @ w
        backward:
          roots: [y.sum(), x.sum()]
          gradient: ["torch.ones(())", 2.5]
          inputs: [x]
          retain_graph: true
          create_graph: true
        expect:
          variables: {loss: 1.25, name: text, none: null, d: {k: [1, 2]}}
          grads: {a: [[1, inf], [1, -.inf]]}
          dependencies: {d: 1}
          order: [SumBackward0, AddBackward0]
          stdout: |
            hello
          error: boom
          rtol: 1e-3
          atol: 0
        """)
    assert (scenario.title, scenario.about, scenario.seed) == ("A title", "Some *Markdown*.\n", 7)
    assert (scenario.device, scenario.dtype, scenario.is_distributed) == ("auto", "float64", False)
    x, w, s, z, t = scenario.tensors
    assert (x.name, x.source, x.value[0], x.requires_grad) == ("x", "data", [1, 2], True)
    assert math.isnan(x.value[1][1])
    assert (x.place.line, x.place.column) == (8, 13)
    assert (w.source, w.value, w.dtype, w.device, w.requires_grad) == ("randn", (2, 3), "float64", "cuda:1", False)
    assert (s.value, z.value) == ((), (4,))
    assert (t.value, t.columns, t.skip_rows) == ("data/iris.csv", (0, "petal"), 1)
    assert [root.text for root in scenario.backward.roots] == ["y.sum()", "x.sum()"]
    assert (scenario.backward.roots[1].place.line, scenario.backward.roots[1].place.column) == (16, 20)
    assert isinstance(scenario.backward.gradient[0], Script)
    assert scenario.backward.gradient[1] == 2.5
    assert [one.text for one in scenario.backward.inputs] == ["x"]
    assert (scenario.backward.retain_graph, scenario.backward.create_graph) == (True, True)
    expect = scenario.expect
    assert expect.variables == {"loss": 1.25, "name": "text", "none": None, "d": {"k": [1, 2]}}
    assert expect.grads == {"a": [[1, math.inf], [1, -math.inf]]}
    assert (expect.dependencies, expect.order) == ({"d": 1}, ("SumBackward0", "AddBackward0"))
    assert (expect.stdout, expect.error, expect.rtol, expect.atol) == ("hello\n", "boom", 1e-3, 0.0)
    assert expect.places["grads.a"].line == 23


def test_defaults():
    scenario = load("forward: x = 1")
    assert (scenario.title, scenario.seed, scenario.device, scenario.dtype) == (None, 0, "cpu", "float32")
    assert scenario.tensors == ()
    assert scenario.backward is None
    assert scenario.expect is None


def test_distributed_keys():
    scenario = load("""\
        workers: [alice, bob]
        mode: smart
        forward:
          all: x = 1
          bob: |
            y = 2
        backward: {roots: loss, mode: fast}
        faults:
        - {worker: bob, action: kill, at: {node: MulBackward0}}
        - {worker: alice, action: delay, at: backward, seconds: 2, times: 1}
        - {worker: alice, action: fail, at: {message: "0:3"}}
        """)
    assert scenario.is_distributed
    assert (scenario.workers, scenario.mode, scenario.backward.mode) == (("alice", "bob"), "smart", "fast")
    assert {name: script.text for name, script in scenario.script.items()} == {"all": "x = 1", "bob": "y = 2\n"}
    assert [fault.at for fault in scenario.faults] == [("node", "MulBackward0"), "backward", ("message", "0:3")]
    assert scenario.faults[1].seconds == 2.0


BAD = [  # text, line, column, a part of the message or hint
    ("", 1, 1, "empty"),
    ("42", 1, 1, "must be a mapping"),
    ("title: t", 1, 1, "forward"),
    ("forwrd: x", 1, 1, "did you mean forward"),
    ("forward: x = 1\nsede: 3", 2, 1, "did you mean seed"),
    ("forward: 3", 1, 10, "must be text"),
    ("forward:", 1, 9, "must be text"),
    ("forward:\n- x = 1\n- 3", 3, 3, "YAML reads this one as the number 3"),
    ("forward:\n- x = 1\n- x: int = 3", 3, 3, "a mapping"),
    ("forward:\n- [1]", 2, 3, "a list"),
    ("forward: {a: x}", 1, 10, "workers"),
    ("forward: x\nworkers: 2\nbackward: 3", 3, 11, "expression"),
    ("forward: {wrker0: x}\nworkers: 2", 1, 11, "did you mean worker0"),
    ("forward: {}\nworkers: 2", 1, 10, "no script"),
    ("forward: x\nworkers: 0", 2, 10, "1"),
    ("forward: x\nworkers: [a, a]", 2, 14, "twice"),
    ("forward: x\nworkers: [all]", 2, 11, "cannot be the name"),
    ("forward: x\nworkers: two", 2, 10, "integer"),
    ("forward: x\nmode: smart", 2, 7, "workers"),
    ("forward: x\nworkers: 2\nmode: smrt", 3, 7, "did you mean smart"),
    ("forward: x\nfaults: []", 2, 9, "workers"),
    ("forward: x\nworkers: 2\nfaults: [{worker: worker7, action: kill, at: forward}]", 3, 19, "worker7"),
    ("forward: x\nworkers: 2\nfaults: [{worker: worker1, action: kil, at: forward}]", 3, 36, "kill"),
    ("forward: x\nworkers: 2\nfaults: [{worker: worker1, action: kill}]", 3, 10, "at:"),
    ('forward: x\nworkers: 2\nfaults: [{worker: worker1, action: kill, at: {message: "x"}}]', 3, 56, "sender:counter"),
    ("forward: x\nseed: 1.5", 2, 7, "integer"),
    ("forward: x\nseed: true", 2, 7, "integer"),
    ("forward: x\nseed: 99999999999999999999999", 2, 7, "from"),
    ("forward: x\nseed: " + "9" * 5000, 2, 7, "5000 digits"),
    ("forward: x\ntitle: 3", 2, 8, "text"),
    ("forward: x\ntitle: [a]", 2, 8, "text"),
    ("forward: x\ndevice: gpu", 2, 9, "no device"),
    ("forward: x\ndtype: int64", 2, 8, "float32"),
    ("forward: x\ndtype: flot32", 2, 8, "did you mean float32"),
    ("forward: x\ntensors: [1]", 2, 10, "mapping"),
    ("forward: x\ntensors: {1a: {data: 1}}", 2, 11, "cannot be the name"),
    ("forward: x\ntensors: {for: {data: 1}}", 2, 11, "cannot be the name"),
    ("forward: x\ntensors: {__a: {data: 1}}", 2, 11, "cannot be the name"),
    ("forward: x\ntensors: {a: 1}", 2, 14, "mapping"),
    ("forward: x\ntensors: {a: {}}", 2, 14, "no source"),
    ("forward: x\ntensors: {a: {rand: 1, data: 1}}", 2, 30, "more than one"),
    ("forward: x\ntensors: {a: {dta: 1}}", 2, 15, "did you mean data"),
    ("forward: x\ntensors: {a: {data: [[1, 2], [3]]}}", 2, 30, "ragged"),
    ("forward: x\ntensors: {a: {data: [1, x]}}", 2, 25, "the text 'x'"),
    ("forward: x\ntensors: {a: {data: {b: 1}}}", 2, 21, "mapping"),
    ("forward: x\ntensors: {a: {data: null}}", 2, 21, "nothing"),
    ("forward: x\ntensors: {a: {rand: [-1]}}", 2, 22, "at least 0"),
    ("forward: x\ntensors: {a: {rand: [1.5]}}", 2, 22, "integer"),
    ("forward: x\ntensors: {a: {load: 3}}", 2, 21, "text"),
    ("forward: x\ntensors: {a: {data: 1, columns: 0}}", 2, 33, "load"),
    ("forward: x\ntensors: {a: {load: a.csv, columns: []}}", 2, 37, "empty"),
    ("forward: x\ntensors: {a: {load: a.csv, columns: -1}}", 2, 37, "at least 0"),
    ("forward: x\ntensors: {a: {data: 1, requires_grad: 1}}", 2, 39, "true or false"),
    ("forward: x\ntensors: {a: {data: 1, requires_grad: yes}}", 2, 39, "true or false"),
    ("forward: x\ntensors: {a: {data: 1, dtype: float31}}", 2, 31, "float32"),
    ("forward: x\ntensors: {a: {data: 1, device: auto}}", 2, 32, "no device"),
    ("forward: x\nbackward: []", 2, 11, "empty"),
    ("forward: x\nbackward: [a, 3]", 2, 15, "expression"),
    ("forward: x\nbackward: {gradient: 1}", 2, 11, "roots"),
    ("forward: x\nbackward: {roots: a, grad: 1}", 2, 22, "gradient"),
    ("forward: x\nbackward: {roots: [a, b], gradient: [1]}", 2, 37, "1 entries for 2 roots"),
    ("forward: x\nbackward: {roots: [a, b], gradient: 1}", 2, 37, "list"),
    ("forward: x\nbackward: {roots: a, gradient: [1, [2]]}", 2, 36, "ragged"),
    ("forward: x\nbackward: {roots: a, retain_graph: maybe}", 2, 36, "true or false"),
    ("forward: x\nbackward: {roots: a, mode: fast}", 2, 28, "workers"),
    ("forward: x\nexpect: 3", 2, 9, "mapping"),
    ("forward: x\nexpect: {grad: {a: 1}}", 2, 10, "did you mean grads"),
    ("forward: x\nexpect: {grads: {a: text}}", 2, 21, "number"),
    ("forward: x\nexpect: {dependencies: {a: -1}}", 2, 28, "at least 0"),
    ("forward: x\nexpect: {order: AddBackward0}", 2, 17, "list"),
    ("forward: x\nexpect: {rtol: -1}", 2, 16, "negative"),
    ("forward: x\nexpect: {rtol: nan}", 2, 16, "number"),
    ("forward: x\nexpect: {error: ''}", 2, 17, "part of the message"),
    ("forward: x\n---\nforward: y", 2, 1, "second"),
    ("forward: >\n  x = 1\n  y = 2\n", 1, 10, "folded"),
    ("forward: x = 1\n  y = 2\n", 1, 10, "several lines"),
    ("forward: 'x = 1\n\n  y = 2'\n", 1, 10, "several lines"),
    ("forward: !!int abc", 1, 10, "!!int"),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), BAD, ids=[repr(case[0])[:60] for case in BAD])
def test_bad_input_is_one_error_with_place_and_reason(text, line, column, words):
    with pytest.raises(InvalidScenario) as caught:
        read_scenario(text.encode(), None, "s.yaml")
    error = caught.value
    assert words in f"{error.message} {error.hint}"
    assert (error.place.file, error.place.line, error.place.column) == ("s.yaml", line, column)
    assert error.place.source is not None
    assert error.exit_code == 2


def test_invalid_utf8_names_the_byte_and_its_place():
    with pytest.raises(InvalidScenario) as caught:
        read_scenario("title: é\nforward: ".encode() + b"\xff", None, "s.yaml")
    assert "0xff" in caught.value.message
    assert (caught.value.place.line, caught.value.place.column) == (2, 10)


def test_a_byte_order_mark_is_fine():
    assert load("\ufeffforward: x = 1").script.text == "x = 1"


def test_a_python_file_is_a_script(tmp_path):
    path = tmp_path / "prog.py"
    path.write_bytes(b"x = 1\r\ny = 2  # two\r\n")
    scenario = load_scenario(path)
    assert scenario.path == path
    assert scenario.script.text == "x = 1\ny = 2  # two\n"
    assert scenario.script.places[1] == (2, 0)
    assert scenario.script.comments == {2: "two"}


@pytest.mark.parametrize("what", ["missing", "folder", "huge", "fifo", "null"])
def test_files_that_cannot_be_read(tmp_path, what):
    path = tmp_path / "s.yaml"
    if what == "folder":
        path.mkdir()
    elif what == "huge":
        with path.open("wb") as file:
            file.truncate(MAX_BYTES + 1)
    elif what == "fifo":
        if not hasattr(os, "mkfifo"):
            pytest.skip("no named pipes here")
        os.mkfifo(path)
    with pytest.raises(FileProblem) as caught:
        load_scenario("a\0b" if what == "null" else path)
    assert caught.value.exit_code == 2
    assert caught.value.place.file


def test_garbage_collection_is_off_while_loading_and_on_again_after(monkeypatch):
    seen = []
    monkeypatch.setattr("autograd_cli.scenario.build.build_scenario", lambda document: seen.append(gc.isenabled()) or 1 / 0)
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        load("forward: x")
    assert seen == [False]
    assert gc.isenabled()


def complaint(data):
    """The error that some bytes get, if any; anything but an AgradError is raised."""
    try:
        read_scenario(data, None)
    except AgradError as error:
        return error
    return None


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_a_scenario_or_one_clear_error(text):
    error = complaint(text.encode("utf-8", "surrogatepass"))
    assert error is None or (error.message and error.place)


PIECES = [
    "forward:",
    " |",
    "\n",
    "  x = 1\n",
    "tensors: ",
    "{a: ",
    "{data: ",
    "[1, ",
    "2]",
    "}",
    "- ",
    "&a ",
    "*a",
    "'",
    '"',
    "backward: ",
    "x",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=16))
def test_pieces_of_scenarios_in_any_order(pieces):
    error = complaint("".join(pieces).encode())
    assert error is None or (error.message and error.place.line)
