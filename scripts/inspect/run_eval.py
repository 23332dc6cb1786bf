"""Runs one case with Inspect, and kills the process with SIGKILL where the case says so.

  python run_eval.py <case> --log-dir D --ledger F [--kill-at-line N] [--shared S]
"""

import argparse
import os
import signal
import threading
import time
from typing import Any

try:
    import zipfile_zstd  # noqa: F401  (0.3.180 with INSPECT_USE_ZSTD needs it before Inspect itself)
except ImportError:
    pass  # newer Pythons read zstd by themselves

import scripted
from cases import CASES, Case
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log._samples import active_samples
from inspect_ai.scorer import includes
from inspect_ai.util._store import store_jsonable
from ledger import Ledger, tap_buffer

SCORERS = {"includes": includes, "graded": scripted.graded}


def main() -> None:
    args = parse_args()
    case = CASES[args.case]()
    ledger = scripted.LEDGER = Ledger(args.ledger, args.kill_at_line)
    tap_buffer(ledger)
    if case.ended is not None:
        threading.Thread(target=kill_when_due, args=(case, ledger), daemon=True).start()
    task = Task(
        dataset=MemoryDataset(case.samples, name=args.case),
        solver=scripted.follow_plan(),
        scorer=[SCORERS[name]() for name in case.scorers],
        epochs=case.epochs,
        name=args.case,
        **({"metadata": case.task_args["metadata"]} if "metadata" in case.task_args else {}),
    )
    [log] = eval(
        task,
        model="scripted/main",
        model_roles={"grader": "scripted/grader"},
        log_dir=args.log_dir,
        log_buffer=case.log_buffer,
        log_shared=args.shared if args.shared is not None else case.log_shared,
        max_samples=case.max_samples,
        tags=case.task_args.get("tags"),
        display="none",
        **case.eval_args,
    )
    ledger.write("finished", status=log.status)


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=sorted(CASES))
    parser.add_argument("--log-dir", required=True)
    parser.add_argument("--ledger", required=True)
    parser.add_argument("--kill-at-line", type=int)
    parser.add_argument("--shared", type=int)
    return parser.parse_args()


def kill_when_due(case: Case, ledger: Ledger) -> None:
    """Waits until the case's state is reached and nothing more happens, then kills this process."""
    quiet_since, lines = time.monotonic(), -1
    while True:
        time.sleep(0.05)
        due = len(ledger.ended) == case.ended and len(ledger.holding) == case.holding
        if not due or ledger.lines != lines:
            quiet_since, lines = time.monotonic(), ledger.lines
        elif time.monotonic() - quiet_since >= case.settle:
            ledger.write("crash", pid=os.getpid(), live=[live(sample) for sample in active_samples()])
            os.kill(os.getpid(), signal.SIGKILL)


def live(active: Any) -> dict[str, Any]:
    """What the process holds in memory of a running sample."""
    state = scripted.STATES[(str(active.sample.id), active.epoch)]
    return {
        "id": active.sample.id,
        "epoch": active.epoch,
        "events": len(active.transcript.events),
        "messages": len(state.messages),
        "store": store_jsonable(state.store),
    }


if __name__ == "__main__":
    main()
