"""`load:` reads numbers from files inside the scenario's folder; everything else is one error at the place of the `load:`."""

import io
import os
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_cli.errors import AgradError, FileProblem, LimitExceeded, Place
from autograd_cli.scenario.model import TensorSpec
from autograd_cli.scenario.tensors import read_source

PLACE = Place("s.yaml", 3, 9, "  x: {load: …}")
IRIS = "sepal,petal,species,label\n5.1,1.4,setosa,0\n7.0,4.7,versicolor,1\n\n6.3,6.0,virginica,2\n"


def spec(path, **more):
    return TensorSpec("x", "load", path, PLACE, **more)


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    (tmp_path / "secret.npy").write_bytes(npy_bytes(np.arange(3)))
    (home / "data" / "iris.csv").write_text(IRIS)
    return home


def npy_bytes(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


ARRAYS = {
    "float64 matrix": np.arange(6.0).reshape(2, 3),
    "float32": np.float32([1.5, np.nan, np.inf]),
    "float16 scalar": np.float16(2.5),
    "int64": np.arange(4),
    "bool": np.array([True, False]),
    "complex64": np.complex64([1 + 2j]),
    "big-endian": np.arange(3, dtype=">i4"),
    "fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "empty": np.zeros((0, 3)),
    "four dimensions": np.arange(24).reshape(1, 2, 3, 4).transpose(3, 1, 0, 2),
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_npy_and_npz_keep_their_dtype(folder, array):
    (folder / "a.npy").write_bytes(npy_bytes(array))
    np.savez(folder / "b.npz", x=array, other=np.arange(2))
    np.savez_compressed(folder / "c.npz", x=array)
    for path in ("a.npy", "b.npz:x", "c.npz:x"):
        found = read_source(spec(path), folder)
        assert found.dtype == np.asarray(array).dtype.newbyteorder("=")
        assert found.dtype.isnative
        assert found.shape == np.shape(array)
        np.testing.assert_array_equal(found, array)
        assert found.flags.writeable


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"columns": "petal"}, [1.4, 4.7, 6.0]),
        ({"columns": ("sepal", "petal")}, [[5.1, 1.4], [7.0, 4.7], [6.3, 6.0]]),
        ({"columns": ("label",)}, [[0], [1], [2]]),
        ({"columns": 1, "skip_rows": 1}, [1.4, 4.7, 6.0]),
        ({"columns": (3, 0), "skip_rows": 1}, [[0, 5.1], [1, 7.0], [2, 6.3]]),
        ({"columns": (3, "petal")}, [[0, 1.4], [1, 4.7], [2, 6.0]]),
    ],
)
def test_csv_columns(folder, more, expected):
    found = read_source(spec("data/iris.csv", **more), folder)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.float32(expected))


def test_csv_dtype_is_the_default_or_the_one_that_is_asked_for(folder):
    assert read_source(spec("data/iris.csv", columns="label"), folder, "float64").dtype == np.float64
    assert read_source(spec("data/iris.csv", columns="label", dtype="int64"), folder).dtype == np.int64


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,4\n", "1,2\n3,4\n", "\ufeffa,b\r\n 1 ,2\r\n3, 4\r\n", '"a","b"\n"1","2"\n3,4'])
def test_csv_without_columns_is_all_of_it(folder, text):
    (folder / "all.csv").write_text(text, encoding="utf-8", newline="")
    np.testing.assert_array_equal(read_source(spec("all.csv"), folder), np.float32([[1, 2], [3, 4]]))


BAD_CSV = [  # file, columns, skip_rows, a part of message or hint
    (IRIS, "species", 0, "row 2, column 'species': 'setosa' is not a number"),
    (IRIS, "species", 0, "give each text a number"),
    (IRIS, "petl", 0, "did you mean petal"),
    (IRIS, "zzz", 0, "the columns are sepal, petal"),
    (IRIS, 9, 0, "4 columns"),
    (IRIS, 0, 0, "skip_rows: 1"),
    (IRIS, "sepal", 99, "no rows after skip_rows"),
    ("a,b\n", "a", 0, "header and no rows"),
    ("", "a", 0, "no rows"),
    ("a,b\n1,2\n3\n", "b", 0, "row 3, column 'b': the row has 1 cells"),
    ("a\n1\n\n?\n", "a", 0, "row 4, column 'a': a number is missing"),
    ("a,b\n,1\n", "a", 0, "a number is missing"),
    ("a\n1_000\n", "a", 0, "not a number"),
    (b"a\n\xff\n", "a", 0, "UTF-8"),
]


