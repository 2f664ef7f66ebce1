"""Record which lines of ``warning_cases.py`` PyTorch 2.13 warns about. Needs torch: python tests/session/record_warnings.py"""

import json
import subprocess
import sys
from pathlib import Path

from warning_cases import all_cases, script_of

HERE = Path(__file__).parent
# PyTorch warns of many things once a process, so each script has one of its own; its last line says what was heard.
RUN = """
import json, sys, traceback, warnings
heard = set()
def hear(message, category, filename, lineno, *more):
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename != "case":
        frame = frame.f_back
    heard.add(frame.f_lineno if frame else lineno)
warnings.simplefilter("always")
warnings.showwarning = hear
exec(compile(sys.argv[1], "case", "exec"), {"__name__": "__main__"})
print(json.dumps(sorted(heard)))
"""

if __name__ == "__main__":
    found = {}
    for _, case in all_cases():
        done = subprocess.run([sys.executable, "-c", RUN, script_of(case)[0]], capture_output=True, text=True, check=True)
        found[case] = json.loads(done.stdout.splitlines()[-1])
        print(found[case], script_of(case)[1], case.splitlines()[-1])
    (HERE / "warnings.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
