"""Under PyTorch a script is as shut in as it is in agrad: attacks on what PyTorch has and agrad has not, and a crawl along the rest.

Adding an attack is adding a line. See Note [What the sandbox rests on] in autograd_cli/scenario/policy.py.
"""

from __future__ import annotations

import sys
import types
from collections import Counter, deque
from pathlib import Path
from typing import Any

import pytest

from autograd_cli.errors import AgradError
from autograd_cli.scenario.load import load_scenario
from autograd_cli.trace.model import ErrorRecord

sys.path.insert(0, str(Path(__file__).parents[1] / "scenario"))

from test_reachable import DANGEROUS, DANGEROUS_TYPES

pytestmark = pytest.mark.torch

ATTACKS = {
    # names of modules
    "torch.load('x')": "Unsupported",
    "torch.save(torch.ones(1), 'x')": "Unsupported",
    "from torch import load": "Unsupported",
    "from torch import hub": "Unsupported",
    "import torch.utils.cpp_extension": "ScriptRaised",
    "from torch.utils import cpp_extension": "ScriptRaised",
    "torch.utils.cpp_extension": "ScriptRaised",
    "torch.ops.load_library('x')": "Unsupported",
    "torch.jit.script": "Unsupported",
    "torch.compile(lambda x: x)": "Unsupported",
    "torch.multiprocessing": "Unsupported",
    "torch.serialization": "Unsupported",
    "torch.os": "ScriptRaised",  # no name that PyTorch makes public
    "torch.sys": "ScriptRaised",
    "import torch._inductor": "ForbiddenImport",
    "torch._C": "ScriptRaised",
    "getattr(torch, 'load')": "Unsupported",
    "getattr(torch, '_C')": "ScriptRaised",
    "hasattr(torch, 'save')": "Unsupported",
    "nn.Module.load": "ScriptRaised",
    "torch.frombuffer(b'', dtype=torch.int8)": "Unsupported",
    "torch.from_file('x')": "Unsupported",
    # attributes of objects, however they are asked for
    "torch.ones(1).untyped_storage()": "Unsupported",
    "torch.ones(1).storage().from_file('x')": "Unsupported",
    "torch.Tensor.untyped_storage(torch.ones(1))": "Unsupported",
    "getattr(torch.ones(1), 'untyped_storage')": "Unsupported",
    "getattr(torch.ones(1), 'storage', None)": "Unsupported",
    "hasattr(torch.ones(1), 'storage')": "Unsupported",
    "'{0.storage}'.format(torch.ones(1))": "Unsupported",
    "'{x.storage}'.format_map({'x': torch.ones(1)})": "Unsupported",
    "torch.ones(1).set_(torch.ones(2))": "Unsupported",
    "torch.ones(1).resize_(10**9)": "Unsupported",
    "torch.ones(1).share_memory_()": "Unsupported",
    "torch.ones(1).apply_(len)": "Unsupported",
    "torch.ones(1).map_(torch.ones(1), len)": "Unsupported",
    "x = torch.ones(1)\nx.storage = 1": "Unsupported",
    "x = torch.ones(1)\ndel x.storage": "Unsupported",
    "setattr(torch.ones(1), 'storage', 1)": "Unsupported",
    "nn.Linear(1, 1).compile()": "Unsupported",
    "nn.Linear(1, 1).share_memory()": "Unsupported",
    "nn.Module.compile(nn.Linear(1, 1))": "Unsupported",
    "class Net(nn.Module):\n    def f(self): return super().compile()\nNet().f()": "Unsupported",
    "class Net(nn.Module):\n    def f(self): return super(Net, self).compile()\nNet().f()": "Unsupported",
    "class T(torch.Tensor): pass\nT.untyped_storage": "Unsupported",
    "torch.nn.Linear = 1": "ScriptRaised",
    "torch.ones = 1": "ScriptRaised",
    "nn.Linear.forward = 1": "ScriptRaised",
    "F.relu.x = 1": "ScriptRaised",
    "from torch.utils.data import DataLoader\nDataLoader([1]).multiprocessing_context = 'fork'": "Unsupported",
    # what agrad's own runs refuse, too
    "().__class__": "ForbiddenSyntax",
    "torch.ones(1).__class__": "ForbiddenSyntax",
    "torch.add.__globals__": "ForbiddenSyntax",
    "torch.ones(1)._make_subclass": "ScriptRaised",
    "(torch.ones(1, requires_grad=True) * 2).grad_fn._input_metadata": "ScriptRaised",
    "torch.ones(2).numpy().tofile('x')": "ForbiddenSyntax",
    "torch.ones(2).numpy().data": "ScriptRaised",
    "open('x')": "ForbiddenSyntax",
    "import os": "ForbiddenImport",
}


