"""Prints, as JSON Schema, every document of a log as the installed Inspect reads it: {name: schema}."""

import json
import sys
from typing import Any

from inspect_ai.log._log import EvalLog, EvalSample, EvalSampleReductions, EvalSampleSummary
from inspect_ai.log._recorders.eval import LogStart
from pydantic import TypeAdapter


def main() -> None:
    found: dict[str, Any] = {}
    for model in (LogStart, EvalLog, EvalSample, EvalSampleSummary, EvalSampleReductions):
        schema = TypeAdapter(model).json_schema(mode="validation")
        found.update(schema.pop("$defs", {}))
        found[model.__name__] = schema
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
