"""Every error agrad can report, as one tree.

::

    AgradError                       what went wrong, where, why, and what to do
    ├── SetUpError                   found before the first line runs: exit status 2
    │   ├── InvalidScenario          a key, a type or a value of the YAML file (SyntaxError)
    │   ├── ForbiddenSyntax          Python that is not part of the script language (SyntaxError)
    │   ├── ForbiddenImport          an import that is not accepted (ImportError)
    │   ├── FileProblem              a file that is missing, unreadable or out of bounds (OSError)
    │   ├── DeviceUnavailable        a device that is not there (RuntimeError)
    │   └── ExtraMissing             a library that a command needs and that is not installed (ImportError)
    ├── Uncatchable                  ends the run; an `except` in a script does not see it
    │   ├── Unsupported              a name that PyTorch has and agrad has not yet
    │   ├── LimitExceeded            time, memory, size
    │   └── Interrupted              Ctrl-C: exit status 130
    ├── ScriptError                  raised while the script runs, with PyTorch's exception type: exit status 1
    │   ├── ShapeMismatch · DtypeMismatch (NoComplex) · DeviceMismatch · IndexOutOfRange · LinAlgError
    │   ├── BadArgument · BadArgumentType · BadArgumentValue
    │   ├── NonScalarRoot · NoGraph · GraphFreed · InplaceModified · LeafInplace · ViewInplace
    │   ├── UnusedInput · GradShapeMismatch · NotDifferentiable · AnomalyDetected
    │   ├── NameNotDefined · ScriptRaised
    │   └── NoContext · ContextReleased · UnknownWorker · UnknownFunction · NotOwner · RemoteError · BackwardStalled
    ├── WorkerDied · WorkerTimeout   a worker is gone: exit status 1
    └── ExpectationFailed · CompareMismatch      `--check`, `agrad compare`: exit status 1

RemoteError has two siblings with the types that PyTorch keeps, RemoteValueError and RemoteTypeError. A few more stand beside what raises
them: NoBackward, CheckpointError, GradcheckError, UnknownStrategy, InternalError.

An error knows its ``kind`` (OUTPUT.md lists them), the Python ``type`` it is for a script, and its exit code; a hint, a place and
the causes are hung on where they are known, on the way up.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True)
class Place:
    """A position in a file, 1-based; ``source`` is the text of the line."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    source: str | None = None

    def __str__(self) -> str:
        parts = (self.file, self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True)
class Cause:
    """One event that led to an error: where a tensor was saved, changed, freed, or a first pass ran."""

    what: str  # "saved" | "changed" | "freed" | "first_pass" | "unreached"
    line: int | None = None
    node: int | None = None
    variable: str | None = None
    version: int | None = None
    source: str | None = None  # the text of the line


