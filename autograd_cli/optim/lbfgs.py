"""L-BFGS (Nocedal 1980): steps along a direction worked out from the last gradients; evaluates the closure several times a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.array import array_module
from ..core.grad_mode import enable_grad, no_grad
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, BadArgumentValue
from .kernels import add_scaled
from .line_search import Point, strong_wolfe
from .optimizer import Optimizer, Options, number


class LBFGS(Optimizer):
    """For smooth problems without noise: ``step(closure)`` where the closure computes the loss and its gradients."""

    def __init__(
        self, params: Any, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9, history_size: int = 100, line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise BadArgumentValue("LBFGS has one parameter group only")
        if line_search_fn not in (None, "strong_wolfe"):
            raise BadArgument(f"line_search_fn of LBFGS is None or 'strong_wolfe', not {line_search_fn!r}")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Up to ``max_iter`` steps; returns the loss before the first."""
        if closure is None:
            raise BadArgumentType(
                "LBFGS.step() needs a closure, since it evaluates the loss several times",
                hint="def closure(): opt.zero_grad(); loss = …; loss.backward(); return loss",
            )
        with no_grad():
            return _Run(self, closure).go()


class _Run:
    """One call of ``step``."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]) -> None:
        self.group: Options = optimizer.param_groups[0]
        self.parameters: list[Tensor] = self.group["params"]
        self.state: Options = optimizer.state[self.parameters[0]]
        self.closure = closure

    def evaluate(self) -> tuple[Any, Any]:
        """The closure's loss, and all gradients in one vector."""
        with enable_grad():
            loss = self.closure()
        return loss, self.gradient()

    def gradient(self) -> Any:
        """The gradients of all parameters in one vector; zeros where there is none."""
        xp = array_module(self.parameters[0]._data)
        parts = [xp.zeros(p._data.size, p._data.dtype) if p._grad is None else p._grad._data.reshape(-1) for p in self.parameters]
        return xp.concatenate(parts)

    def move(self, t: Any, direction: Any) -> None:
        """Add t times the direction to the parameters."""
        place = 0
        for parameter in self.parameters:
            data = parameter._storage()
            part = direction[place : place + data.size].reshape(data.shape)
            add_scaled(data, part, float(t))
            place += data.size
            parameter._written("LBFGS.step")

    def search(self, start: Point, direction: Any, t: Any, most: int) -> tuple[Point, int]:
        """A step found by a line search, taken."""
        kept = [p._storage().copy() for p in self.parameters]

        def restore() -> None:
            for parameter, data in zip(self.parameters, kept, strict=True):
                parameter._storage()[...] = data
                parameter._written("LBFGS.step")

        def at(step: Any) -> tuple[float, Any]:
            self.move(step, direction)
            loss, gradient = self.evaluate()
            restore()
            return float(loss), gradient

        found, calls = strong_wolfe(at, direction, start, t, most)
        self.move(found.t, direction)
        return found, calls

    def direction(self, gradient: Any) -> Any:
        """Minus the gradient at first, later times an approximate inverse Hessian."""
        state = self.state
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -gradient
        y, s = gradient - state["prev_flat_grad"], state["d"] * state["t"]
        ys = y.dot(s)
        dirs, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        if ys > 1e-10:
            if len(dirs) == self.group["history_size"]:
                del dirs[0], steps[0], ro[0]
            dirs.append(y)
            steps.append(s)
            ro.append(1.0 / ys)
            state["H_diag"] = ys / y.dot(y)
        alphas: list[Any] = [None] * len(dirs)
        q = -gradient
        for i in range(len(dirs) - 1, -1, -1):
            alphas[i] = steps[i].dot(q) * ro[i]
            add_scaled(q, dirs[i], float(-alphas[i]))
        result = q * state["H_diag"]
        for i in range(len(dirs)):
            beta = dirs[i].dot(result) * ro[i]
            add_scaled(result, steps[i], float(alphas[i] - beta))
        return result

    def go(self) -> Any:
        """All iterations; returns the first loss."""
        group, state = self.group, self.state
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first, gradient = self.evaluate()
        loss, calls = float(first), 1
        state["func_evals"] += 1
        if abs(gradient).max() <= group["tolerance_grad"]:
            return first
        rate = number(group["lr"])
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = state["d"] = self.direction(gradient)
            state["prev_flat_grad"], before = gradient.copy(), loss
            t = state["t"] = min(1.0, 1.0 / abs(gradient).sum()) * rate if state["n_iter"] == 1 else rate
            slope = gradient.dot(d)
            if slope > -group["tolerance_change"]:
                break
            more = 0
            if group["line_search_fn"] is not None:
                found, more = self.search(Point(0, loss, gradient, slope), d, t, group["max_eval"] - calls)
                loss, gradient, t = found.value, found.gradient, found.t
                state["t"] = t
            else:
                self.move(t, d)
                if iteration != group["max_iter"]:
                    value, gradient = self.evaluate()
                    loss, more = float(value), 1
            calls += more
            state["func_evals"] += more
            if calls >= group["max_eval"] or abs(gradient).max() <= group["tolerance_grad"]:
                break
            if abs(d * t).max() <= group["tolerance_change"] or abs(loss - before) < group["tolerance_change"]:
                break
        return first