@pytest.mark.parametrize(("text", "columns", "skip_rows", "words"), BAD_CSV)
def test_bad_csv_names_row_and_column(folder, text, columns, skip_rows, words):
    (folder / "bad.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileProblem) as caught:
        read_source(spec("bad.csv", columns=columns, skip_rows=skip_rows), folder)
    assert words in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.place == PLACE


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("../secret.npy", "leaves"),
        ("data/../../secret.npy", "leaves"),
        ("/etc/passwd", "leaves"),
        ("C:\\secret.npy", "leaves"),
        ("\\\\host\\share\\x.npy", "leaves"),
        ("..\\secret.npy", "leaves"),
        ("a\0.npy", "leaves"),
        ("link.npy", "link that leaves"),
        ("linked/secret.npy", "link that leaves"),
        ("loop.npy", "cannot be read"),
        ("none.npy", "no file"),
        ("data/irs.csv", "did you mean iris.csv"),
        ("data", "not a regular file"),
        ("notes.txt", "none of"),
        ("data/iris.csv/x.npy", "cannot be read"),
        ("x" * 300 + ".npy", "cannot be read"),
    ],
)
def test_only_files_of_the_folder(folder, path, words):
    (folder / "notes.txt").write_text("1")
    try:
        (folder / "link.npy").symlink_to(folder.parent / "secret.npy")
        (folder / "linked").symlink_to(folder.parent)
        (folder / "loop.npy").symlink_to(folder / "loop.npy")
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(FileProblem) as caught:
        read_source(spec(path), folder)
    assert words in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.place == PLACE


def test_a_link_inside_the_folder_is_fine(folder):
    try:
        (folder / "here.csv").symlink_to(folder / "data" / "iris.csv")
    except OSError:
        pytest.skip("no symbolic links here")
    assert read_source(spec("here.csv", columns="label"), folder).tolist() == [0, 1, 2]


def test_a_scenario_that_is_in_no_file_loads_nothing():
    with pytest.raises(FileProblem, match="in a file"):
        read_source(spec("x.npy"), None)


class Bomb:
    def __reduce__(self):
        return (os.mkdir, ("unpickled",))


@pytest.mark.parametrize(
    "array", [np.array([Bomb()], dtype=object), np.array(["text"]), np.array([1], "datetime64[s]"), np.zeros(1, [("a", "O")])]
)
def test_arrays_of_anything_but_numbers_are_refused_and_never_unpickled(folder, array, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "a.npy").write_bytes(npy_bytes(array, allow_pickle=True))
    np.savez(folder / "b.npz", x=array)
    for path in ("a.npy", "b.npz:x"):
        with pytest.raises(FileProblem, match="numbers"):
            read_source(spec(path), folder)
    assert not (folder / "unpickled").exists()


def header(shape, dtype="<f8"):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue()


@pytest.mark.parametrize("shape", [(10**12,), (2**40, 2**40), (10**6, 10**6)])
def test_a_header_that_asks_for_too_much_allocates_nothing(folder, shape):
    (folder / "a.npy").write_bytes(header(shape))
    with pytest.raises(LimitExceeded):
        read_source(spec("a.npy"), folder)


def test_a_zip_bomb_is_refused(folder):
    with zipfile.ZipFile(folder / "b.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", header((200_000,)) + bytes(1_600_000))
    with pytest.raises(LimitExceeded):
        read_source(spec("b.npz:x"), folder, max_bytes=100_000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x93NUMPY",
        b"not an array",
        header((3,)),
        header((3,)) + bytes(8),
        header((-1,)),
        header(("a",)),
        header((3,), "x9"),
    ],
)
def test_damaged_npy_files(folder, data):
    (folder / "a.npy").write_bytes(data)
    with pytest.raises(FileProblem) as caught:
        read_source(spec("a.npy"), folder)
    assert caught.value.place == PLACE


@pytest.mark.parametrize(
    ("path", "words"), [("b.npz", "b.npz:NAME with one of x, y"), ("b.npz:z", "no array 'z'"), ("c.npz:x", "damaged")]
)
def test_npz_names(folder, path, words):
    np.savez(folder / "b.npz", x=1, y=2)
    (folder / "c.npz").write_bytes(b"PK nonsense")
    with pytest.raises(FileProblem) as caught:
        read_source(spec(path), folder)
    assert words in f"{caught.value.message} {caught.value.hint}"


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=40), st.integers(0, 127), st.sampled_from(["a.npy", "a.npz:x", "a.csv"]))
def test_damaged_files_are_one_clear_error(tmp_path_factory, noise, at, name):
    folder = tmp_path_factory.mktemp("noise")
    data = {"a.npy": npy_bytes(np.arange(4.0)), "a.csv": IRIS.encode()}.get(name)
    if data is None:
        file = io.BytesIO()
        np.savez_compressed(file, x=np.arange(4.0))
        data = file.getvalue()
    (folder / name.split(":")[0]).write_bytes(data[:at] + noise + data[at + len(noise) :])
    try:
        assert isinstance(read_source(spec(name), folder), np.ndarray)
    except AgradError as error:
        complaint = error
        assert complaint.place == PLACE
