"""Tables of what was measured: for the terminal, and one line a workload in Markdown for docs/performance.md."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from benchmarks import bars
from benchmarks.adapters import ADAPTERS
from benchmarks.bars import Check
from benchmarks.harness import WorkloadRun
from benchmarks.measuring import PHASES
from benchmarks.memory import Peak
from benchmarks.startup import BASE, Startup
from benchmarks.workload import Workload

TITLES = {name: adapter.title for name, adapter in ADAPTERS.items()} | {"agrad-scenario": "agrad, as a scenario"}
SUMMARY = ("agrad", "agrad-tuned", "agrad-recording", "autograd", "mygrad", "mygrad-noguard", "micrograd", "numpy")


def median_checks(workload: str, runs: Sequence[WorkloadRun]) -> list[Check]:
    """The checks of `workload`, each ratio the median of the ratios within the runs."""
    of_runs = [bars.step_checks(workload, {name: m.times["step"] for name, m in run.measured.items()}) for run in runs]
    ratios: dict[tuple[str, str], list[float]] = {}
    for check in (check for checks in of_runs for check in checks):
        ratios.setdefault((check.what, check.beside), []).append(check.ratio)
    bar = {(check.what, check.beside): check.bar for checks in of_runs for check in checks}
    return [Check(*pair, statistics.median(values), bar[pair]) for pair, values in ratios.items()]


def median_ratio(runs: Sequence[WorkloadRun], what: str, beside: str) -> float | None:
    """Median over the runs of one library's step beside another's, None where they never ran together."""
    pairs = [(run.measured.get(what), run.measured.get(beside)) for run in runs]
    ratios = [a.times["step"] / b.times["step"] for a, b in pairs if a and b]
    return statistics.median(ratios) if ratios else None


def run_table(workload: Workload, runs: Sequence[WorkloadRun]) -> str:
    """Times by library, the ratio to torch, and beside it the bars."""
    unit, factor = ("µs a node", 1e6 / workload.nodes) if workload.per_node else ("ms a pass", 1e3)
    checks = {
        check.what if check.beside in ("torch", "agrad") else check.beside: check for check in median_checks(workload.name, runs)
    }
    # A row has room for one bar: what stands beside torch or agrad is in its own row, the rest in its neighbour's.
    rows: list[tuple[str, ...]] = [("library", *PHASES, "÷ torch", "off by", "bar", "")]
    names = dict.fromkeys(name for run in runs for name in run.measured)
    median = {n: {p: statistics.median(r.measured[n].times[p] for r in runs if n in r.measured) for p in PHASES} for n in names}
    for name in sorted(names, key=lambda name: median[name]["step"]):
        ratio = median_ratio(runs, name, "torch")
        off = max(run.measured[name].deviation for run in runs if name in run.measured)
        times = ["-" if workload.twice and p in ("forward", "backward") else f"{median[name][p] * factor:.3f}" for p in PHASES]
        rows.append((TITLES[name], *times, "" if ratio is None else f"{ratio:.2f}", f"{off:.0e}", *check_cells(checks.get(name))))
    lines = [f"{workload.name}: {workload.title}  ({unit}, CPU time, median of {len(runs)} x {repetitions(runs)})", aligned(rows)]
    errors = {name: text for run in runs for name, text in run.errors.items()}
    return "\n".join([*lines, *(f"{TITLES[name]}: {text}" for name, text in errors.items())])


def repetitions(runs: Sequence[WorkloadRun]) -> int:
    """The most repetitions that a library had."""
    return max((m.repetitions for run in runs for m in run.measured.values()), default=0)


def check_cells(check: Check | None) -> tuple[str, str]:
    """A check as two cells: its ratio and bar, its verdict."""
    if check is None:
        return "", ""
    return f"{check.what} ÷ {check.beside} {check.ratio:.2f}, bar {check.bar:.2f}", check.verdict


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows as columns: the first and the last two to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    left = {0, len(widths) - 1, len(widths) - 2}
    lines = (
        "  ".join(cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def summary(results: Mapping[str, tuple[Workload, Sequence[WorkloadRun]]]) -> str:
    """Every workload on one line of Markdown: ratios to torch, agrad's with the bar, the scenario's to agrad."""
    lines = [
        "| workload | torch, ms | " + " | ".join(TITLES[name] for name in SUMMARY) + " | as a scenario ÷ agrad |",
        "| --- " * (len(SUMMARY) + 3) + "|",
    ]
    for name, (workload, runs) in results.items():
        torch = [run.measured["torch"].times["step"] * 1e3 for run in runs if "torch" in run.measured]
        bar_of = {check.what: check for check in median_checks(name, runs) if check.beside == "torch"}
        cells = [workload.title, milliseconds(statistics.median(torch)) if torch else "-"]
        for library in SUMMARY:
            cells.append(markdown_ratio(median_ratio(runs, library, "torch"), bar_of.get(library)))
        ratio = median_ratio(runs, "agrad-scenario", "agrad")
        cells.append(markdown_ratio(ratio, None if ratio is None else Check("", "", ratio, bars.SCENARIO_BAR)))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def milliseconds(value: float) -> str:
    """Three digits, never an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown_ratio(ratio: float | None, check: Check | None) -> str:
    """``.31 (≤ .40)``, in bold where the bar is missed."""
    if ratio is None:
        return "-"
    text = f"{ratio:.2f}"
    if check is not None:
        text += f" (≤ {check.bar:.2f})"
    return f"**{text}**" if check is not None and not check.passed else text


