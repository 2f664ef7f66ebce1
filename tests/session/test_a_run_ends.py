"""After a run nothing of it is left in memory: who runs thousands of scenarios in one process pays for one."""

from __future__ import annotations

import gc
from pathlib import Path
from textwrap import dedent

import pytest

from autograd_cli.scenario.model import Scenario
from autograd_cli.scenario.script import Script
from autograd_cli.session.local import LocalRun, run_scenario

SCRIPTS = {
    "a custom function": """
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                return grad * 3 * x ** 2
        x = torch.ones(2, requires_grad=True)
        Cube.apply(x).sum().backward()
        """,
    "hooks, views and a graph that is never used": """
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.register_hook(lambda grad: grad * y.detach())
        y.retain_grad()
        y[0] = 5
        z = y.exp()
        """,
    "checkpointing inside a module": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                self.register_forward_hook(lambda module, args, out: out)
            def forward(self, x):
                return torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=False)
        net = Block()
        opt = torch.optim.Adam(net.parameters())
        net(torch.ones(1, 2)).sum().backward()
        opt.step()
        """,
    "a pass that fails": """
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.add_(1)
        y.sum().backward()
        """,
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_nothing_is_left_of_a_run(what: str) -> None:
    text = dedent(SCRIPTS[what]).lstrip("\n")
    for _ in range(2):
        run_scenario(Scenario(Path("s.py"), Script.whole_file(text, "s.py"), seed=0))
    gc.collect()
    assert not [found for found in gc.get_objects() if isinstance(found, LocalRun)]
