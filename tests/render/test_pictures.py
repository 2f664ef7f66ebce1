"""SVG and PNG: laid out by whatever Graphviz is there, compared by structure."""

from __future__ import annotations

import re
import stat
import sys
import xml.etree.ElementTree as ET

import pytest
from sample_traces import abc, edge_set, leaf, node, random_dag, trace

from autograd_cli.errors import FileProblem, LimitExceeded
from autograd_cli.render import layout as layout_module
from autograd_cli.render.dot import dot
from autograd_cli.render.layout import Engine, find_engines, layout
from autograd_cli.render.picture import picture, source, svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _no_engine_from_the_environment(monkeypatch):
    monkeypatch.delenv("AGRAD_DOT", raising=False)


def engines() -> list[Engine]:
    return find_engines()


def groups(text: str) -> dict[str, set[str]]:
    """Ids of the SVG's groups and their classes."""
    return {g.get("id"): set(g.get("class", "").split()) for g in ET.fromstring(text).iter(f"{SVG}g")}


@pytest.mark.parametrize("engine", engines(), ids=lambda engine: engine.name)
def test_every_engine_draws_the_same_nodes_and_edges(engine, monkeypatch):
    monkeypatch.setattr(layout_module, "find_engines", lambda named=None: [engine])
    for graph in (abc(), random_dag(3), random_dag(8, size=60)):
        found = groups(svg(graph))
        assert {f"n-{n.id}" for n in graph.graph.nodes} == {i for i in found if i.startswith("n-")}
        assert {tuple(map(int, i.split("-")[1:3])) for i in found if i.startswith("e-")} == edge_set(graph)
    assert {"node", "op", "unreached"} <= groups(svg(abc()))["n-4"]


def test_an_svg_stands_on_its_own():
    text = svg(abc())
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    ids = root.get("aria-labelledby").split()
    assert [e.tag for i in ids for e in root if e.get("id") == i] == [f"{SVG}title", f"{SVG}desc"]
    assert root.find(f"{SVG}title").text == "Which nodes take part in the backward pass?"
    assert "not reached by the pass: MulBackward0 e, AccumulateGrad c" in root.find(f"{SVG}desc").text
    assert set(re.findall(r'https?://[^"\s]+', text)) == {
        "http://www.w3.org/2000/svg"
    }  # the namespace's name; nothing is fetched
    assert not re.search(r"<!DOCTYPE|xlink|@import|url\(|<script", text)
    assert "prefers-color-scheme: dark" in text


def test_a_node_has_one_tooltip():
    node_group = next(g for g in ET.fromstring(svg(abc())).iter(f"{SVG}g") if g.get("id") == "n-4")
    titles = node_group.findall(f"{SVG}title")
    assert len(titles) == 1
    assert titles[0].text.splitlines()[:2] == ["MulBackward0 of e", "line 7"]
    assert [t.text for t in node_group.findall(f"{SVG}text")] == ["MulBackward0", "e [2, 2]", "deps 0"]


def test_every_colour_of_the_sheet_is_defined():
    text = svg(abc())
    assert set(re.findall(r"var\((--[\w-]+)\)", text)) <= set(re.findall(r"(--[\w-]+):", text))


@pytest.mark.parametrize("name", ["</script><b>", 'a"b\\', "a & b", "∇f", "\x00\x1b", "&lt;"])
def test_odd_names_survive(name):
    text = svg(trace([leaf(0, name)], title=name))
    shown = name if name.isprintable() else name.encode("unicode_escape").decode()
    assert any(t.text.startswith(shown) for t in ET.fromstring(text).iter(f"{SVG}text"))


def test_a_png_is_a_png():
    drawing = picture(abc(), "png")
    assert drawing.data.startswith(b"\x89PNG\r\n\x1a\n")
    assert drawing.warnings == []


def test_dot_needs_no_engine(monkeypatch):
    monkeypatch.setattr(layout_module, "find_engines", lambda named=None: [])
    assert picture(abc(), "dot").data.decode() == dot(abc())
    with pytest.raises(FileProblem, match="No Graphviz was found") as raised:
        picture(abc(), "svg")
    assert "--dot" in raised.value.hint
    assert "pip install graphviz-pure" in raised.value.hint


