"""The outside witness of a run: what the live process knew, one JSON line each.

Lines are appended with one unbuffered write, so a SIGKILL keeps every line that
was written before it. Nothing here is read by Inspect: it is the truth that a
recovered log is compared with.
"""

import json
import os
import signal
import threading
from typing import Any


class Ledger:
    def __init__(self, path: str, kill_at_line: int | None = None) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_TRUNC, 0o644)
        self._lock = threading.Lock()
        self._kill_at_line = kill_at_line
        self.lines = 0
        self.ended: set[tuple[str, int]] = set()
        self.removed: set[tuple[str, int]] = set()
        self.holding: set[tuple[str, int]] = set()
        self.attempts: dict[tuple[str, int], int] = {}

    def write(self, kind: str, **fields: Any) -> None:
        line = json.dumps({"t": kind, **fields}, ensure_ascii=False) + "\n"
        with self._lock:
            os.write(self._file, line.encode())
            self.lines += 1
            if self._kill_at_line is not None and self.lines >= self._kill_at_line:
                os.kill(os.getpid(), signal.SIGKILL)


def tap_buffer(ledger: Ledger) -> None:
    """Notes each buffer write after Inspect committed it."""
    from inspect_ai.log._recorders.buffer.database import SampleBufferDatabase as Buffer

    start, events, complete, remove = (
        Buffer.start_sample,
        Buffer.log_events,
        Buffer.complete_sample,
        Buffer.remove_samples,
    )

    def start_sample(self: Any, sample: Any) -> None:
        start(self, sample)
        key = (str(sample.id), sample.epoch)
        ledger.removed.discard(key)
        ledger.ended.discard(key)
        ledger.holding.discard(key)
        ledger.write("start", id=sample.id, epoch=sample.epoch, uuid=sample.uuid)

    def log_events(self: Any, rows: Any) -> None:
        events(self, rows)
        for row in rows:
            event = row.event
            fields: dict[str, Any] = {"id": row.id, "epoch": row.epoch, "uuid": event.uuid, "event": event.event}
            if event.pending:
                fields["pending"] = True
            if event.event == "store":
                fields["changes"] = [c.model_dump(by_alias=True) for c in event.changes]
            if event.event == "model" and event.output.usage is not None:
                fields["usage"] = event.output.usage.model_dump(exclude_none=True)
                fields["model"] = event.model
            ledger.write("event", **fields)

    def complete_sample(self: Any, summary: Any, **rest: Any) -> None:
        complete(self, summary, **rest)
        ledger.ended.add((str(summary.id), summary.epoch))
        ledger.holding.discard((str(summary.id), summary.epoch))
        ledger.write(
            "complete", id=summary.id, epoch=summary.epoch, messages=getattr(summary, "message_count", None)
        )

    def remove_samples(self: Any, samples: Any) -> None:
        remove(self, samples)
        ledger.removed.update((str(id), epoch) for id, epoch in samples)
        ledger.write("remove", samples=[list(s) for s in samples])

    Buffer.start_sample = start_sample
    Buffer.log_events = log_events
    Buffer.complete_sample = complete_sample
    Buffer.remove_samples = remove_samples
