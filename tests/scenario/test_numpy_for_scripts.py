"""The numpy of scripts: NumPy's own results, Tensors taken as arrays, and a stream of random numbers of its own."""

import numpy as np
import pytest

from autograd_cli.errors import BadArgumentType, LimitExceeded, Unsupported
from autograd_cli.torch_api.modules import modules
from autograd_cli.torch_api.numpy_api import number_dtype, numpy_namespace


class FakeTensor:
    def __init__(self, values):
        self.values = values


def to_array(value):
    return np.array(value.values) if isinstance(value, FakeTensor) else value


xp = numpy_namespace(to_array)
EXPRESSIONS = """
array([[1, 2], [3, 4]])
array([1, 2], dtype=np.float32)
arange(3.0) + linspace(0, 1, 3)
zeros((2, 3))
full((2,), 7)
eye(3)
ones_like(arange(3))
concatenate([arange(2), arange(3)])
stack((arange(2), arange(2)), axis=1)
where(arange(4) > 1, 1.0, -1.0)
maximum(arange(3), 1)
exp(arange(3.0)).sum()
dot(arange(3), arange(3))
einsum('i,j->ij', arange(2), arange(3))
linalg.norm(array([3.0, 4.0]))
linalg.inv(array([[2.0, 0.0], [0.0, 4.0]]))
allclose(arange(3), arange(3) + 1e-9)
meshgrid(arange(2), arange(3))[1]
unique(array([2, 1, 2]))
argsort(array([3, 1, 2]))
float32(1.5) * pi
transpose(arange(6).reshape(2, 3))
clip(arange(5), 1, 3)
cumsum(arange(4))
isnan(array([nan, inf]))
mean(array([[1, 2], [3, 4]]), axis=0)
broadcast_to(arange(2), (2, 2))
logical_and(array([True, False]), True)
finfo(np.float32).eps
""".strip().split("\n")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_results_are_numpys(expression):
    class Names(dict):
        def __init__(self, namespace):
            super().__init__(np=namespace)
            self.namespace = namespace

        def __missing__(self, name):
            return getattr(self.namespace, name)

    ours, theirs = eval(expression, Names(xp)), eval(expression, Names(np))
    np.testing.assert_array_equal(ours, theirs)
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype


def test_every_name_of_the_table_is_numpys():
    for name in set(dir(xp)) - {"bool"}:  # NumPy 1.26 has it not
        assert hasattr(np, name)
        if name not in ("random", "linalg", "ndarray", "dtype"):
            assert callable(getattr(xp, name)) == callable(getattr(np, name))


def test_empty_is_not_what_happened_to_be_in_memory():
    assert xp.empty((2, 2)).tolist() == [[0, 0], [0, 0]]


def test_tensors_are_taken_as_arrays():
    tensor = FakeTensor([1.0, 2.0])
    assert xp.array(tensor).tolist() == [1, 2]
    assert xp.stack([tensor, tensor]).shape == (2, 2)
    assert xp.linalg.norm(x=FakeTensor([3.0, 4.0])) == 5.0
    assert xp.array([[tensor], [tensor]]).shape == (2, 1, 2)


@pytest.mark.parametrize("name", ["exp", "add", "mean", "reshape", "isnan", "linspace"])
def test_where_pytorch_gives_a_tensor_back_nothing_else_is_given(name):
    torch = modules()["torch"]
    with pytest.raises(Unsupported, match=f"numpy.{name} of a Tensor"):
        getattr(numpy_namespace(), name)(torch.ones(2), 1)


def test_arrays_of_real_tensors():
    torch = modules()["torch"]
    assert numpy_namespace().stack([torch.ones(2), torch.zeros(2)]).tolist() == [[1, 1], [0, 0]]
    with pytest.raises(RuntimeError):
        numpy_namespace().array(torch.ones(2, requires_grad=True))


def test_random_numbers_repeat_and_are_numpys_under_a_seed():
    first, second = numpy_namespace(), numpy_namespace()
    assert first.random.rand(3).tolist() == second.random.rand(3).tolist()
    first.random.seed(5)
    expected = np.random.RandomState(5)
    assert first.random.randn(2).tolist() == expected.randn(2).tolist()
    assert first.random.randint(0, 9, size=4).tolist() == expected.randint(0, 9, size=4).tolist()
    assert first.random.default_rng(3).random(2).tolist() == np.random.default_rng(3).random(2).tolist()
    assert numpy_namespace().random.default_rng().random() == numpy_namespace().random.default_rng().random()
    assert numpy_namespace(seed=1).random.rand() != numpy_namespace(seed=2).random.rand()


def test_the_streams_of_the_process_are_left_alone():
    np.random.seed(1)
    before = np.random.get_state()[1].tolist()
    numpy_namespace().random.seed(9)
    numpy_namespace().random.rand(5)
    assert np.random.get_state()[1].tolist() == before


def test_ndarray_is_for_isinstance():
    assert isinstance(np.arange(2), xp.ndarray)
    assert not isinstance(1, xp.ndarray)
    assert repr(xp.ndarray) == "<class 'numpy.ndarray'>"
    with pytest.raises(BadArgumentType):
        xp.ndarray((1,))


def test_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = xp.nope
    with pytest.raises(Unsupported, match=r"numpy\.load is not part"):
        _ = xp.load
    with pytest.raises(Unsupported, match=r"numpy\.random\.PCG64"):
        _ = xp.random.PCG64
    with pytest.raises(Unsupported):
        hasattr(xp, "save")


@pytest.mark.parametrize("dtype", [object, "O", "U3", "S", "V8", "M8[s]", [("a", "f8")]])
def test_dtypes_of_anything_but_numbers(dtype):
    with pytest.raises(BadArgumentType):
        number_dtype(dtype)


def test_the_limit_is_on_what_would_be_made():
    small = numpy_namespace(max_elements=100)
    assert small.zeros((10, 10)).size == 100
    for call in (
        lambda: small.zeros(101),
        lambda: small.ones((2, 51)),
        lambda: small.arange(0, 11, 0.1),
        lambda: small.eye(10, 11),
    ):
        with pytest.raises(LimitExceeded):
            call()
