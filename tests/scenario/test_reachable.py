"""Nothing dangerous is reachable by public names from what a script is given.

A crawl along everything a script can read: attributes the policy lets through, items of containers, results of `type`.
"""

import builtins
import types

import numpy as np
from sandbox_world import Context, FakeNamespace, Module, Tensor, world

from autograd_cli.errors import AgradError
from autograd_cli.scenario.guards import Guards
from autograd_cli.scenario.safe_modules import safe_modules
from autograd_cli.torch_api.modules import modules as torch_modules
from autograd_cli.torch_api.numpy_api import numpy_namespace

DANGEROUS_TYPES = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, memoryview, np.random.BitGenerator)
DANGEROUS = [
    open,
    eval,
    exec,
    compile,
    input,
    __import__,
    globals,
    locals,
    vars,
    breakpoint,
    type,
    np.ndarray,
    np.load,
    np.save,
    np.frombuffer,
]
DANGEROUS += [str.format, str.format_map, builtins.__build_class__]


def crawl(guards, roots, limit=60_000):
    """Every (path, object) that public names lead to."""
    todo = [(name, value, 0) for name, value in roots.items()]
    seen = {}
    while todo and len(seen) < limit:
        path, value, depth = todo.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        yield path, value
        if depth > 6 or isinstance(value, (str, int, float, complex, bool, bytes)):
            continue
        if isinstance(value, dict):
            todo += [(f"{path}[{key!r}]", item, depth + 1) for key, item in value.items()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            todo += [(f"{path}[]", item, depth + 1) for item in value]
        for name in dir(value):
            try:
                todo.append((f"{path}.{name}", guards.get(value, name), depth + 1))
            except (Exception, AgradError):
                continue
        try:
            todo.append((f"type({path})", guards.type_of(value), depth + 1))
        except (TypeError, AgradError):
            continue


def found(roots, namespaces):
    guards = Guards(namespaces)
    for path, value in crawl(guards, roots):
        if isinstance(value, DANGEROUS_TYPES) or any(value is one for one in DANGEROUS):
            yield f"{path} is {value!r}"
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            yield f"{path} is an array of objects"


def test_from_the_builtins_and_tables_of_a_script():
    modules = {**safe_modules(), "numpy": numpy_namespace()}
    names = world()
    table = {name: value for name, value in names["__builtins__"].items() if not name.startswith("_")}
    values = {"array": np.arange(3.0), "number": np.float32(1), "error": ZeroDivisionError("x"), "function": lambda: 1}
    values |= {"generator": (i for i in [1]), "rng": numpy_namespace().random.default_rng(0)}
    assert list(found({**modules, **table, **values}, [*modules.values(), names["__builtins__"]["torch"]])) == []


def test_the_crawl_finds_what_is_there():
    leaky = FakeNamespace("leaky", inner=FakeNamespace("inner", os=types, opener=[open]))
    leaks = list(found({"leaky": leaky}, [leaky]))
    assert any("leaky.inner.os" in leak for leak in leaks)
    assert any("leaky.inner.opener[]" in leak for leak in leaks)


def test_from_the_fake_objects_of_the_other_tests():
    assert list(found({"Tensor": Tensor([1]), "Module": Module(), "Context": Context(1)}, [])) == []


def test_from_the_torch_that_scripts_see():
    modules = torch_modules()
    torch = modules["torch"]
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    roots = {**modules, "leaf": x, "result": y, "node": y.grad_fn, "grad": x.grad, "array": x.detach().numpy()}
    assert list(found(roots, modules.values())) == []


def test_no_container_of_the_engine_can_be_changed():
    """What one run writes into a list or dict of the engine, the next would read."""
    modules = {**safe_modules(), "numpy": numpy_namespace()}
    guards = Guards(modules.values())
    shared = [path for path, value in crawl(guards, modules) if isinstance(value, (dict, list, set, np.ndarray))]
    assert shared == []