def memory_table(workload: Workload, peaks: Mapping[str, Peak], errors: Mapping[str, str]) -> tuple[str, list[Check]]:
    """Peaks by library, with the bar beside agrad's."""
    checks = []
    if workload.name in bars.MEMORY_BARS and "agrad" in peaks and "torch" in peaks:
        checks.append(Check("agrad", "torch", peaks["agrad"].peak / peaks["torch"].peak, bars.MEMORY_BARS[workload.name]))
    rows = [("library", "after forward", "peak", "÷ torch", "process before", "bar", "")]
    for name, peak in sorted(peaks.items(), key=lambda item: item[1].peak):
        ratio = f"{peak.peak / peaks['torch'].peak:.2f}" if "torch" in peaks else ""
        cells = check_cells(checks[0] if checks and name == "agrad" else None)
        rows.append((TITLES[name], f"{peak.after_forward:.1f}", f"{peak.peak:.1f}", ratio, f"{peak.baseline:.1f}", *cells))
    lines = [f"{workload.name}: {workload.title}  (MiB over what the process held before)", aligned(rows)]
    return "\n".join([*lines, *(f"{TITLES[name]}: {text}" for name, text in errors.items())]), checks


def big_table(nodes: int, answers: Mapping[str, Mapping[str, float]], errors: Mapping[str, str]) -> tuple[str, list[Check]]:
    """A long chain by library, with the bar beside agrad's largest resident size."""
    checks = []
    if "agrad" in answers and "torch" in answers:
        checks.append(Check("agrad", "torch", answers["agrad"]["resident"] / answers["torch"]["resident"], bars.BIG_CHAIN_BAR))
    rows: list[tuple[str, ...]] = [("library", *PHASES, "MiB", "÷ torch", "bar", "")]
    for name, answer in sorted(answers.items(), key=lambda item: item[1]["resident"]):
        ratio = f"{answer['resident'] / answers['torch']['resident']:.2f}" if "torch" in answers else ""
        cells = check_cells(checks[0] if checks and name == "agrad" else None)
        rows.append((TITLES[name], *(f"{answer[p]:.2f}" for p in PHASES), f"{answer['resident']:.0f}", ratio, *cells))
    lines = [f"chain of {nodes:,} nodes  (µs of CPU time a node; largest resident size)", aligned(rows)]
    return "\n".join([*lines, *(f"{TITLES[name]}: {text}" for name, text in errors.items())]), checks


def startup_table(times: Mapping[str, Startup], errors: Mapping[str, str]) -> tuple[str, list[Check]]:
    """Cold commands beside ``python -c pass``."""
    base = times[BASE]
    rows = [("command", "CPU ms", "wall ms", "÷ pass", "bar", "")]
    checks = []
    for name, time in sorted(times.items(), key=lambda item: item[1].cpu):
        ratio = time.cpu / base.cpu
        check = Check(name, BASE, ratio, bars.STARTUP_BARS[name]) if name in bars.STARTUP_BARS else None
        checks += [check] if check else []
        cells = (f"≤ {check.bar:g}", check.verdict) if check else ("", "")
        rows.append((name, f"{time.cpu:.1f}", f"{time.wall:.1f}", f"{ratio:.1f}", *cells))
    return "\n".join([aligned(rows), *(f"{name}: {text}" for name, text in errors.items())]), checks
