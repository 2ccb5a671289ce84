"""The quick selection of the faults that `./lab survive` tries: each kind, at some of its calls.

usage: sweep.py PROGRAM LIBRARY
"""

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

from survive_faults import RUNNING, STARTING, STOPPING, Fault, faults_of  # noqa: E402
from survive_sweep import Sweep, make_files  # noqa: E402

# Every so-many-th call. Each fault strikes the first, and where a call is made once no other.
STEP = 5
# A server allocates some thousand times before it listens, and each try is a start.
STEP_OF_STARTS = 151
# After these a server pauses for its descriptors, and each of them in the same way.
PAUSES = ("ENFILE", "ENOBUFS", "ENOMEM")


def main() -> int:
    program, library = map(Path, sys.argv[1:3])
    scale = float(os.environ.get("STAGECRAFT_TIME_SCALE", "1"))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder))
        sweep = Sweep(program, library, Path(folder), step=STEP, time_scale=scale)
        running = [
            fault
            for fault in faults_of(RUNNING)
            if not (fault.call == "accept" and fault.error in PAUSES)
        ]
        swept = sweep.running(running)
        swept += sweep.stopping([f for f in faults_of(STOPPING) if f.call != "memory"])
        starts = Sweep(program, library, Path(folder), step=STEP_OF_STARTS, time_scale=scale)
        swept += starts.starting(faults_of(STARTING))
        swept += starts.stopping([Fault("memory", "ENOMEM")])
    complaints = [text for each in swept for text in each.complaints]
    print("\n".join(complaints[:20]))
    struck = sum(each.struck for each in swept)
    seconds = time.monotonic() - began
    print(f"{program.name}: {struck} faults, {len(complaints)} complaints, {seconds:.0f} s")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
