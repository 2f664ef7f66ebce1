"""A small world to run scripts in, without the engine: a fake torch, and the real tables of everything else."""

import io

import numpy as np

from autograd_cli.scenario.safe_modules import safe_modules
from autograd_cli.scenario.sandbox import compile_script, script_globals
from autograd_cli.scenario.script import Script
from autograd_cli.torch_api.numpy_api import numpy_namespace


class Tensor:
    """Just enough of a tensor to see whether an update was made in place."""

    _version = 0

    def __init__(self, values):
        self.values = list(values)
        self._data = self.values
        self.data = self.values
        self._saved_self = self

    def __iadd__(self, other):
        self.values = [value + other for value in self.values]
        return self

    def __add__(self, other):
        return Tensor(value + other for value in self.values)

    def __getitem__(self, index):
        return self.values[index]

    def __setitem__(self, index, value):
        self.values[index] = value

    def numpy(self):
        return np.array(self.values)


class Module:
    _hidden = "internal"

    def __init__(self):
        self.ready = True
        self._parameters = {}

    def _apply(self):
        return "internal"


def relu(x):
    return x


relu.info = "internal"


class Context:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *error):
        return False


class FakeNamespace:
    def __init__(self, name, **names):
        self.__dict__.update(names, __name__=name)

    def __setattr__(self, name, value):
        raise AssertionError("a script got to set an attribute of a namespace")


def world(output=None):
    """Globals for a script; what it prints goes to ``output``."""
    functional = FakeNamespace("torch.nn.functional", relu=relu)
    nn = FakeNamespace("torch.nn", Module=Module, functional=functional)
    torch = FakeNamespace("torch", Tensor=Tensor, thing=7, nn=nn, no_grad=lambda: Context(None))
    modules = {"torch": torch, "torch.nn": nn, "torch.nn.functional": functional, "numpy": numpy_namespace(), **safe_modules()}

    def write(*values, sep, end):
        (output or io.StringIO()).write(sep.join(map(str, values)) + end)

    names = script_globals(modules, write)
    calls = []
    names |= {"Tensor": Tensor, "Module": Module, "ctx": lambda: Context(5), "ctx2": lambda: Context((1, 2)), "calls": calls}
    names |= {"noisy": lambda: calls.append(1) or (1, 2), "array": np.arange(3.0), "number": np.float32(1)}
    return names


def run(text, output=None):
    """The globals after a script has run."""
    names = world(output)
    exec(compile_script(Script.whole_file(text, "s.py")), names)
    return names
