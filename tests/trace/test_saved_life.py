"""The events of saved tensors: at every step, what was saved less what was released is what living nodes hold."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from saved_bytes import Watching
from traced import FILE, names, trace_of

from autograd_cli import torch
from autograd_cli.trace.lines import Lines

SCRIPTS = {
    "a chain and its pass": """
        a = torch.rand(4, requires_grad=True)
        y = (a.exp() * a).sin().sum()
        y.backward()
        """,
    "a graph that is kept, then freed": """
        a = torch.rand(3, 2, requires_grad=True)
        y = (a @ a.t()).tanh().sum()
        y.backward(retain_graph=True)
        y.backward()
        """,
    "a graph that is thrown away": """
        a = torch.rand(4, requires_grad=True)
        for i in range(3):
            y = (a * i).exp().log()
        del y
        z = a.sqrt()
        """,
    "part of a graph": """
        a = torch.rand(4, requires_grad=True)
        b = torch.rand(4, requires_grad=True)
        shared = a * b
        kept = shared.exp()
        torch.autograd.grad(shared.sin().sum(), [a], retain_graph=True)
        torch.autograd.grad(shared.cos().sum(), [b])
        """,
    "a pass that records itself": """
        a = torch.rand(4, requires_grad=True)
        g, = torch.autograd.grad((a ** 3).sum(), a, create_graph=True)
        (g * g).sum().backward()
        """,
    "a change of a view": """
        a = torch.rand(4, requires_grad=True)
        y = a * 2
        y[1:3] *= a[:2]
        y[0].mul_(a[3])
        y.exp().sum().backward()
        """,
    "a custom function": """
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x ** 3
                ctx.save_for_backward(x, y)
                return y
            @staticmethod
            def backward(ctx, grad):
                x, y = ctx.saved_tensors
                return grad * 3 * x * x
        a = torch.rand(4, requires_grad=True)
        y = Cube.apply(a)
        z = Cube.apply(a)
        y.sum().backward()
        """,
    "tensors packed by hooks": """
        a = torch.rand(4, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy(), lambda n: torch.tensor(n)):
            y = (a * 3).exp() * a
        (y * a).sum().backward()
        """,
    "a checkpoint": """
        a = torch.rand(4, requires_grad=True)
        y = torch.utils.checkpoint.checkpoint(lambda x: x.exp().sin() * x, a, use_reentrant=False)
        (y * a).sum().backward()
        """,
    "a checkpoint with a pass of its own": """
        a = torch.rand(4, requires_grad=True)
        y = torch.utils.checkpoint.checkpoint(lambda x: x.exp().sin() * x, a, use_reentrant=True)
        (y * a).sum().backward()
        """,
    "a pass that fails on its way": """
        a = torch.rand(4, requires_grad=True)
        b = a * 2
        c = b * b
        d = c.exp()
        b.add_(1)
        try:
            d.sum().backward()
        except RuntimeError:
            pass
        """,
    "a node that no gradient reaches": """
        class Stop(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1
            @staticmethod
            def backward(ctx, grad):
                return None
        a = torch.rand(4, requires_grad=True)
        x = a * a
        Stop.apply(x).sum().backward()
        """,
    "a network in a loop": """
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        x = torch.rand(5, 3)
        for step in range(3):
            loss = (net(x) ** 2).mean()
            net.zero_grad()
            loss.backward()
        """,
    "operations that save lists": """
        a = torch.rand(4, requires_grad=True)
        y = a[torch.tensor([0, 2])] * 2
        z = torch.cat([y, a]).prod()
        z.backward()
        """,
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_bytes_saved_less_bytes_released_are_what_nodes_hold(what):
    script = dedent(SCRIPTS[what]).lstrip("\n")
    recorder = Watching(Lines({FILE}, [ast.parse(script)]))
    with recorder:
        exec(compile(script, FILE, "exec"), {"torch": torch})
    assert recorder.steps
    assert [holding for holding, _ in recorder.steps] == [told for _, told in recorder.steps]
    assert max(holding for holding, _ in recorder.steps) > 0


@pytest.mark.parametrize("what", SCRIPTS)
def test_each_node_releases_once_what_it_saved(what):
    events = trace_of(SCRIPTS[what], events=True).events
    saved: dict[int, int] = {}
    for event in events:
        if event["kind"] == "save":
            saved[event["node"]] = saved.get(event["node"], 0) + event["bytes"]
        elif event["kind"] == "release":
            assert saved.pop(event["node"]) == event["bytes"]


def test_a_graph_that_nobody_holds_dies_at_its_line():
    trace = trace_of(
        """
        a = torch.ones(2, requires_grad=True)
        y = a.exp()
        y = a + 1
        z = a.sin()
        del z
        w = a.cos()
        """,
        events=True,
    )
    dead = [(*names(trace, [e["node"]]), e["why"], e["line"]) for e in trace.events if e["kind"] == "release"]
    assert dead == [("ExpBackward0", "dead", 3), ("SinBackward0", "dead", 5)]


def test_a_node_inside_of_copy_slices_is_not_told_of():
    trace = trace_of(
        """
        a = torch.ones(4, requires_grad=True)
        y = a * 1
        y[:2] *= a[2:]
        """,
        events=True,
    )
    recorded = names(trace, [e["node"] for e in trace.events if e["kind"] == "record"])
    assert "CopySlices" in {n.name for n in trace.graph.nodes}
    assert None not in [e["node"] for e in trace.events if e["kind"] in ("record", "save", "release")]
    assert len(recorded) == len({n.id for n in trace.graph.nodes if n.name != "AccumulateGrad"})
    assert [e["seq"] for e in trace.events] == list(range(len(trace.events)))


def test_what_a_hook_packed_is_told_without_bytes():
    trace = trace_of(SCRIPTS["tensors packed by hooks"], events=True)
    told = [(e["name"], e["bytes"], e.get("packed", False)) for e in trace.events if e["kind"] == "save"]
    assert told == [
        ("other", 4, False),  # the number 3
        ("result", 0, True),
        ("other", 0, True),
        ("self", 0, True),
        ("other", 16, False),
        ("self", 16, False),
    ]


def test_an_error_in_a_pass_is_told_with_its_node():
    trace = trace_of(SCRIPTS["a pass that fails on its way"], events=True)
    (error,) = (e for e in trace.events if e["kind"] == "error")
    assert (error["pass"], error["error"], *names(trace, [error["node"]])) == (0, "InplaceModified", "MulBackward0")
    assert trace.events[error["seq"] + 1]["kind"] == "pass_end"
