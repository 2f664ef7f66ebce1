"""Tensors on devices behave as PyTorch's. Its facts were seen in PyTorch 2.13 with the meta device, or are in its sources and notes."""

from __future__ import annotations

from typing import Any

import pytest
from scripts import printed, run

MISMATCHES = [
    "a + b",
    "a * b.sum(0)",
    "b - a",
    "a @ b.t()",
    "torch.cat([a, b])",
    "torch.stack([a.sum(), b.sum()])",
    "torch.where(a > 0, b, b)",
    "a == b",
    "torch.equal(a, b)",
    "a.gather(0, torch.zeros(1, 3, dtype=torch.int64))",
    "a.index_select(0, torch.tensor([0]))",
    "b[torch.tensor([0], device='cuda')]",
    "b.add_(a)",
    "torch.tensor(1.0).add_(a.sum())",
    "a.add_(b)",
    "F.linear(a, b)",
    "F.mse_loss(a, b)",
    "F.cross_entropy(a, torch.tensor([0, 1]))",
    "F.embedding(torch.tensor([0]), a)",
    "nn.Linear(3, 1)(a)",
    "nn.Linear(3, 1).cuda()(b)",
    "torch.maximum(a, b)",
    "a.to('cuda:1') + a",
    "a.sum().to('cuda:1') * a.sum()",
]


@pytest.mark.parametrize("expression", MISMATCHES)
def test_tensors_of_different_devices_do_not_mix(expression: str) -> None:
    script = f"a = torch.ones(2, 3, device='cuda')\nb = torch.ones(2, 3)\n{expression}"
    error = run(script)["error"]
    assert (error["kind"], error["type"], error["line"]) == ("DeviceMismatch", "RuntimeError", 5), error
    assert "cuda:" in error["message"]


def test_the_error_names_both_tensors_and_says_what_to_do() -> None:
    error = run("net = nn.Linear(3, 1).to('cuda')\nx = torch.ones(2, 3)\ny = net(x)")["error"]
    assert "net.bias (as `self`) of shape [1] is on cuda:0" in error["message"]
    assert "x (as `mat1`) of shape [2, 3] is on cpu" in error["message"]
    assert (error["variable"], error["line"]) == ("x", 5)
    assert ".to('cuda:0')" in error["hint"]


def test_a_script_can_catch_the_mismatch() -> None:
    assert printed(
        """
        try:
            torch.ones(2, device="cuda") + torch.ones(2)
        except RuntimeError as error:
            print("caught")
        """
    ) == ["caught"]


def test_a_cpu_scalar_stands_beside_tensors_of_a_device_and_gets_its_gradient_back() -> None:
    document = run(
        """
        s = torch.tensor(2.0, requires_grad=True)
        v = torch.tensor(3.0, requires_grad=True)
        x = torch.ones(2, 3, device="cuda", requires_grad=True)
        y = s * x + x / v.reshape(())
        y.sum().backward()
        print(y.device, s.grad, v.grad.device, x.grad.device)
        """
    )
    assert document["stdout"] == "cuda:0 tensor(6.) cpu cuda:0\n", document
    assert [n["name"] for n in document["graph"]["nodes"] if n["name"] != "AccumulateGrad"] == [
        "MulBackward0", "ViewBackward0", "DivBackward0", "AddBackward0", "SumBackward0",
    ]  # fmt: skip


def test_moving_records_a_node_and_the_gradient_travels_back() -> None:
    document = run(
        """
        x = torch.ones(3, requires_grad=True)
        y = x.to("cuda")
        (y * 2).sum().backward()
        print(x.grad, y.device, y.grad_fn.name(), y is y.to("cuda"), y.cuda() is y, y.to("cuda:0") is y)
        """
    )
    assert document["stdout"] == "tensor([2., 2., 2.]) cuda:0 ToCopyBackward0 True True True\n"
    devices = {n["name"]: n["device"] for n in document["graph"]["nodes"]}
    assert devices == {"AccumulateGrad": "cpu", "ToCopyBackward0": "cuda:0", "MulBackward0": "cuda:0", "SumBackward0": "cuda:0"}


def test_device_and_dtype_change_in_one_node_whose_gradient_has_both_back() -> None:
    assert printed(
        """
        x = torch.ones(2, requires_grad=True)
        y = x.to("cuda:1", torch.float64)
        print(y.grad_fn.next_functions[0][0].name(), y)
        (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
        print(g)
        print(torch.autograd.grad(g.sum(), x)[0])
        print(x.to("cuda", torch.int64).requires_grad, x.to(torch.ones(1, device="cuda")).device, x.type_as(y).device)
        """
    ) == [
        "torch::autograd::AccumulateGrad tensor([1., 1.], device='cuda:1', dtype=torch.float64,",
        "       grad_fn=<ToCopyBackward0>)",
        "tensor([2., 2.], grad_fn=<ToCopyBackward0>)",
        "tensor([2., 2.])",
        "False cuda:0 cuda:1",
    ]


