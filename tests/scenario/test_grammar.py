"""Nothing that belongs to the script language is refused, and it means what it means in Python."""

import io

import pytest
from sandbox_world import run

NET = "class Net(Module):\n  def __init__(self):\n    {}\n    self.w = 3\ngot = Net().w"
GRAMMAR = {  # feature: (script, the value `got` must have)
    "super().__init__()": (NET.format("super().__init__()"), 3),
    "super(Net, self).__init__()": (NET.format("super(Net, self).__init__()"), 3),
    "Module.__init__(self)": (NET.format("Module.__init__(self)"), 3),
    "@staticmethod": ("class F:\n  @staticmethod\n  def f(x): return x + 1\ngot = F.f(1)", 2),
    "@classmethod": ("class F:\n  k = 2\n  @classmethod\n  def f(cls): return cls.k\ngot = F.f()", 2),
    "@property": ("class F:\n  @property\n  def f(self): return 4\ngot = F().f", 4),
    "a property with a setter": (
        "class F:\n  @property\n  def f(self): return self._f\n  @f.setter\n  def f(self, v): self._f = v\n"
        "x = F(); x.f = 3\ngot = x.f",
        3,
    ),
    "decorator": ("def twice(f): return lambda x: f(f(x))\n@twice\ndef g(x): return x * 3\ngot = g(1)", 9),
    "plain _": ("_, got = 1, 2\nfor _ in range(3): pass", 2),
    "comprehensions": (
        "got = ([i*i for i in range(3)], {i for i in (1,1)}, {k: v for k, v in [(1,2)]}, sum(i for i in range(3)))",
        ([0, 1, 4], {1}, {1: 2}, 3),
    ),
    "nested comprehension": ("got = [[i * j for j in range(2)] for i in range(2) if i]", [[0, 1]]),
    "f-string": ("x = 1.5\ngot = f'{x:.2f} {x!r:>5} {x=}'", "1.50   1.5 x=1.5"),
    "nested format spec": ("w = 7; x = 1.5\ngot = f'{x:{w}.{2}f}'", "   1.50"),
    "multi-line f-string": ("x = 2\ngot = f'''a\n{x + 1}\nb'''", "a\n3\nb"),
    "str.format": ("got = 'worker{}'.format(1)", "worker1"),
    "str.format fields": ("t = Tensor([1, 2])\ngot = '{0.values[1]} {k:>{w}}'.format(t, k=3, w=3)", "2   3"),
    "str.format without numbers": ("got = '{} {.values[0]} {!r:>4} {:{}}'.format(1, Tensor([2]), 'a', 3, 2)", "1 2  'a'  3"),
    "str.format with braces": ("got = '{{{0}}} {1:%}'.format(1, 0.5)", "{1} 50.000000%"),
    "str.format_map": ("got = '{a}'.format_map({'a': 1})", "1"),
    "str.format as a function": ("got = list(map('{:.1f}'.format, [1, 2]))", ["1.0", "2.0"]),
    "a format method of one's own": ("class A:\n  def format(self, x): return x + 1\ngot = A().format(1)", 2),
    "%-formatting": ("got = '%.2f %s' % (1.5, 'a')", "1.50 a"),
    "name += (in place)": ("a = Tensor([1]); b = a\nb += 1\ngot = (a is b, a.values)", (True, [2])),
    "subscript +=": ("x = [1, 2]\nx[0] += 5\ngot = x", [6, 2]),
    "attribute +=": ("m = Module(); m.n = 1\nm.n += 1\ngot = m.n", 2),
    "attribute += (in place)": ("m = Module(); m.t = t = Tensor([1])\nm.t += 1\ngot = t.values", [2]),
    "x.data": ("t = Tensor([1])\nt.data = [5]\ngot = t.data", [5]),
    "x.data +=": ("t = Tensor([1])\nt.data += [5]\ngot = t.data", [1, 5]),
    "x[i] = v": ("x = Tensor([1, 2]); x[0] = 9\ngot = x.values", [9, 2]),
    "slices": ("x = [1, 2, 3]\nx[0:2] = [7]\ngot = x[::-1]", [3, 7]),
    "del": ("x = {1: 2}; y = 3; m = Module()\ndel x[1], y, m.ready\ngot = (x, hasattr(m, 'ready'))", ({}, False)),
    "nonlocal": ("def f():\n  n = 0\n  def g():\n    nonlocal n\n    n += 1\n  g(); return n\ngot = f()", 1),
    "global": ("n = 0\ndef f():\n  global n\n  n += 1\nf(); got = n", 1),
    "annotation x: int = 1": ("x: int = 1\ngot = x", 1),
    "annotation without a value": ("x: int\ngot = 1", 1),
    "annotated attribute": ("m = Module()\nm.k: int = 3\ngot = m.k", 3),
    "annotated def": ("def f(x: int, *a: int, **k: int) -> int: return x\ngot = f(1)", 1),
    "annotation with an unknown name": ("def f(x: Tensr) -> Nix: return x\ngot = f(1)", 1),
    "from __future__ import annotations": ("from __future__ import annotations\ngot = 1", 1),
    "star args": ("def f(*a, **k): return a, k\ngot = f(*[1, 2], **{'z': 3})", ((1, 2), {"z": 3})),
    "keyword-only, positional-only": ("def f(a, /, *, b=2): return a + b\ngot = f(1, b=3)", 4),
    "set and dict displays": ("got = ({1, 2}, {'a': 1, **{'b': 2}}, [*range(2)])", ({1, 2}, {"a": 1, "b": 2}, [0, 1])),
    "lambda": ("got = (lambda x, k=2: x * k)(3)", 6),
    "try/except/raise": ("try:\n  raise ValueError('no')\nexcept (TypeError, ValueError) as e:\n  got = str(e)", "no"),
    "raise from": (
        "try:\n  try: 1/0\n  except ZeroDivisionError as e: raise ValueError('b') from e\nexcept ValueError as e: got = e.args",
        ("b",),
    ),
    "try/else/finally": (
        "got = []\ntry: got.append(1)\nexcept ValueError: pass\nelse: got.append(2)\nfinally: got.append(3)",
        [1, 2, 3],
    ),
    "a loop inside finally": (
        "got = 0\ntry: pass\nfinally:\n  for i in range(3):\n    if i == 1: continue\n    if i == 2: break\n    got += 1",
        1,
    ),
    "a bare except": ("try: 1/0\nexcept: got = 1", 1),
    "an exception of one's own": (
        "class E(ValueError): pass\ntry: raise E('x')\nexcept E as e: got = (str(e), type(e).__name__)",
        ("x", "E"),
    ),
    "with": ("class C: pass\nwith ctx() as got: pass", 5),
    "with (a, b)": ("with ctx2() as (a, got): pass", 2),
    "two with items": ("with ctx() as a, ctx() as b: got = a + b", 10),
    "tuple targets": ("(a, (b, *c)), d = (1, (2, 3, 4)), 5\ngot = (a, b, c, d)", (1, 2, [3, 4], 5)),
    "x = a, b = f()": ("x = a, b = noisy()\ngot = (x, a, b, len(calls))", ((1, 2), 1, 2, 1)),
    "for a, b in": ("got = 0\nfor a, b in [(1, 2), (3, 4)]: got += a * b", 14),
    "attribute as a loop target": ("m = Module()\nfor m.i in range(3): pass\ngot = m.i", 2),
    "_version": ("got = Tensor([1])._version", 0),
    "_saved_self": ("got = Tensor([1])._saved_self.values", [1]),
    "f.__name__": ("def f(): pass\ngot = f.__name__", "f"),
    "type(x).__name__": ("got = (type(1).__name__, type(Tensor([])).__name__)", ("int", "Tensor")),
    "type(x) == T": ("got = (type(1) == int, type([]) is list)", (True, True)),
    "if __name__ == '__main__'": ("got = 0\nif __name__ == '__main__': got = 1", 1),
    "def _helper": ("def _run(x): return x\ngot = _run(1)", 1),
    "self._layers": (
        "class M(Module):\n  def __init__(self):\n    super().__init__()\n    self._n = 1\n    self._n += 1\ngot = M()._n",
        2,
    ),
    "a private method": ("class M:\n  def _f(self): return 3\n  def g(self): return self._f()\ngot = M().g()", 3),
    "a class attribute with _": ("class M:\n  _k = 3\n  def g(self): return self._k + M._k\ngot = M().g()", 6),
    "an inherited private attribute": ("class A:\n  _k = 3\nclass B(A): pass\ngot = B()._k", 3),
    "attributes named like doors": (
        "class A:\n  def __init__(self): self.obj, self.base, self.flags = 1, 2, 3\na = A()\ngot = a.obj + a.base + a.flags",
        6,
    ),
    "an attribute of one's own function": ("def f(): f.calls += 1\nf.calls = 0\nf(); f()\ngot = f.calls", 2),
    "a missing attribute raises": ("try: got = Tensor([1]).shap\nexcept AttributeError: got = 5", 5),
    "yield": ("def f():\n  yield 1\ngot = list(f())", [1]),
    "yield from, send": ("def f():\n  x = yield 1\n  yield from [x, 3]\ng = f(); next(g)\ngot = [g.send(2), next(g)]", [2, 3]),
    "walrus": ("got = (n := 3)", 3),
    "walrus in a comprehension": ("got = [y for x in range(3) if (y := x * x)]", [1, 4]),
    "ternary, chained, and/or": ("got = (1 if 0 < 1 <= 2 and not False else 3)", 1),
    "is, in, not in": ("got = (None is None, 1 in [1], 2 not in [1])", (True, True, True)),
    "@ and bit operators": ("got = ~(5 & 4 | 2 ^ 1) << 1 >> 1", -8),
    "** // % and augmented": ("got = 7\ngot //= 2\ngot **= 2\ngot %= 5", 4),
    "while/else, break": ("n = 0\nwhile True:\n  n += 1\n  if n > 2: break\ngot = n", 3),
    "for/else": ("for i in []: pass\nelse: got = 1", 1),
    "assert": ("try:\n  assert 0, 'm'\nexcept AssertionError as e: got = str(e)", "m"),
    "docstrings": ('"""About."""\ndef f():\n  """Doc."""\n  return 1\ngot = f()', 1),
    "Ellipsis, None, complex": ("got = (..., None, 1j)", (..., None, 1j)),
    "a class attribute": ("class Cfg:\n  lr = 0.1\ngot = Cfg.lr", 0.1),
    "getattr, setattr, hasattr, delattr": (
        "m = Module()\nsetattr(m, 'a', 1)\ngot = (getattr(m, 'a'), getattr(m, 'b', 2), hasattr(m, 'b'))\ndelattr(m, 'a')",
        (1, 2, False),
    ),
    "isinstance": ("got = (isinstance(1, (int, str)), isinstance(int, type), isinstance(1, (str, type)))", (True, True, False)),
    "builtins": (
        "got = (sorted([2, 1], key=lambda x: x), max(1, 2), list(zip([1], 'a')), divmod(7, 2), round(1.26, 1), format(2, '04d'))",
        ([1, 2], 2, [(1, "a")], (3, 1), 1.3, "0002"),
    ),
    "iter and next": ("i = iter([1])\ngot = (next(i), next(i, 2))", (1, 2)),
    "shadowing a builtin": ("sum = 3; input = 4\ngot = sum + input", 7),
    "a parameter named input": ("def f(input, dir=1): return input + dir\ngot = f(1)", 2),
    "a global set in a function": ("def f():\n  global got\n  got = 3\nf()", 3),
    "semicolons and backslashes": ("a = 1; got = a + \\\n  2", 3),
}
IMPORTS = {
    "import torch": ("import torch\ngot = torch.thing", 7),
    "import torch.nn as nn": ("import torch.nn as net\ngot = net.Module is Module", True),
    "import torch.nn.functional as F": ("import torch.nn.functional as G\ngot = G.relu(2)", 2),
    "import torch.nn": ("import torch.nn\ngot = torch.nn.Module is Module", True),
    "from torch import x as y": ("from torch import thing as t\ngot = t", 7),
    "from torch import nn": ("from torch import nn\ngot = nn.Module is Module", True),
    "from torch.nn import functional as F": ("from torch.nn import functional as G, Module as M\ngot = G.relu(3)", 3),
    "predefined": ("got = (nn.Module is Module, F.relu(1), torch.thing, math.floor(1.5))", (True, 1, 7, 1)),
    "import math": ("import math\nfrom math import pi\ngot = math.cos(0) + (pi > 3)", 2.0),
    "import time": ("import time\nt = time.time(); p = time.perf_counter()\ntime.sleep(0)\ngot = time.time() >= t", True),
    "import copy": (
        "import copy\na = [[1]]\nb = copy.deepcopy(a); c = copy.copy(a)\nb[0].append(2)\ngot = (a, c[0] is a[0])",
        ([[1]], True),
    ),
    "deepcopy of one's own object": (
        "from copy import deepcopy\nclass A:\n  def __init__(self): self.k = [1]\n"
        "a = A(); b = deepcopy(a); b.k.append(2)\ngot = (a.k, b.k)",
        ([1], [1, 2]),
    ),
    "tqdm": (
        "from tqdm import tqdm, trange\nbar = tqdm([1, 2], desc='x')\n"
        "got = [i for i in bar] + list(trange(2))\nbar.set_postfix(loss=1)",
        [1, 2, 0, 1],
    ),
    "tqdm.auto": ("from tqdm.auto import tqdm\ngot = sum(tqdm(range(3), total=3))", 3),
    "random": (
        "import random\nrandom.seed(3)\na = [random.random(), random.sample(range(9), 3)]\nrandom.seed(3)\n"
        "got = a == [random.random(), random.sample(range(9), 3)]",
        True,
    ),
    "random starts from the seed": ("import random\ngot = round(random.random(), 6)", 0.844422),
    "collections": (
        "from collections import Counter, OrderedDict, defaultdict, deque, namedtuple\n"
        "Transition = namedtuple('Transition', ('state', 'reward'))\nmemory = deque([], maxlen=2)\n"
        "for i in range(3): memory.append(Transition(i, reward=i * 2))\nd = defaultdict(list); d[1].append(2)\n"
        "got = ([t.reward for t in memory], dict(d), Counter('aab').most_common(1), list(OrderedDict(a=1)), repr(memory[0]))",
        ([2, 4], {1: [2]}, [("a", 2)], ["a"], "Transition(state=1, reward=2)"),
    ),
    "itertools": (
        "from itertools import count, islice\nimport itertools as it\ngot = list(it.chain(islice(count(3), 2), [1]))",
        [3, 4, 1],
    ),
    "functools": (
        "from functools import partial, reduce, wraps, lru_cache\n"
        "def shout(f):\n  @wraps(f)\n  def inner(*a): return f(*a) + 1\n  return inner\n"
        "@shout\n@lru_cache(maxsize=None)\ndef f(x): return x\n@shout\ndef g(x): return x\n"
        "got = (partial(g, 3)(), reduce(lambda a, b: a * b, [2, 3]), f(1), g.__name__)",
        (4, 6, 2, "g"),
    ),
    "typing": (
        "from typing import Any, Dict, List, Optional, TypeVar, cast\nfrom collections.abc import Callable\nT = TypeVar('T')\n"
        "Pair = Optional[List[int]] | None\ndef f(x: List[int], y: Pair = None) -> Dict[str, Any]: return x\ngot = f(cast(int, 3))",
        3,
    ),
    "what Python 3 does already": ("from __future__ import print_function, division, annotations\ngot = 1 / 2", 0.5),
    "numpy": (
        "import numpy as np\nx = np.array([[1.0, 2], [3, 4]])\n"
        "got = (x.sum(), x.T.tolist(), x.astype(np.float32).dtype == np.float32)",
        (10.0, [[1, 3], [2, 4]], True),
    ),
    "numpy.random": ("import numpy as np\nnp.random.seed(0)\ngot = round(float(np.random.rand()), 6)", 0.548814),
    "from numpy import linalg": (
        "from numpy import linalg\nfrom numpy.random import default_rng\ngot = float(linalg.norm([3, 4]))",
        5.0,
    ),
    "numpy takes tensors as it can": (
        "import numpy as np\ngot = (isinstance(array, np.ndarray), type(array) == np.ndarray, array.view(np.int64).size)",
        (True, True, 3),
    ),
}


@pytest.mark.parametrize(("script", "expected"), [*GRAMMAR.values(), *IMPORTS.values()], ids=[*GRAMMAR, *IMPORTS])
def test_the_language(script, expected):
    assert run(script)["got"] == expected


def test_print_goes_to_the_given_function():
    output = io.StringIO()
    run("print('a', 1, sep='-', end='!\\n', flush=True)\nprint()\nprint(None, sep=None)", output)
    assert output.getvalue() == "a-1!\n\nNone\n"


def test_the_globals_hold_what_the_script_bound_and_nothing_else():
    before = run("pass")
    after = run("import torch\nx = 1\nclass A: pass\ndef f(): pass")
    assert set(after) - set(before) == {"torch", "x", "A", "f"}
    assert not [name for name in after if name.startswith("_") and name not in ("__builtins__", "__name__")]


def test_a_class_keeps_its_line():
    code = run("\n\n\nclass A:\n  def f(self): return self._x\n")["A"].f.__code__
    assert code.co_firstlineno == 5


def test_a_long_sum_is_no_problem():
    assert run(f"got = {' + '.join(['1'] * 900)}")["got"] == 900


def test_asserts_run_also_under_python_o():
    with pytest.raises(AssertionError):
        run("assert False")
