"""``python -m benchmarks``: measure agrad beside its peers and hold the ratios against the bars."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import big, harness, memory, report, startup
from benchmarks.bars import Check
from benchmarks.processes import pin_to_one_core
from benchmarks.workloads import MEMORY, RUN, WORKLOADS


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    result.add_argument("command", nargs="?", default="run", choices=COMMANDS, help="what to measure (default: run)")
    result.add_argument("--only", metavar="A,B", help=f"workloads: {', '.join(WORKLOADS)}; for startup: words of commands")
    result.add_argument("--libs", metavar="A,B", help=f"libraries: {', '.join(harness.LIBRARIES)}")
    result.add_argument("--json", metavar="FILE", type=Path, help="also write all numbers to FILE")
    result.add_argument("--repeat", type=int, default=3, help="runs of the harness; ratios are their medians (default: 3)")
    result.add_argument("--scale", type=float, default=1.0, help="factor on the repetitions within a run (default: 1)")
    result.add_argument("--nodes", type=int, default=big.NODES, help="length of the chain of big")
    result.add_argument("--timeout", type=float, default=300, help="seconds a library may take in big")
    return result


def listed(text: str | None, default: tuple[str, ...]) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()] if text else list(default)


def chosen_workloads(options: argparse.Namespace, default: tuple[str, ...]) -> list[str]:
    """The workloads asked for. Raises ValueError for an unknown one."""
    names = listed(options.only, default)
    for name in names:
        if name not in WORKLOADS:
            raise ValueError(f"unknown workload {name!r}; there are {', '.join(WORKLOADS)}")
    return names


def chosen_libraries(options: argparse.Namespace, default: tuple[str, ...]) -> list[str]:
    names = listed(options.libs, default)
    harness.check_libraries(names)
    return names


def run(options: argparse.Namespace, document: dict[str, Any]) -> list[Check]:
    """Times of the workloads."""
    checks, results = [], {}
    libraries = chosen_libraries(options, harness.LIBRARIES)
    for name in chosen_workloads(options, RUN):
        workload = WORKLOADS[name]()
        runs = [harness.run_workload(name, libraries, options.scale) for _ in range(options.repeat)]
        results[name] = (workload, runs)
        checks += report.median_checks(name, runs)
        document[name] = {"title": workload.title, "nodes": workload.nodes, "runs": [asdict(run) for run in runs]}
        print(report.run_table(workload, runs), end="\n\n", flush=True)
        write(options, document)
    print(report.summary(results), end="\n\n")
    return checks


def measure_memory(options: argparse.Namespace, document: dict[str, Any]) -> list[Check]:
    """Peak memory of the workloads."""
    checks = []
    libraries = chosen_libraries(options, memory.LIBRARIES)
    for name in chosen_workloads(options, MEMORY):
        peaks, errors = memory.measure(name, libraries, 2 * options.repeat + 1)  # PyTorch takes one of two values
        text, found = report.memory_table(WORKLOADS[name](), peaks, errors)
        checks += found
        document[name] = {"peaks": {library: asdict(peak) for library, peak in peaks.items()}, "errors": errors}
        print(text, end="\n\n", flush=True)
    return checks


def measure_startup(options: argparse.Namespace, document: dict[str, Any]) -> list[Check]:
    """Cold commands."""
    times, errors = startup.measure(listed(options.only, ()), max(1, round(5 * options.repeat * options.scale)))
    text, checks = report.startup_table(times, errors)
    document.update(times={name: asdict(time) for name, time in times.items()}, errors=errors)
    print(text, end="\n\n")
    return checks


def measure_big(options: argparse.Namespace, document: dict[str, Any]) -> list[Check]:
    """The long chain."""
    answers, errors = {}, {}
    for library in chosen_libraries(options, big.LIBRARIES):
        answer = big.measure(library, options.nodes, options.timeout)
        if "error" in answer:
            errors[library] = answer["error"]
        else:
            answers[library] = answer
    text, checks = report.big_table(options.nodes, answers, errors)
    document.update(nodes=options.nodes, libraries=answers, errors=errors)
    print(text, end="\n\n")
    return checks


COMMANDS = {"run": run, "memory": measure_memory, "startup": measure_startup, "big": measure_big}


def write(options: argparse.Namespace, document: dict[str, Any]) -> None:
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return 1 where a bar was missed, 2 for bad usage."""
    options = parser().parse_args(arguments)
    pin_to_one_core()
    document: dict[str, Any] = {"command": options.command, "python": platform.python_version(), "machine": platform.platform()}
    try:
        checks = COMMANDS[options.command](options, document)
    except ValueError as error:
        print(f"python -m benchmarks: {error}", file=sys.stderr)
        return 2
    document["checks"] = [asdict(check) | {"passed": check.passed} for check in checks]
    write(options, document)
    missed = [check for check in checks if not check.passed]
    print(f"{len(checks) - len(missed)} of {len(checks)} bars passed")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
