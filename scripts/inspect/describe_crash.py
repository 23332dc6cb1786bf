"""Writes down what a killed run left behind, next to what the live process knew.

  python describe_crash.py --ledger F --log-dir D --data-dir D

Prints the JSON that becomes `expected.json` (see test/golden/inspect/README.md).
"""

import argparse
import glob
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from importlib.metadata import version
from typing import Any

import inspect_ai.log._recorders.eval  # noqa: F401  (teaches zipfile to read zstd)

Key = tuple[str, int]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ledger", required=True)
    parser.add_argument("--log-dir", required=True)
    parser.add_argument("--data-dir", required=True)
    args = parser.parse_args()
    log = crashed_log(glob.glob(f"{args.log_dir}/*.eval"))
    with open(args.ledger, encoding="utf-8") as file:
        ledger = [json.loads(line) for line in file]
    archive = read_archive(log)
    database = read_database(args.data_dir, log)
    filestore = read_filestore(log)
    samples = describe_samples(ledger, archive, database)
    print(
        json.dumps(
            {
                "inspect": version("inspect-ai"),
                "log": os.path.basename(log),
                "eval": archive["eval"],
                "members": archive["members"],
                "finished": archive["finished"],
                "totals": totals(samples),
                "samples": samples,
                "database": database,
                "filestore": filestore,
            },
            indent=1,
            ensure_ascii=False,
        )
    )


def crashed_log(logs: list[str]) -> str:
    """The one that was written last: a retry stands beside the log of the attempt before it."""
    return max(logs, key=lambda path: (os.path.getmtime(path), path))


def read_archive(log: str) -> dict[str, Any]:
    with zipfile.ZipFile(log) as archive:
        names = archive.namelist()
        start = json.loads(archive.read("_journal/start.json"))
        methods = sorted({info.compress_type for info in archive.infolist()})
        held = [name for name in names if name.startswith("samples/")]
        uuids = {name: json.loads(archive.read(name)).get("uuid") for name in held}
    spec = start["eval"]
    return {
        "members": {"names": names, "methods": methods},
        "finished": "header.json" in names,
        "uuids": uuids,
        "eval": {
            "task": spec["task"],
            "taskId": spec["task_id"],
            "evalId": spec["eval_id"],
            "runId": spec["run_id"],
            "created": spec["created"],
            "sampleIds": spec["dataset"]["sample_ids"],
            "epochs": spec["config"].get("epochs") or 1,
        },
    }


def read_database(data_dir: str, log: str) -> dict[str, Any] | None:
    """Rows per sample, counted in a copy: opening the original would fold its WAL in."""
    found = glob.glob(f"{data_dir}/inspect_ai/samplebuffer/*/{glob.escape(os.path.basename(log))}.*.db")
    if not found:
        return None
    [path] = found
    files = {kind: os.path.getsize(path + kind) for kind in ("", "-wal", "-journal") if os.path.exists(path + kind)}
    with tempfile.TemporaryDirectory() as copy_dir:
        for kind in files:
            shutil.copy(path + kind, f"{copy_dir}/copy.db{kind}")
        connection = sqlite3.connect(f"{copy_dir}/copy.db")
        try:
            return {
                "directory": os.path.basename(os.path.dirname(path)),
                "file": os.path.basename(path),
                "pid": int(path.split(".")[-2]),
                "bytes": {"db" + kind: size for kind, size in files.items()},
                "tables": table_columns(connection),
                "journalMode": connection.execute("PRAGMA journal_mode").fetchone()[0],
                "samples": database_samples(connection),
                "orphans": orphan_events(connection),
            }
        finally:
            connection.close()


def table_columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in names if name != "sqlite_sequence"}