def refusal(text: str, tmp_path: Path) -> str:
    """The kind of the error that a script ends with under PyTorch."""
    from autograd_cli.pytorch.run import run_in_pytorch

    path = tmp_path / "attack.py"
    path.write_text(text + "\nprint('reached')", encoding="utf-8")
    try:
        trace = run_in_pytorch(load_scenario(path))
    except AgradError as error:
        return error.kind
    assert trace.stdout == ""
    assert isinstance(trace.error, ErrorRecord)
    return trace.error.kind


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.splitlines()[-1])
def test_attack_is_refused(attack: str, tmp_path: Path) -> None:
    assert refusal(attack, tmp_path) == ATTACKS[attack]
    assert [path.name for path in tmp_path.iterdir()] == ["attack.py"]


def test_a_loader_makes_its_batches_in_this_process(tmp_path: Path) -> None:
    import multiprocessing

    from autograd_cli.pytorch.run import run_in_pytorch

    path = tmp_path / "loader.py"
    path.write_text(
        "from torch.utils.data import DataLoader\n"
        "loader = DataLoader(list(range(6)), batch_size=2, num_workers=2, timeout=5, persistent_workers=True)\n"
        "for batch in loader:\n    print(batch)\nfor batch in loader:\n    pass\nprint(loader.num_workers)",
        encoding="utf-8",
    )
    trace = run_in_pytorch(load_scenario(path))
    assert trace.error is None
    assert trace.stdout.splitlines() == ["tensor([0, 1])", "tensor([2, 3])", "tensor([4, 5])", "2"]
    assert multiprocessing.active_children() == []


def test_an_array_keeps_the_memory_that_it_shows(tmp_path: Path) -> None:
    from autograd_cli.pytorch.run import run_in_pytorch

    path = tmp_path / "array.py"
    path.write_text(
        "x = torch.ones(100_000)\na = x.numpy()\nx.data = torch.zeros(1)\n"
        "others = [torch.full((100_000,), 7.0) for _ in range(20)]\nprint(a.sum())\n"
        "y = torch.zeros(2)\ny.numpy()[0] = 5\nprint(y)",
        encoding="utf-8",
    )
    assert run_in_pytorch(load_scenario(path)).stdout.splitlines() == ["100000.0", "tensor([5., 0.])"]


def objects() -> dict[str, Any]:
    """Every namespace that a script gets, and an object of each sort that it can make."""
    import torch

    from autograd_cli.pytorch.names import namespaces

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    spaces = namespaces()
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.TransformerEncoderLayer(4, 2), torch.nn.LSTM(2, 2))
    optimizer = torch.optim.Adam(net.parameters())
    loader = spaces["torch.utils.data"].DataLoader([1, 2, 3])
    made = [
        x,
        y,
        y.grad_fn,
        y.grad_fn.next_functions[0][0],
        x.grad,
        net,
        optimizer,
        torch.optim.lr_scheduler.StepLR(optimizer, 1),
    ]
    made += [Twice.apply(x).grad_fn, loader, iter(loader), torch.ones(2, 2).max(0), torch.Generator(), torch.no_grad()]
    made += [net.register_forward_hook(len), torch.autograd.graph.get_gradient_edge(x), net.state_dict(), x.detach().numpy()]
    return spaces | {type(one).__name__: one for one in made}


def test_nothing_dangerous_is_reachable() -> None:
    import torch

    from autograd_cli.pytorch.guards import PyTorchGuards

    roots = objects()
    guards = PyTorchGuards({name: space for name, space in roots.items() if name.startswith("torch")})
    todo, seen, kinds = deque(roots.items()), {}, Counter()
    storages = (torch.UntypedStorage, torch.storage.TypedStorage)
    while todo:
        path, value = todo.popleft()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        kind = type(value)
        assert not isinstance(value, (*DANGEROUS_TYPES, *storages)), path
        assert all(value is not one for one in (*DANGEROUS, *storages)), path
        kinds[kind] += 1
        is_plain = isinstance(value, (str, int, float, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType))
        if is_plain or (kinds[kind] > 40 and kind.__module__ != "builtins"):
            continue
        if isinstance(value, dict):
            todo.extend((f"{path}[{key!r}]", item) for key, item in value.items())
        elif isinstance(value, (list, tuple, set)):
            todo.extend((f"{path}[]", item) for item in value)
        for name in dir(value):
            try:
                todo.append((f"{path}.{name}", guards.get(value, name)))
            except (Exception, AgradError):
                continue
    assert kinds[types.BuiltinFunctionType] > 1000
    assert kinds[types.FunctionType] > 200
