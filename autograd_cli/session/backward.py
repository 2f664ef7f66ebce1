"""The pass of a scenario's `backward:` key."""

from __future__ import annotations

from functools import partial
from types import CodeType
from typing import Any

from ..errors import BadArgumentType
from ..scenario.model import BackwardSpec
from ..scenario.sandbox import compile_expression
from ..scenario.script import Script
from ..torch_api.modules import modules


class CompiledBackward:
    """`backward:`, compiled before anything runs, so that its mistakes are found then; `every_attribute`: see `ScriptPolicy`."""

    def __init__(self, spec: BackwardSpec, every_attribute: bool = False) -> None:
        self.spec = spec
        compiled = partial(compile_expression, every_attribute=every_attribute)
        self.roots = [compiled(root) for root in spec.roots]
        self.inputs = None if spec.inputs is None else [compiled(i) for i in spec.inputs]
        several = isinstance(spec.gradient, (list, tuple)) and len(spec.roots) > 1
        given: list[Any] = list(spec.gradient) if several else [spec.gradient]  # type: ignore[arg-type]
        self.gradients = [compiled(g) if isinstance(g, Script) else g for g in given]

    def run(self, names: dict[str, Any], torch: Any) -> None:
        """Evaluate the roots and run the pass in this process; `torch` is ours or PyTorch's."""
        roots = self._roots(names, torch)
        gradients = [self._gradient(g, root, names, torch) for g, root in zip(self.gradients, roots, strict=False)]
        gradients += [None] * (len(roots) - len(gradients))
        inputs = None if self.inputs is None else [eval(code, names) for code in self.inputs]
        torch.autograd.backward(
            roots,
            gradients if any(g is not None for g in gradients) else None,
            retain_graph=self.spec.retain_graph,
            create_graph=self.spec.create_graph,
            inputs=inputs,
        )

    def run_distributed(self, names: dict[str, Any], context_id: int, engine: Any, mode: str | None) -> None:
        """Evaluate the roots and run the pass over all workers; `mode` wins over the spec's."""
        roots = self._roots(names, modules()["torch"])
        engine.backward(context_id, roots, bool(self.spec.retain_graph), mode or self.spec.mode)

    def _roots(self, names: dict[str, Any], torch: Any) -> list[Any]:
        roots = []
        for code, text in zip(self.roots, self.spec.roots, strict=True):
            root = eval(code, names)
            if not isinstance(root, torch.Tensor):
                raise BadArgumentType(
                    f"backward: {text.text.strip()} is a {type(root).__name__}, and a pass begins at a tensor", place=text.place
                )
            roots.append(root)
        return roots

    @staticmethod
    def _gradient(given: Any, root: Any, names: dict[str, Any], torch: Any) -> Any:
        if given is None:
            return None
        if isinstance(given, CodeType):
            return eval(given, names)
        return torch.tensor(given, dtype=root.dtype)
