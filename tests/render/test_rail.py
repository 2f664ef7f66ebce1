"""The terminal drawing is the graph: literal pictures, and edges read back from random ones."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from sample_traces import a_pass, abc, edge_set, failed, forward_only, leaf, node, random_dag, square, trace, training_loop

from autograd_cli.render.rail import ASCII, UNICODE, draw_rail
from autograd_cli.render.terminal import print_rail, rail
from autograd_cli.render.view import prepare

ABC = """\
1      ● SumBackward0     []     deps 0
     ╭─╯
2    ╰─▶ AddBackward0   d [2, 2] deps 1
   ╭─┬─╯
3  │ ╰─▶ AccumulateGrad a [2, 2] deps 1
4  ├───▶ AccumulateGrad b [2, 2] deps 1
   │   ── not reached by this pass
   │   ○ MulBackward0   e [2, 2] deps 0
   ╰─┬─╯
     ╰─▷ AccumulateGrad c [2, 2] deps 0
"""

ABC_ASCII = """\
1      * SumBackward0     []     deps 0
     .-'
2    `-> AddBackward0   d [2, 2] deps 1
   .-.-'
3  | `-> AccumulateGrad a [2, 2] deps 1
4  +---> AccumulateGrad b [2, 2] deps 1
   |   -- not reached by this pass
   |   o MulBackward0   e [2, 2] deps 0
   `-.-'
     `-> AccumulateGrad c [2, 2] deps 0
