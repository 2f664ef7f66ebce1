"""The pass of a scenario's `backward:` key."""

from __future__ import annotations

from types import CodeType
from typing import Any

from ..core import autograd
from ..core.tensor import Tensor
from ..errors import BadArgumentType
from ..ops import creation
from ..scenario.model import BackwardSpec
from ..scenario.sandbox import compile_expression
from ..scenario.script import Script


class CompiledBackward:
    """`backward:`, compiled before anything runs, so that its mistakes are found then."""

    def __init__(self, spec: BackwardSpec) -> None:
        self.spec = spec
        self.roots = [compile_expression(root) for root in spec.roots]
        self.inputs = None if spec.inputs is None else [compile_expression(i) for i in spec.inputs]
        several = isinstance(spec.gradient, (list, tuple)) and len(spec.roots) > 1
        given: list[Any] = list(spec.gradient) if several else [spec.gradient]  # type: ignore[arg-type]
        self.gradients = [compile_expression(g) if isinstance(g, Script) else g for g in given]

    def run(self, names: dict[str, Any]) -> None:
        """Evaluate the roots and run the pass in this process."""
        roots = self._roots(names)
        gradients = [self._gradient(g, root, names) for g, root in zip(self.gradients, roots, strict=False)]
        gradients += [None] * (len(roots) - len(gradients))
        inputs = None if self.inputs is None else [eval(code, names) for code in self.inputs]
        autograd.backward(
            roots,
            gradients if any(g is not None for g in gradients) else None,
            retain_graph=self.spec.retain_graph,
            create_graph=self.spec.create_graph,
            inputs=inputs,
        )

    def run_distributed(self, names: dict[str, Any], context_id: int, engine: Any) -> None:
        """Evaluate the roots and run the pass over all workers."""
        engine.backward(context_id, self._roots(names), bool(self.spec.retain_graph))

    def _roots(self, names: dict[str, Any]) -> list[Any]:
        roots = []
        for code, text in zip(self.roots, self.spec.roots, strict=True):
            root = eval(code, names)
            if not isinstance(root, Tensor):
                raise BadArgumentType(
                    f"backward: {text.text.strip()} is a {type(root).__name__}, and a pass begins at a tensor", place=text.place
                )
            roots.append(root)
        return roots

    @staticmethod
    def _gradient(given: Any, root: Tensor, names: dict[str, Any]) -> Any:
        if given is None:
            return None
        if isinstance(given, CodeType):
            return eval(given, names)
        return creation.tensor(given, dtype=root.dtype)
