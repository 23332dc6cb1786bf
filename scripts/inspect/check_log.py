"""Reads a log with nothing but Inspect's own API and prints what it found, as JSON.

  python check_log.py <log> [--full]

Every way that Inspect has to read a log is used: whole, header only, sample by
sample, summaries, `inspect log dump`, `inspect log list` and the data frames.
`problems` names each way that failed or disagrees with the others: it is empty
for a good log. `--full` adds texts (scores, errors, stores, messages) to the
numbers, for a comparison with another log of the same run.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import traceback
from importlib.metadata import version
from typing import Any, Callable

PROBLEMS: list[str] = []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()
    path = os.path.abspath(args.log)
    report: dict[str, Any] = {"inspect": version("inspect-ai"), "log": os.path.basename(path)}
    for name, step in STEPS.items():
        report[name] = attempt(name, lambda step=step: step(path, args.full))
    compare(report)
    report["problems"] = PROBLEMS
    json.dump(strict(report), sys.stdout, indent=2, ensure_ascii=False, default=str)
    sys.stdout.write("\n")


def attempt(name: str, step: Callable[[], Any]) -> Any:
    try:
        return step()
    except Exception as error:  # whatever a reader raises is the finding
        PROBLEMS.append(f"{name}: {type(error).__name__}: {error}")
        traceback.print_exc(file=sys.stderr)
        return None


def read_whole(path: str, full: bool) -> dict[str, Any]:
    from inspect_ai.log import read_eval_log

    log = read_eval_log(path, resolve_attachments=True)
    return {**describe_header(log), "samples": [describe_sample(s, full) for s in log.samples or []]}


def read_header(path: str, full: bool) -> dict[str, Any]:
    from inspect_ai.log import read_eval_log

    return describe_header(read_eval_log(path, header_only=True))


def read_each_sample(path: str, full: bool) -> list[dict[str, Any]]:
    from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries

    found = []
    for summary in read_eval_log_sample_summaries(path):
        sample = read_eval_log_sample(path, summary.id, summary.epoch, resolve_attachments=True)
        found.append(describe_sample(sample, full))
    return found


def read_summaries(path: str, full: bool) -> list[dict[str, Any]]:
    from inspect_ai.log import read_eval_log_sample_summaries

    return [
        {
            "id": s.id,
            "epoch": s.epoch,
            "uuid": s.uuid,
            "completed": s.completed,
            "error": s.error,
            "limit": s.limit,
            "retries": s.retries,
            "messages": getattr(s, "message_count", None),
            "scores": {name: plain(score.value) for name, score in (s.scores or {}).items()},
            "usage": usage_of(s.model_usage),
        }
        for s in read_eval_log_sample_summaries(path)
    ]


def read_dump(path: str, full: bool) -> dict[str, Any]:
    dumped = json.loads(command(["log", "dump", path]))
    samples = dumped.get("samples") or []
    return {
        "status": dumped["status"],
        "samples": len(samples),
        "events": sum(len(s["events"]) for s in samples),
        "messages": sum(len(s["messages"]) for s in samples),
    }


def read_list(path: str, full: bool) -> dict[str, Any]:
    listed = json.loads(command(["log", "list", "--json", "--log-dir", os.path.dirname(path)]))
    [mine] = [item for item in listed if os.path.basename(item["name"]) == os.path.basename(path)]
    return {key: mine.get(key) for key in ("type", "size", "task", "task_id", "suffix")}


def read_data_frames(path: str, full: bool) -> dict[str, Any]:
    from inspect_ai.analysis import evals_df, events_df, messages_df, samples_df

    evals, samples, events = evals_df([path]), samples_df([path], full=True), events_df([path])
    # Of a log in which no model was asked yet, messages_df makes a frame without columns, and fails on it.
    has_models = len(events) > 0 and (events["event"] == "model").any()
    messages = messages_df([path]) if has_models else []
    return {
        "evals": len(evals),
        "samples": len(samples),
        "messages": len(messages),
        "events": len(events),
        "status": str(evals["status"].iloc[0]) if len(evals) else None,
        "errors": sum(1 for error in samples.get("error", []) if isinstance(error, str) and error),
        "tokens": int(samples["total_tokens"].fillna(0).sum()) if "total_tokens" in samples else 0,
        "eventsByType": {str(k): int(v) for k, v in events["event"].value_counts().items()} if len(events) else {},
    }


STEPS: dict[str, Callable[[str, bool], Any]] = {
    "whole": read_whole,
    "header": read_header,
    "each": read_each_sample,
    "summaries": read_summaries,
    "dump": read_dump,
    "list": read_list,
    "dataFrames": read_data_frames,
}


def command(args: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", *args], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"inspect {' '.join(args[:2])} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def describe_header(log: Any) -> dict[str, Any]:
    results = log.results
    return {
        "version": log.version,
        "status": log.status,
        "error": log.error.message if log.error else None,
        "eval": {
            "task": log.eval.task,
            "taskId": log.eval.task_id,
            "evalId": log.eval.eval_id,
            "runId": log.eval.run_id,
            "created": log.eval.created,
            "model": log.eval.model,
            "epochs": log.eval.config.epochs,
            "sampleIds": log.eval.dataset.sample_ids,
            "inspect": log.eval.packages.get("inspect_ai"),
        },
        "steps": [step.solver for step in log.plan.steps],
        "results": None
        if results is None
        else {
            "total": results.total_samples,
            "completed": results.completed_samples,
            "scores": [describe_score_results(score) for score in results.scores],
        },
        "usage": usage_of(log.stats.model_usage),
        "roleUsage": usage_of(getattr(log.stats, "role_usage", None) or {}),
    }


def describe_score_results(score: Any) -> dict[str, Any]:
    return {
        "name": score.name,
        "scorer": score.scorer,
        "reducer": score.reducer,
        "scored": score.scored_samples,
        "unscored": score.unscored_samples,
        "metrics": {name: plain(metric.value) for name, metric in score.metrics.items()},
    }


def describe_sample(sample: Any, full: bool) -> dict[str, Any]:
    by_type: dict[str, int] = {}
    for event in sample.events:
        by_type[event.event] = by_type.get(event.event, 0) + 1
    models = [event for event in sample.events if event.event == "model"]
    found: dict[str, Any] = {
        "id": sample.id,
        "epoch": sample.epoch,
        "uuid": sample.uuid,
        "messages": len(sample.messages),
        "emptyMessages": sum(1 for m in sample.messages if m.role == "assistant" and not m.text and not m.tool_calls),
        "messagesDigest": digest([[m.role, m.text] for m in sample.messages]),
        "events": len(sample.events),
        "eventsByType": dict(sorted(by_type.items())),
        "eventIds": [event.uuid for event in sample.events],
        "pending": sum(1 for event in sample.events if event.pending),
        "modelInputs": [len(event.input) for event in models],
        "modelCallMessages": [len(request_messages(event)) for event in models],
        "inputDigest": digest(to_plain(sample.input)),
        "metadataDigest": digest(sample.metadata),
        "scores": {name: plain(score.value) for name, score in (sample.scores or {}).items()},
        "scoresDigest": digest(to_plain(sample.scores)),
        "error": sample.error.message if sample.error else None,
        "retries": len(sample.error_retries or []),
        "limit": [sample.limit.type, sample.limit.limit] if sample.limit else None,
        "usage": usage_of(sample.model_usage),
        "roleUsage": usage_of(getattr(sample, "role_usage", None) or {}),
        "store": sorted(sample.store),
        "storeDigest": digest(sample.store),
        "attachmentsLeft": dangling(sample),
        "completion": sample.output.completion[:60],
    }
    if full:
        found["full"] = {
            "messages": [[m.role, m.text] for m in sample.messages],
            "store": sample.store,
            "metadata": sample.metadata,
            "scores": to_plain(sample.scores),
            "errorTraceback": sample.error.traceback if sample.error else None,
            "errorRetries": [retry.message for retry in sample.error_retries or []],
        }
    return found


def request_messages(event: Any) -> list[Any]:
    request = event.call.request if event.call else {}
    return request.get("messages") or []


def dangling(sample: Any) -> int:
    """References that were not resolved: text is missing where they stand."""
    return json.dumps(to_plain(sample.events) + to_plain(sample.messages)).count("attachment://")


def usage_of(usage: Any) -> dict[str, Any]:
    return {model: use.model_dump(exclude_none=True) for model, use in (usage or {}).items()}


def to_plain(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, exclude_none=True, fallback=lambda _: None)


def plain(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and value != value else value


def strict(value: Any) -> Any:
    """The same without NaN, which JSON does not know."""
    if isinstance(value, dict):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(item) for item in value]
    return plain(value)


def digest(value: Any) -> str:
    text = json.dumps(to_plain(value), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def compare(report: dict[str, Any]) -> None:
    """Names each way of reading that disagrees with the whole log."""
    whole = report["whole"]
    if whole is None:
        return
    samples = whole["samples"]
    expect("header", report["header"], {k: v for k, v in whole.items() if k != "samples"})
    order = lambda items: sorted(items or [], key=lambda s: (str(s["id"]), s["epoch"]))  # noqa: E731
    expect("each", order(report["each"]), order(samples))
    keys = lambda items: [(str(s["id"]), s["epoch"]) for s in order(items)]  # noqa: E731
    expect("summaries", keys(report["summaries"]), keys(samples))
    for found, sample in zip(order(report["summaries"]), order(samples)):
        for field in ("uuid", "scores", "error", "usage"):
            expect(f"summary {sample['id']}/{sample['epoch']} {field}", found[field], sample[field])
        if found["messages"] is not None:
            expect(f"summary {sample['id']}/{sample['epoch']} messages", found["messages"], sample["messages"])
    totals = {
        "samples": len(samples),
        "events": sum(s["events"] for s in samples),
        "messages": sum(s["messages"] for s in samples),
    }
    expect("dump", {k: (report["dump"] or {}).get(k) for k in totals}, totals)
    frames = report["dataFrames"] or {}
    for kind in ("samples", "events"):
        expect(f"dataFrames {kind}", frames.get(kind), totals[kind])
    # messages_df reads them from model events, so it also holds those of other roles and compacted ones, and none of
    # samples that never called a model. Fewer rows mean that messages of different samples share an id: data frames
    # keep one row per id.
    spoken = sum(s["messages"] for s in samples if s["events"] == 0 or s["eventsByType"].get("model"))
    if (frames.get("messages") or 0) < spoken:
        PROBLEMS.append(f"dataFrames has {frames.get('messages')} messages, fewer than the samples' {spoken}")
    expect("dataFrames evals", frames.get("evals"), 1)
    for sample in samples:
        if sample["attachmentsLeft"]:
            PROBLEMS.append(f"sample {sample['id']}/{sample['epoch']}: {sample['attachmentsLeft']} dangling references")


def expect(what: str, found: Any, wanted: Any) -> None:
    if found != wanted:
        PROBLEMS.append(f"{what} disagrees: {json.dumps(found, default=str)[:300]} instead of {json.dumps(wanted, default=str)[:300]}")


if __name__ == "__main__":
    main()
