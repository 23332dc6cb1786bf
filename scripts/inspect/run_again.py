"""Runs the case `again`: its first attempt fails, its second one is killed with SIGKILL.

  python run_again.py eval-retry|eval-set --log-dir D --ledger F [--buffer N] [--shared S]

`eval-retry` runs each attempt in a process of its own, as people do; `eval-set` runs both in one.
"""

import argparse
import glob
import os
import subprocess
import sys
import threading
from typing import Any

import scripted
from cases import CASES
from inspect_ai import Task, eval, eval_retry, eval_set, task
from inspect_ai.dataset import MemoryDataset
from ledger import Ledger, tap_buffer
from run_eval import SCORERS, kill_when_due

CASE = CASES["again"]()


@task
def again() -> Task:
    return Task(
        dataset=MemoryDataset(CASE.samples, name="again"),
        solver=scripted.follow_plan(),
        scorer=[SCORERS[name]() for name in CASE.scorers],
    )


def main() -> None:
    args = parse_args()
    if args.how == "eval-retry" and args.attempt == 1:
        first_attempt(args)
        return
    ledger = scripted.LEDGER = Ledger(args.ledger, args.kill_at_line)
    tap_buffer(ledger)
    if args.how == "eval-set":
        CASE.ended = 4  # the process has also seen the end of the sample that is reused
    threading.Thread(target=kill_when_due, args=(CASE, ledger), daemon=True).start()
    common: dict[str, Any] = {"log_dir": args.log_dir, "max_samples": CASE.max_samples, "display": "none"}
    common |= {"log_buffer": args.buffer, "log_shared": args.shared}
    if args.how == "eval-retry":
        [log] = glob.glob(f"{args.log_dir}/*.eval")
        eval_retry(log, **common)
    else:
        roles = {"grader": "scripted/grader"}
        eval_set([again()], model="scripted/main", model_roles=roles, retry_attempts=2, retry_wait=1, **common)
    raise SystemExit("the second attempt ended before it was killed")


def first_attempt(args: argparse.Namespace) -> None:
    """Runs the eval until its error ends it, and starts its retry in a process of its own."""
    scripted.LEDGER = Ledger(os.devnull)
    roles = {"grader": "scripted/grader"}
    [log] = eval(again(), model="scripted/main", model_roles=roles, log_dir=args.log_dir, max_samples=4, display="none")
    if log.status != "error":
        raise SystemExit(f"the first attempt ended with {log.status}")
    retry = subprocess.run([sys.executable, *sys.argv, "--attempt", "2"], env={**os.environ, "SCRIPTED_ATTEMPT": "2"})
    if retry.returncode < 0:
        os.kill(os.getpid(), -retry.returncode)
    raise SystemExit(retry.returncode)


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("how", choices=["eval-retry", "eval-set"])
    parser.add_argument("--log-dir", required=True)
    parser.add_argument("--ledger", required=True)
    parser.add_argument("--attempt", type=int, default=1)
    parser.add_argument("--kill-at-line", type=int)
    parser.add_argument("--buffer", type=int, default=CASE.log_buffer)
    parser.add_argument("--shared", type=int)
    return parser.parse_args()


if __name__ == "__main__":
    main()