def database_samples(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    tables = table_columns(connection)
    found = []
    for id, epoch, data in connection.execute("SELECT id, epoch, data FROM samples ORDER BY epoch, id").fetchall():
        where = "WHERE sample_id = ? AND sample_epoch = ?"
        count = lambda table: connection.execute(f"SELECT count(*) FROM {table} {where}", (id, epoch)).fetchone()[0]  # noqa: E731
        summary = json.loads(data)
        found.append(
            {
                "id": id,
                "epoch": epoch,
                "completed": summary.get("completed_at") is not None,
                "eventRows": count("events"),
                "events": connection.execute(f"SELECT count(DISTINCT event_id) FROM events {where}", (id, epoch)).fetchone()[0],
                "attachments": count("attachments"),
                "messages": count("message_pool") if "message_pool" in tables else None,
                "calls": count("call_pool") if "call_pool" in tables else None,
                "store": rebuild_store(connection, id, epoch),
                "keys": sorted(summary),
            }
        )
    return found


def rebuild_store(connection: sqlite3.Connection, id: str, epoch: int) -> Any:
    """The store as the committed events know it.

    When a span ends, its store event repeats every change of the spans inside it. So a store event counts
    only if no span around its own has ended; what an open span changed by itself is in no event yet.
    """
    import jsonpatch

    where = "WHERE sample_id = ? AND sample_epoch = ? ORDER BY id"
    texts = dict(connection.execute(f"SELECT hash, content FROM attachments {where}", (id, epoch)).fetchall())
    latest: dict[str, Any] = {}
    for event_id, data in connection.execute(f"SELECT event_id, data FROM events {where}", (id, epoch)):
        latest[event_id] = json.loads(data)
    parents = {e["id"]: e.get("parent_id") for e in latest.values() if e["event"] == "span_begin"}
    ended = {e["id"] for e in latest.values() if e["event"] == "span_end"}
    store: Any = {}
    for event in latest.values():
        if event["event"] == "store" and not is_covered(parents.get(event.get("span_id")), parents, ended):
            store = jsonpatch.apply_patch(store, [patch_of(change, texts) for change in event["changes"]])
    return store


def is_covered(span: str | None, parents: dict[str, str | None], ended: set[str]) -> bool:
    while span is not None:
        if span in ended:
            return True
        span = parents.get(span)
    return False


def patch_of(change: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    return {**{k: v for k, v in change.items() if k in ("op", "path", "from")}, "value": inline(change.get("value"), texts)}


def inline(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, str) and value.startswith("attachment://"):
        return texts.get(value[len("attachment://") :], value)
    if isinstance(value, list):
        return [inline(item, texts) for item in value]
    if isinstance(value, dict):
        return {key: inline(item, texts) for key, item in value.items()}
    return value


def orphan_events(connection: sqlite3.Connection) -> list[list[Any]]:
    """Samples that have events but no row of their own yet."""
    query = "SELECT sample_id, sample_epoch, count(*) FROM events WHERE NOT EXISTS (SELECT 1 FROM samples WHERE id = sample_id AND epoch = sample_epoch) GROUP BY 1, 2"
    return [list(row) for row in connection.execute(query)]


def read_filestore(log: str) -> dict[str, Any] | None:
    base = f"{os.path.dirname(log)}/.buffer/{os.path.basename(log)[: -len('.eval')]}"
    if not os.path.exists(f"{base}/manifest.json"):
        return None
    with open(f"{base}/manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    rows: dict[Key, dict[str, Any]] = {}
    segments = sorted(glob.glob(f"{glob.escape(base)}/segment.*.zip"), key=lambda p: int(p.split(".")[-2]))
    for path in segments:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                add_segment(rows, json.loads(archive.read(name)), int(path.split(".")[-2]))
    listed = {(str(s["summary"]["id"]), s["summary"]["epoch"]): s for s in manifest["samples"]}
    return {
        "files": sorted(os.path.basename(path) for path in glob.glob(f"{glob.escape(base)}/*")),
        "samples": [
            {
                "id": id,
                "epoch": epoch,
                "inManifest": (id, epoch) in listed,
                "completed": listed.get((id, epoch), {}).get("summary", {}).get("completed_at") is not None,
                "manifestSegments": [s if isinstance(s, int) else s["id"] for s in listed.get((id, epoch), {}).get("segments", [])],
                "segments": row["segments"],
                "eventRows": row["rows"],
                "events": len(row["events"]),
                "attachments": len(row["attachments"]),
                "messages": len(row["messages"]),
                "calls": len(row["calls"]),
            }
            for (id, epoch), row in sorted(rows.items())
        ],
    }


def add_segment(rows: dict[Key, dict[str, Any]], data: dict[str, Any], segment: int) -> None:
    """Counts each kind by its row id, so a row that two segments repeat counts once."""
    for kind, bucket in (("events", "events"), ("attachments", "attachments"), ("message_pool", "messages"), ("call_pool", "calls")):
        for item in data.get(kind, []):
            key = (str(item["sample_id"]), item["epoch"])
            row = rows.setdefault(key, {"rows": 0, "segments": [], "events": set(), "attachments": set(), "messages": set(), "calls": set()})
            if segment not in row["segments"]:
                row["segments"].append(segment)
            if kind == "events":
                row["rows"] += 1
            row[bucket].add(item["event_id"] if kind == "events" else item["id"])


def describe_samples(ledger: list[dict[str, Any]], archive: dict[str, Any], database: dict[str, Any] | None) -> list[dict[str, Any]]:
    live = {(str(s["id"]), s["epoch"]): s for line in ledger if line["t"] == "crash" for s in line["live"]}
    buffered = {(s["id"], s["epoch"]): s for s in (database or {}).get("samples", [])}
    spec = archive["eval"]
    found = []
    for epoch in range(1, spec["epochs"] + 1):
        for id in spec["sampleIds"]:
            lines = [line for line in ledger if line.get("id") == id and line.get("epoch") == epoch]
            flushed = is_flushed(f"samples/{id}_epoch_{epoch}.json", archive, lines)
            found.append(describe_sample(id, epoch, lines, state_of(lines, flushed), live.get((str(id), epoch)), (str(id), epoch) in buffered))
    return found


def is_flushed(member: str, archive: dict[str, Any], lines: list[dict[str, Any]]) -> bool:
    """A retry begins with the records of the attempt before it: such a one is stale once its sample is started again."""
    if member not in archive["members"]["names"]:
        return False
    starts = [line["uuid"] for line in lines if line["t"] == "start"]
    return not starts or starts[-1] is None or starts[-1] == archive["uuids"][member]


def state_of(lines: list[dict[str, Any]], flushed: bool) -> str:
    if flushed:
        return "flushed"
    if not any(line["t"] in ("start", "event") for line in lines):
        return "unstarted"
    last = [line["t"] for line in lines if line["t"] in ("start", "complete")]
    return "completed" if last and last[-1] == "complete" else "running"


def describe_sample(
    id: Any, epoch: int, lines: list[dict[str, Any]], state: str, live: dict[str, Any] | None, in_database: bool
) -> dict[str, Any]:
    starts = [n for n, line in enumerate(lines) if line["t"] == "event" and line["event"] == "sample_init"]
    # The init span opens just before the sample_init event: the last attempt begins there.
    attempt = lines[starts[-1] - 1 :] if starts else lines
    events: dict[str, dict[str, Any]] = {}
    for line in attempt:
        if line["t"] == "event":
            events[line["uuid"]] = line
    by_type: dict[str, int] = {}
    for event in events.values():
        by_type[event["event"]] = by_type.get(event["event"], 0) + 1
    calls = [line for line in lines if line["t"] == "call"]
    found: dict[str, Any] = {
        "id": id,
        "epoch": epoch,
        "state": state,
        "inDatabase": in_database,
        "uuid": next((line["uuid"] for line in reversed(lines) if line["t"] == "start"), None),
        "attempts": max((line["attempt"] for line in lines if line["t"] == "attempt"), default=0),
        "events": len(events),
        "eventRows": sum(1 for line in attempt if line["t"] == "event"),
        "eventsByType": dict(sorted(by_type.items())),
        "eventIds": list(events),
        "pendingEventIds": [uuid for uuid, event in events.items() if event.get("pending")],
        "modelCalls": [{k: call[k] for k in ("attempt", "role", "turn", "text", "usage")} for call in calls],
        "hold": next((line["where"] for line in lines if line["t"] == "hold"), None),
    }
    if live is not None:
        found["live"] = {k: live[k] for k in ("events", "messages", "store")}
    return found


def totals(samples: list[dict[str, Any]]) -> dict[str, int]:
    found = {"samples": len(samples), "flushed": 0, "completed": 0, "running": 0, "unstarted": 0}
    for sample in samples:
        found[sample["state"]] += 1
    found["events"] = sum(s["events"] for s in samples)
    found["modelCalls"] = sum(len(s["modelCalls"]) for s in samples)
    return found


if __name__ == "__main__":
    main()