def test_copies_across_devices_are_recorded_and_give_the_gradient_back() -> None:
    assert printed(
        """
        x = torch.ones(3, requires_grad=True)
        z = torch.zeros(2, 3, device="cuda")
        z.copy_(x)
        print(z.grad_fn.name(), z.device)
        z.sum().backward()
        print(x.grad)
        w = torch.zeros(2, 3)
        w[0] = torch.ones(3, device="cuda")
        w[1] = torch.tensor(5.0, device="cuda")
        print(w)
        z = torch.zeros(3, device="cuda")
        z[1] = 4
        z[torch.tensor([0])] = torch.tensor(2.0)
        z[z == 0] = -1.0
        print(z)
        """
    ) == [
        "torch::autograd::CopyBackwards cuda:0",
        "tensor([2., 2., 2.])",
        "tensor([[1., 1., 1.],",
        "        [5., 5., 5.]])",
        "tensor([ 2.,  4., -1.], device='cuda:0')",
    ]


@pytest.mark.parametrize(
    ("script", "kind", "kind_in_python"),
    [
        ("x = torch.ones(2, device='cuda', requires_grad=True)\nx.grad = torch.ones(2)", "DeviceMismatch", "RuntimeError"),
        ("x = torch.ones(2, device='cuda', requires_grad=True)\n(x * 1).backward(torch.ones(2))", "DeviceMismatch", "RuntimeError"),
        (
            "x = torch.ones(2, device='cuda', requires_grad=True)\nx.register_hook(lambda g: g.cpu())\nx.sum().backward()",
            "DeviceMismatch", "RuntimeError",
        ),
        (
            "class Away(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, x): return x * 1\n"
            "    @staticmethod\n    def backward(ctx, g): return g.cpu()\n"
            "x = torch.ones(2, device='cuda', requires_grad=True)\nAway.apply(x).sum().backward()",
            "DeviceMismatch", "RuntimeError",
        ),
        ("torch.ones(2, device='cuda').numpy()", "BadArgument", "TypeError"),
        ("torch.ones(2, device='cuda', requires_grad=True).numpy()", "BadArgument", "TypeError"),
        ("import numpy as np\nnp.asarray(torch.ones(2, device='cuda'))", "BadArgument", "TypeError"),
        ("torch.ones(2).to('cuda:2')", "DeviceUnavailable", "RuntimeError"),
        ("torch.ones(2).to('mps')", "DeviceUnavailable", "RuntimeError"),
        ("torch.device('gpu')", "BadArgument", "RuntimeError"),
        ("torch.rand(2, device='cuda', generator=torch.Generator())", "BadArgument", "RuntimeError"),
    ],
)  # fmt: skip
def test_what_pytorch_refuses_is_refused(script: str, kind: str, kind_in_python: str) -> None:
    error = run(script)["error"]
    assert error is not None
    assert (error["kind"], error["type"]) == (kind, kind_in_python)


def test_a_gradient_without_dimensions_is_moved_to_its_root() -> None:
    assert printed(
        """
        x = torch.ones(2, device="cuda", requires_grad=True)
        x.sum().backward(torch.tensor(3.0))
        print(x.grad)
        """
    ) == ["tensor([3., 3.], device='cuda:0')"]


def test_values_for_python() -> None:
    assert printed(
        """
        x = torch.tensor([1.5, 2.0], device="cuda")
        print(x, x[0].item(), x.tolist(), float(x[1]), x.cpu().numpy(), x.type(), x.get_device(), x.is_cuda, x.cpu().is_cpu)
        print(torch.tensor(3, device="cuda:1"), repr(x.device), f"{x[0]:.1f}", list(range(torch.tensor(2, device="cuda"))))
        """
    ) == [
        "tensor([1.5000, 2.0000], device='cuda:0') 1.5 [1.5, 2.0] 2.0 [1.5 2. ] torch.cuda.FloatTensor 0 True True",
        "tensor(3, device='cuda:1') device(type='cuda', index=0) 1.5 [0, 1]",
    ]


def test_where_factory_functions_put_their_tensors() -> None:
    assert printed(
        """
        c = torch.zeros(2)
        with torch.device("cuda"):
            made = [torch.zeros(2), torch.tensor([1.0]), nn.Linear(1, 1).weight, torch.arange(3), torch.as_tensor([1.0]),
                    torch.tensor(c), torch.as_tensor(c), torch.randperm(3), torch.zeros_like(c), c.new_zeros(2), torch.eye(2)]
        print([str(t.device) for t in made])
        torch.set_default_device("cuda:1")
        print(torch.zeros(1).device, torch.get_default_device(), torch.rand(2).device, torch.zeros(1, device="cpu").device)
        torch.set_default_device(None)
        z = torch.zeros(2, device="cuda")
        print(torch.zeros(1).device, torch.tensor(z).device, torch.full_like(z, 2).device, z.new_ones(2).device, z.new_tensor([1]).device)
        print(torch.zeros(2, device=0).device, torch.zeros(2, device=torch.device("cuda", 1)).device, c.to(1).device)
        """
    ) == [
        "['cuda:0', 'cuda:0', 'cuda:0', 'cuda:0', 'cuda:0', 'cuda:0', 'cuda:0', 'cuda:0', 'cpu', 'cpu', 'cuda:0']",
        "cuda:1 cuda:1 cuda:1 cpu",
        "cpu cuda:0 cuda:0 cuda:0 cuda:0",
        "cuda:0 cuda:1 cuda:1",
    ]