"""


def test_nodes_that_the_pass_does_not_reach_stay_visible_with_0():
    assert rail(abc()) == ABC
    assert rail(abc(), ascii_only=True) == ABC_ASCII


def test_two_edges_to_one_target_are_counted():
    assert rail(square()) == ("1    ● MulBackward0   b [2, 2] deps 0\n   ╭─╯ ×2 to a\n2  ╰─▶ AccumulateGrad a [2, 2] deps 2\n")


def test_without_a_pass_nothing_claims_a_count():
    assert rail(forward_only()) == (
        "     ● ExpBackward0   b [2, 2] deps -\n"
        "   ╭─╯\n"
        "   ╰─▶ AddBackward0     [2, 2] deps -\n"
        "   ╭─╯\n"
        "   ╰─▶ AccumulateGrad a [2, 2] deps -\n"
    )


def test_the_node_that_raised_is_marked():
    lines = rail(failed()).splitlines()
    assert lines[2] == "2  ╰─✗ ExpBackward0   b [2, 2] deps 1  failed here"
    assert lines[4] == "   ╰─▶ AccumulateGrad a [2, 2] deps 1  not evaluated"


def test_an_empty_graph_draws_nothing():
    assert rail(trace([])) == ""


def test_a_training_loop_shows_its_last_pass():
    drawn = rail(training_loop())
    assert drawn.count("MulBackward0") == 1
    assert drawn.count("ExpBackward0") == 1  # recorded since the pass before, and not reached
    assert "note: 4 of 13 nodes shown, those of pass 60;" in drawn
    assert rail(training_loop(), show_all=True).count("MulBackward0") == 4


def read_back(rows, chars) -> set[tuple[int, int]]:
    """The edges of a drawing, from its characters alone.

    A lane is a run of cells in one column from a cell that starts it to one that ends it. On a node's row it touches its target,
    on a branch row one of its sources.
    """
    starts = {chars.starts, chars.starts_on_line}
    joins = {chars.joins, chars.joins_on_line}
    ends = {chars.ends, chars.ends_on_line}
    edges, lanes, current = set(), {}, None
    for row in rows:
        if row.node is not None:
            current = row.node.id
        for column, cell in enumerate(row.lanes):
            if cell in starts:
                assert column not in lanes
                lanes[column] = ([], [])
            elif cell not in joins | ends:
                assert (column in lanes) == (cell == chars.passing)  # an open lane is never interrupted
                continue
            sources, targets = lanes[column]
            (sources if row.node is None else targets).append(current)
            if cell in ends:
                assert len(targets) == 1
                edges |= {(source, targets[0]) for source in sources}
                del lanes[column]
    assert not lanes
    return edges


@pytest.mark.parametrize("chars", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_the_drawing_reads_back_to_the_edges_of_random_graphs(chars):
    for seed in range(400):
        graph = random_dag(seed)
        rows, notes = draw_rail(prepare(graph), ascii_only=chars is ASCII)
        assert read_back(rows, chars) == edge_set(graph), f"seed {seed}"
        assert not notes
        if chars is ASCII:
            assert "".join(map(str, rows)).isascii()


def test_read_back_sees_a_wrong_drawing():
    rows, _ = draw_rail(prepare(abc()))
    wrong = [row for row in rows if not (row.node and row.node.id == 2)]
    with pytest.raises(AssertionError):
        assert read_back(wrong, UNICODE) == edge_set(abc())


@pytest.mark.parametrize("ascii_only", [False, True])
def test_lanes_that_do_not_fit_are_clipped_and_said(ascii_only):
    fan = trace(
        [node(0, "StackBackward0", 0, range(1, 101), "s"), *(leaf(i, f"w{i}") for i in range(1, 101))],
        [a_pass(range(101), {0: 0, **dict.fromkeys(range(1, 101), 1)})],
    )
    rows, notes = draw_rail(prepare(fan), width=80, ascii_only=ascii_only)
    assert max(len(str(row)) for row in rows) <= 80
    assert [row.node.id for row in rows if row.node] == list(range(101))
    assert all(re.search(r"deps [01]$", str(row)) for row in rows if row.node)  # the count gives way to nothing
    assert len(notes) == 1
    assert "lanes on the left did not fit" in notes[0]
    assert draw_rail(prepare(fan))[1] == []


@pytest.mark.parametrize("width", [40, 60, 80])
def test_long_names_leave_room_for_the_count(width):
    graph = trace([node(0, "NativeLayerNormBackward0", 0, (1,), "x" * 50), leaf(1, "self_attn.out_proj.weight", shape=(16, 16))])
    lines = rail(graph, width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert sum("deps -" in line for line in lines) == 2


def test_a_million_columns_are_never_drawn():
    count = 3000
    fan = trace([node(0, "StackBackward0", 0, range(1, count)), *(leaf(i, f"w{i}") for i in range(1, count))])
    rows, notes = draw_rail(prepare(fan))
    assert max(len(str(row)) for row in rows) < 1100
    assert notes


def test_long_chains_draw_without_recursion():
    count = 100_000
    chain = [node(i, "MulBackward0", count - i, (i + 1,)) for i in range(count)] + [leaf(count, "x")]
    rows, _ = draw_rail(prepare(trace(chain)))
    assert len(rows) == 2 * count + 1
    assert {row.lanes for row in rows} <= {"   ", " ╭─╯", " ╰─"}


def test_variables_cannot_drive_the_terminal():
    drawn = rail(trace([leaf(0, "x\x1b[2J\u202e")]), ascii_only=True)
    assert "\\x1b[2J\\u202e" in drawn


def console(**options) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=80, **options), out


def test_colours_change_nothing_but_colours():
    plain, plain_out = console(color_system=None)
    coloured, coloured_out = console(force_terminal=True, color_system="standard")
    print_rail(abc(), plain)
    print_rail(abc(), coloured)
    assert "\x1b[" in coloured_out.getvalue()
    assert "\x1b[" not in plain_out.getvalue()
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured_out.getvalue()) == plain_out.getvalue()
    assert ABC in plain_out.getvalue()


def test_an_ascii_terminal_gets_ascii():
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_rail(abc(), Console(file=out, width=80))
    out.flush()
    assert ABC_ASCII in out.buffer.getvalue().decode("ascii")