class AgradError(BaseException):
    """Root of the tree. Subclasses that scripts may catch also derive from PyTorch's exception type.

    Parameters
    ----------
    message : str
        What happened and why, one or two sentences.
    hint : str, optional
        What to do about it.
    place : Place, optional
        Where; filled in on the way up when it is not known here.
    """

    type_name: str | None = None
    exit_code: ClassVar[int] = 1
    kind_name: ClassVar[str | None] = None

    def __init__(self, message: str, *, hint: str | None = None, place: Place | None = None, variable: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.place = place
        self.variable = variable
        self.node: Any = None  # the Node the error is about; a Recorder turns it into an id
        self.tensor: Any = None  # the Tensor it is about; the session finds its name
        self.causes: list[Cause] = []

    def __str__(self) -> str:
        return self.message

    def about(self, tensor: Any) -> Self:
        """Say which Tensor this is about. The session finds its name, and puts it where the message has "this tensor"."""
        self.tensor = tensor
        return self

    @property
    def kind(self) -> str:
        """The stable name of OUTPUT.md's list."""
        return self.kind_name or type(self).__name__

    @property
    def type(self) -> str:
        """The name of the Python exception type it is in PyTorch."""
        return self.type_name or self.python_type().__name__

    @classmethod
    def python_type(cls) -> builtins.type[BaseException]:
        """The Python exception type it is in PyTorch: itself where PyTorch has a class of its own."""
        if cls.type_name:
            return cls
        known = (base for base in cls.__mro__ if issubclass(base, Exception) and not issubclass(base, AgradError))
        return next(known, RuntimeError)


# ---- found before the first line runs ----


class SetUpError(AgradError):
    """The run could not be started."""

    exit_code = 2


class InvalidScenario(SetUpError, SyntaxError):
    """The YAML file does not say what LANGUAGE.md allows."""


class ForbiddenSyntax(SetUpError, SyntaxError):
    """Python that is not part of the script language, or text that is not Python."""


class ForbiddenImport(SetUpError, ImportError):
    """An import of a module that scripts may not have."""


class FileProblem(SetUpError, OSError):
    """A file that is missing, unreadable, malformed or outside the scenario's folder."""


class DeviceUnavailable(SetUpError, RuntimeError):
    """A device that this machine does not have."""


class ExtraMissing(SetUpError, ImportError):
    """A library that a command needs, and that comes with an extra, is not installed."""


# ---- ends the run; scripts cannot catch it ----


class Uncatchable(AgradError):
    """Not an ``Exception``: ``except Exception`` in a script lets it through."""


class Unsupported(Uncatchable):
    """A name or an option that PyTorch has and agrad does not have yet."""

    type_name = "NotImplementedError"


class LimitExceeded(Uncatchable):
    """A limit on time, memory or size."""

    type_name = "RuntimeError"


class Interrupted(Uncatchable):
    """The user pressed Ctrl-C."""

    exit_code = 130
    type_name = "KeyboardInterrupt"


# ---- raised while the script runs ----


class ScriptError(AgradError):
    """Raised while a script runs; each subclass is also PyTorch's exception type."""

    def __repr__(self) -> str:
        return f"{self.type}({self.message!r})"


class LinAlgError(ScriptError, RuntimeError):
    """A matrix that an operation of linear algebra cannot take: singular, or not positive definite."""


class ShapeMismatch(ScriptError, RuntimeError):
    """Shapes that do not fit together."""


class DtypeMismatch(ScriptError, RuntimeError):
    """Dtypes that do not fit together or do not fit the operation."""


class NoComplex(DtypeMismatch, NotImplementedError):
    """An operation that is not defined for complex numbers."""

    kind_name = "DtypeMismatch"


class NoHalf(DtypeMismatch, NotImplementedError):
    """An operation that PyTorch has no CPU kernel of 2-byte floats for."""

    kind_name = "DtypeMismatch"


class DeviceMismatch(ScriptError, RuntimeError):
    """Tensors of different devices in one operation; ``operands`` are (parameter, array) of two of them, where they are known."""

    operands: tuple[tuple[str, Any], ...] = ()


class IndexOutOfRange(ScriptError, IndexError):
    """An index or a dimension outside its range."""


class BadArgument(ScriptError, RuntimeError):
    """An argument the operation cannot take; RuntimeError in PyTorch."""


class BadArgumentType(ScriptError, TypeError):
    """An argument of the wrong type, missing, or unknown; TypeError in PyTorch."""

    kind_name = "BadArgument"


class BadArgumentValue(ScriptError, ValueError):
    """An argument with a value it may not have; ValueError in PyTorch."""

    kind_name = "BadArgument"


class BadArgumentCase(ScriptError, NotImplementedError):
    """Arguments that do not go together; NotImplementedError in PyTorch, which has no such case either."""

    kind_name = "BadArgument"


class NonScalarRoot(ScriptError, RuntimeError):
    """backward() without a gradient on a tensor with more than one element."""


class NoGraph(ScriptError, RuntimeError):
    """A root that does not require grad."""


class GraphFreed(ScriptError, RuntimeError):
    """A second pass through nodes whose saved tensors were freed."""


class InplaceModified(ScriptError, RuntimeError):
    """A saved tensor was changed in place before the backward pass used it.

    Attributes
    ----------
    saved_name : str
        What the node calls the tensor it saved.
    saved_version, version : int
        Of the tensor: when it was saved, and now.
    """

    saved_name: str | None = None
    saved_version: int = 0
    version: int = 0


class LeafInplace(ScriptError, RuntimeError):
    """An in-place change of a leaf that requires grad."""


class ViewInplace(ScriptError, RuntimeError):
    """An in-place change of a view that PyTorch forbids."""


class UnusedInput(ScriptError, RuntimeError):
    """grad() was asked for a tensor that the outputs do not depend on."""


class GradShapeMismatch(ScriptError, RuntimeError):
    """A gradient whose shape is not that of its tensor."""


class NotDifferentiable(ScriptError, RuntimeError):
    """A derivative that does not exist or is not implemented in PyTorch."""


class AnomalyDetected(ScriptError, RuntimeError):
    """Anomaly mode found a NaN in a backward function."""


class NameNotDefined(ScriptError, NameError):
    """A name the script never defined."""


class ScriptRaised(ScriptError):
    """An exception that the script itself raised; ``type_name`` is that exception's."""

    def __init__(self, message: str, type_name: str, **more: Any) -> None:
        super().__init__(message, **more)
        self.type_name = type_name


class NoContext(ScriptError, RuntimeError):
    """A distributed autograd context that does not exist here."""


class ContextReleased(ScriptError, RuntimeError):
    """A distributed autograd context that was released."""


class UnknownWorker(ScriptError, RuntimeError):
    """A worker name or rank that the run does not have."""


class UnknownFunction(ScriptError, RuntimeError):
    """The target of a call is not a function that every worker knows by name."""


class NotOwner(ScriptError, RuntimeError):
    """local_value() of an RRef that another worker owns."""


class RemoteFailure(ScriptError):
    """A function failed on another worker.

    Attributes
    ----------
    original_type : str
        What it raised there.
    path : list of int
        The workers the error came through, the one where it was raised last.
    """

    kind_name = "RemoteError"

    def __init__(self, message: str, original_type: str = "RuntimeError", path: list[int] | None = None, **more: Any) -> None:
        super().__init__(message, **more)
        self.type_name = self.original_type = original_type
        self.path = path or []


class RemoteError(RemoteFailure, RuntimeError):
    """As rpc_sync raises it for everything but ValueError and TypeError."""


class RemoteValueError(RemoteFailure, ValueError):
    """A ValueError of another worker: PyTorch keeps its type."""


class RemoteTypeError(RemoteFailure, TypeError):
    """A TypeError of another worker: PyTorch keeps its type."""


class BackwardStalled(ScriptError, RuntimeError):
    """FAST waits for a gradient that cannot come."""


class WorkerDied(AgradError):
    """A worker process ended before its work was done."""

    type_name = "RuntimeError"


class WorkerTimeout(AgradError):
    """A worker was stopped or does not answer."""

    type_name = "RuntimeError"


class ExpectationFailed(AgradError):
    """`--check` found a difference from `expect`."""

    type_name = "AssertionError"


class CompareMismatch(AgradError):
    """`agrad compare` found a difference from PyTorch."""

    type_name = "AssertionError"