def test_the_current_device_is_what_cuda_means() -> None:
    assert printed(
        """
        print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.current_device())
        with torch.cuda.device(1):
            print(torch.zeros(1, device="cuda").device, torch.zeros(1).cuda().device)
        torch.cuda.set_device(1)
        print(torch.zeros(1, device="cuda").device)
        torch.cuda.set_device("cuda:0")
        torch.cuda.synchronize()
        print(torch.accelerator.is_available(), torch.accelerator.current_accelerator(), torch.accelerator.device_count())
        device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
        print(torch.ones(1).to(device).device, torch.backends.mps.is_available())
        torch.backends.cudnn.benchmark = True
        """
    ) == ["True 2 0", "cuda:1 cuda:1", "cuda:1", "True cuda 2", "cuda:0 False"]


def test_each_device_has_a_stream_of_its_own_that_the_seed_starts() -> None:
    lines = printed(
        """
        torch.manual_seed(3)
        a, b = torch.rand(2), torch.rand(2, device="cuda")
        c = torch.rand(2)
        torch.manual_seed(3)
        print(torch.equal(torch.cat([a, c]), torch.rand(4)), torch.equal(b, torch.rand(2, device="cuda")))
        g = torch.Generator(device="cuda").manual_seed(5)
        first = torch.randn(3, device="cuda", generator=g)
        print(torch.equal(first, torch.randn(3, device="cuda", generator=g.manual_seed(5))), g.device)
        torch.cuda.manual_seed(9)
        x = torch.empty(3, device="cuda").normal_()
        torch.cuda.manual_seed_all(9)
        print(torch.equal(x, torch.empty(3, device="cuda").normal_()))
        """
    )
    assert lines == ["True True", "True cuda", "True"]


def test_a_module_moves_with_its_buffers_and_gradients_and_parameters_stay_the_same_objects() -> None:
    assert printed(
        """
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
        weight = net[0].weight
        net.to("cuda")
        print(net[0].weight is weight, weight.device, net[1].running_mean.device, weight.is_leaf)
        net(torch.rand(4, 2, device="cuda")).sum().backward()
        net.cpu()
        print(weight.grad.device, {str(t.device) for t in net.state_dict().values()})
        net.cuda(1)
        print(weight.device, net[1].num_batches_tracked.device)
        """
    ) == ["True cuda:0 cuda:0 True", "cpu {'cpu'}", "cuda:1 cuda:1"]


def test_the_order_over_devices_is_that_of_recording_and_events_name_the_device() -> None:
    script = """
        a = torch.ones(2, requires_grad=True)
        b = torch.ones(2, requires_grad=True{first})
        p = a.exp()
        q = b.sin()
        r = p{move} * q
        s = p.sum()
        (r.sum(){back} + s).backward()
        """
    mixed = run(script.format(first=", device='cuda'", move=".to('cuda')", back=".to('cpu')"))
    assert mixed["error"] is None, mixed["error"]
    nodes = {n["id"]: n for n in mixed["graph"]["nodes"]}
    order = [(nodes[i]["name"], nodes[i]["device"]) for i in mixed["passes"][0]["order"]]
    assert order == [
        ("AddBackward0", "cpu"), ("ToCopyBackward0", "cpu"), ("SumBackward0", "cuda:0"), ("SumBackward0", "cpu"),
        ("MulBackward0", "cuda:0"), ("ToCopyBackward0", "cuda:0"), ("SinBackward0", "cuda:0"), ("AccumulateGrad", "cuda:0"),
        ("ExpBackward0", "cpu"), ("AccumulateGrad", "cpu"),
    ]  # fmt: skip
    one = run(script.format(first="", move="", back=""))
    assert [n for n, _ in order if n != "ToCopyBackward0"] == [
        {n["id"]: n["name"] for n in one["graph"]["nodes"]}[i] for i in one["passes"][0]["order"]
    ]
    started: list[Any] = [(e["node"], e["device"]) for e in mixed["events"] if e["kind"] == "evaluate_start"]
    assert started == [(i, nodes[i]["device"]) for i in mixed["passes"][0]["order"]]


def test_two_gpus_work_in_one_graph() -> None:
    assert printed(
        """
        x = torch.ones(2, device="cuda:0", requires_grad=True)
        w = torch.full((2,), 3.0, device="cuda:1", requires_grad=True)
        y = (x.exp().to("cuda:1") * w).sum()
        y.backward()
        print(y.device, x.grad.device, w.grad.device, x.grad.tolist() == (x.exp() * 3).tolist())
        opt = torch.optim.SGD([x, w], lr=0.1, momentum=0.9)
        for _ in range(2):
            opt.step()
        print(x.device, w.device, w)
        """
    ) == ["cuda:1 cuda:0 cuda:1 True", "cuda:0 cuda:1 tensor([2.2117, 2.2117], device='cuda:1', requires_grad=True)"]
