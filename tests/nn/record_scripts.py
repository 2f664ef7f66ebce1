"""Record what PyTorch 2.13 prints for ``scripts/*.py``, beside each script. Needs torch: python tests/nn/record_scripts.py"""

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    for script in sorted((Path(__file__).parent / "scripts").glob("*.py")):
        run = subprocess.run([sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, check=True)
        script.with_suffix(".txt").write_text(run.stdout, encoding="utf-8")
        print(script.name, len(run.stdout.splitlines()), "lines")