def chain(count: int):
    return trace([*(node(i, "MulBackward0", count - i, (i + 1,)) for i in range(count)), leaf(count, "x")])


def test_large_pixel_pictures_are_refused_with_advice():
    with pytest.raises(LimitExceeded, match="2001 nodes") as raised:
        picture(chain(2000), "png")
    assert "SVG" in raised.value.hint
    assert picture(chain(2000), "png", around="x").data


def test_middling_pixel_pictures_are_warned_of(monkeypatch):
    monkeypatch.setattr("autograd_cli.render.picture.layout", lambda *a, **k: layout_module.Drawing(b"png", "x"))
    assert "SVG" in picture(chain(400), "png").warnings[0]


def executable(path, body: str) -> str:
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="scripts with #! are not executables there")
class TestFallback:
    """A broken engine costs a warning, not the picture."""

    WORKS = "import sys; sys.stdin.read(); print('drawn', sys.argv[1])"

    def engines(self, monkeypatch, *bodies_and_names):
        made = [Engine(name, (sys.executable, "-c", body), layout_module.GRAPHVIZ_FORMATS) for name, body in bodies_and_names]
        monkeypatch.setattr(layout_module, "find_engines", lambda named=None: made)

    def test_a_crash_falls_to_the_next_engine(self, monkeypatch):
        self.engines(monkeypatch, ("broken", "import sys; sys.exit('out of luck')"), ("good", self.WORKS))
        drawing = layout("digraph {}", "svg")
        assert (drawing.data, drawing.engine) == (b"drawn -Tsvg\n", "good")
        assert drawing.warnings == ["broken could not lay the graph out: out of luck. good drew the picture instead."]

    def test_so_does_a_hang(self, monkeypatch):
        self.engines(
            monkeypatch,
            ("hanging", "import sys; sys.stdin.read(); input() if False else [0 for _ in iter(int, 1)]"),
            ("good", self.WORKS),
        )
        drawing = layout("digraph {}", "svg", timeout=1)
        assert drawing.engine == "good"
        assert "within 1 seconds" in drawing.warnings[0]

    def test_when_all_fail_the_last_one_says_why(self, monkeypatch):
        self.engines(monkeypatch, ("broken", "import sys; sys.exit('first')"), ("worse", "import sys; sys.exit('second')"))
        with pytest.raises(FileProblem, match="worse could not lay the graph out: second"):
            layout("digraph {}", "svg")

    def test_the_users_engine_is_the_only_one(self, tmp_path, monkeypatch):
        mine = executable(tmp_path / "mydot", self.WORKS)
        assert layout("digraph {}", "pdf", engine=mine).data == b"drawn -Tpdf\n"
        monkeypatch.setenv("AGRAD_DOT", mine)
        assert layout("digraph {}", "svg").engine == "mydot"

    def test_a_users_engine_that_is_not_there(self, tmp_path):
        with pytest.raises(FileProblem, match="nowhere") as raised:
            layout("digraph {}", "svg", engine=str(tmp_path / "nowhere"))
        assert raised.value.exit_code == 2


def test_a_format_that_no_engine_here_writes(monkeypatch):
    pure = Engine("graphviz-pure", ("x",), layout_module.PURE_FORMATS)
    monkeypatch.setattr(layout_module, "find_engines", lambda named=None: [pure])
    with pytest.raises(FileProblem, match="graphviz-pure cannot write pdf") as raised:
        layout("digraph {}", "pdf")
    assert "agrad[pdf]" in raised.value.hint
    with pytest.raises(FileProblem, match="'docx' is not a picture format"):
        layout("digraph {}", "docx")


def test_bad_dot_is_an_error_and_no_traceback():
    with pytest.raises(FileProblem, match="could not lay the graph out"):
        layout("digraph { a -> ", "svg")


def test_notebooks_get_a_source_of_the_graphviz_package():
    assert source(abc()).source.rstrip("\n") == dot(abc()).rstrip("\n")


def test_drawing_starts_no_process_until_it_must():
    """The modules are imported by commands that never draw: none of them may bring subprocess along."""
    import subprocess

    program = "import sys, autograd_cli.render.picture, autograd_cli.render.dot; assert 'subprocess' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
