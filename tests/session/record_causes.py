"""Record where and how PyTorch 2.13 refuses ``causes/*.py``. Needs torch: python tests/session/record_causes.py"""

import json
import re
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).parent


def refusal(path: Path) -> dict[str, object]:
    """The type and the line of the error, and the versions that its text names."""
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        versions = re.search(r"is at version (\d+); expected version (\d+)", str(error))
        return {
            "type": type(error).__name__,
            "line": lines[-1],
            "versions": None if versions is None else [int(versions[2]), int(versions[1])],
        }
    raise AssertionError(f"PyTorch runs {path.name}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found = {path.stem: refusal(path) for path in sorted((HERE / "causes").glob("*.py"))}
    (HERE / "causes.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(len(found), "scripts")
