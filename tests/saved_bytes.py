"""An EventRecorder that compares what events say of saved tensors with what living nodes hold."""

from __future__ import annotations

from weakref import WeakSet

from autograd_cli.core.modes import modes
from autograd_cli.trace.event_recorder import EventRecorder


class Watching(EventRecorder):
    """Notes at every step the bytes that living nodes hold, and those that the events speak of."""

    def __init__(self, *args):
        super().__init__(*args)
        self.nodes, self.steps, self.unpacked = WeakSet(), [], None

    def record(self, node, result, line=None):
        super().record(node, result, line)
        self.nodes.add(node)
        if not modes.packs_saved:
            self.note()

    def saved(self, node, result):
        super().saved(node, result)
        self.note()

    def absorbed(self, node):
        super().absorbed(node)
        self.nodes.discard(node)

    def evaluate_start(self, node):
        super().evaluate_start(node)
        self.note()
        if "unpacks" in node.__class__.__dict__:  # while it runs, its slots hold what hooks unpacked for it
            self.unpacked = node

    def evaluate_end(self, node, *args):
        super().evaluate_end(node, *args)
        if node is self.unpacked:
            self.unpacked = None

    def pass_end(self, error):
        super().pass_end(error)
        self.unpacked = None
        self.note()

    def note(self):
        if self.unpacked is not None:
            return
        holding = sum(t._data.nbytes for node in set(self.nodes) for _, t, _ in node.held() if t is not None)
        self.steps.append((holding, balance(self.log.events)))


def balance(events):
    """Saved less released bytes."""
    saved = sum(e["bytes"] for e in events if e["kind"] == "save")
    return saved - sum(e["bytes"] for e in events if e["kind"] == "release")
