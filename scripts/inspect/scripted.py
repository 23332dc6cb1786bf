"""A model, tools, a solver and a scorer that do what a sample's plan says.

A plan is data in the sample's metadata:

  turns           one entry per model call of the main conversation:
                    say      text (or `length` and `seed` for filler)
                    tool     [name, arguments] to call
                    think    reasoning text
                    delay    seconds before the answer
                    tokens   that the answer costs beyond the usual
                    hold     never answers: the call is in flight at the crash
                             (`hold_epochs`, `hold_attempts`: only in these)
  fail_attempts   attempts (1-based) in which the solver raises after the turns; where an eval is retried
                  in a process of its own, SCRIPTED_ATTEMPT says with which number attempts begin there
  grader          asks the model of the role `grader` once
  compact         `summary` or `trim`: compacts after the turns and goes on
  score           what the scorer `graded` gives: value, or `nan`, `error`, `hold`
  on              a further user message after the first conversation, then on with the turns
  hold            waits for ever after the turns, in the solver
"""

import asyncio
import os
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.model._chat_message import ChatMessageSystem
from inspect_ai.model._model_call import ModelCall
from inspect_ai.scorer import Score, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import ToolCall, ToolError, tool
from inspect_ai.log import transcript
from inspect_ai.util import store

from ledger import Ledger
from prose import picture, prose

LEDGER: Ledger | None = None
FIRST_ATTEMPT = int(os.environ.get("SCRIPTED_ATTEMPT", "1"))
STATES: dict[tuple[str, int], TaskState] = {}  # the live state of each sample, for the last line of the ledger


def ledger() -> Ledger:
    assert LEDGER is not None
    return LEDGER


async def hold(state: TaskState, where: str) -> None:
    key = (str(state.sample_id), state.epoch)
    ledger().holding.add(key)
    ledger().write("hold", id=state.sample_id, epoch=state.epoch, where=where)
    await asyncio.Event().wait()


def holds(state: TaskState, step: dict[str, Any]) -> bool:
    """Whether a step says to wait for ever in this epoch and attempt."""
    attempt = ledger().attempts.get((str(state.sample_id), state.epoch), FIRST_ATTEMPT)
    return bool(
        step.get("hold") is True
        or state.epoch in step.get("hold_epochs", [])
        or attempt in step.get("hold_attempts", [])
    )


class ScriptedModel(ModelAPI):
    """Answers turn n of a sample with entry n of its plan, and logs the whole call."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)

    async def generate(self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig) -> Any:
        state = sample_state()
        assert state is not None
        turn = sum(1 for message in input if message.role == "assistant")
        role = "grader" if self.model_name == "grader" else "main"
        plan = state.metadata["plan"]
        step = {"say": "GRADE: C"} if role == "grader" else plan_turn(plan, turn, input)
        if "delay" in step:
            await asyncio.sleep(step["delay"])
        if holds(state, step):
            await hold(state, "model")
        output = answer(self.model_name, step, turn, len(str(input)))
        request = {"model": self.model_name, "messages": [m.model_dump(exclude_none=True) for m in input]}
        call = ModelCall.create(request, {"content": output.completion, "turn": turn})
        key = (str(state.sample_id), state.epoch)
        ledger().write(
            "call",
            id=state.sample_id,
            epoch=state.epoch,
            attempt=ledger().attempts.get(key, FIRST_ATTEMPT),
            role=role,
            turn=turn,
            text=output.completion[:60],
            usage=output.usage.model_dump(exclude_none=True),
        )
        return output, call


def plan_turn(plan: dict[str, Any], turn: int, input: list[ChatMessage]) -> dict[str, Any]:
    if input and input[-1].text.startswith("Summary so far"):
        return plan.get("after_compact", {"say": "After the summary: yes"})
    turns = plan["turns"]
    return turns[turn] if turn < len(turns) else turns[-1]


def answer(model: str, step: dict[str, Any], turn: int, size: int) -> ModelOutput:
    text = step.get("say") or prose(step.get("seed", turn + 1), step.get("length", 40))
    content: Any = text
    if "think" in step:
        content = [ContentReasoning(reasoning=step["think"], signature=f"sig-{turn}"), ContentText(text=text)]
    calls = None
    if "tool" in step:
        name, arguments = step["tool"]
        calls = [ToolCall(id=f"call_{turn}", function=name, arguments=arguments, type="function")]
    message = ChatMessageAssistant(content=content, tool_calls=calls, model=model, source="generate")
    output = ModelOutput.from_message(message, stop_reason="tool_calls" if calls else "stop")
    output.model = model
    output.usage = ModelUsage(
        input_tokens=100 + turn,
        output_tokens=10 + turn + step.get("tokens", 0),
        total_tokens=110 + 2 * turn + 5 + step.get("tokens", 0),
        input_tokens_cache_read=5,
        reasoning_tokens=3 if "think" in step else None,
    )
    return output


@modelapi(name="scripted")
def scripted_model() -> type[ModelAPI]:
    return ScriptedModel


@tool
def lookup():
    async def execute(key: str, length: int = 300) -> str:
        """Look a word up.

        Args:
            key: the word
            length: how long the answer is
        """
        return f"{key}: " + prose(len(key) + 7, length)

    return execute


@tool
def note():
    async def execute(text: str) -> str:
        """Write a note down.

        Args:
            text: what to note
        """
        notes = list(store().get("notes", []))
        notes.append(text)
        store().set("notes", notes)
        store().set("count", len(notes))
        store().set("last", {"text": text, "by": {"tool": "note", "nothing": None}})
        if len(notes) > 2:
            store().delete("last")
        return f"noted {len(notes)}"

    return execute


@tool
def look():
    async def execute(seed: int) -> list[Any]:
        """Take a picture.

        Args:
            seed: which one
        """
        return [ContentText(text="a picture"), ContentImage(image=picture(seed))]

    return execute


@tool
def wait():
    async def execute() -> str:
        """Wait for ever."""
        state = sample_state()
        assert state is not None
        await hold(state, "tool")
        return "never"

    return execute


@tool
def stumble():
    async def execute() -> str:
        """Fail."""
        raise ToolError("the tool stumbled")

    return execute


@solver
def follow_plan():
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        plan = state.metadata["plan"]
        key = (str(state.sample_id), state.epoch)
        attempt = ledger().attempts[key] = ledger().attempts.get(key, FIRST_ATTEMPT - 1) + 1
        STATES[key] = state
        ledger().write("attempt", id=state.sample_id, epoch=state.epoch, attempt=attempt)
        state.tools = [lookup(), note(), look(), wait(), stumble()]
        transcript().info({"attempt": attempt, "note": "the plan begins"}, source="scripted")
        state.store.set("attempt", attempt)
        state = await generate(state)
        if plan.get("on"):
            state.messages.append(ChatMessageUser(content="Go on."))
            state = await generate(state)
        if "compact" in plan:
            state = await compact(state, generate, plan["compact"])
        if attempt in plan.get("fail_attempts", []):
            raise RuntimeError(f"attempt {attempt} of {state.sample_id} failed as planned")
        if plan.get("grader"):
            grader = get_model(role="grader")
            graded_by = await grader.generate([ChatMessageSystem(content="You grade."), ChatMessageUser(content=state.output.completion)])
            state.metadata["grade"] = graded_by.completion
        if holds(state, plan):
            await hold(state, "solver")
        return state

    return solve


async def compact(state: TaskState, generate: Generate, kind: str) -> TaskState:
    try:
        from inspect_ai.event import CompactionEvent
    except ImportError:
        return state
    transcript()._event(CompactionEvent(type=kind, tokens_before=900, tokens_after=90, source="scripted"))
    if kind == "summary":
        state.messages = [state.messages[0], ChatMessageUser(content="Summary so far: " + prose(3, 200))]
    else:
        state.messages = state.messages[2:]
        state.messages.append(ChatMessageUser(content="Summary so far, trimmed."))
    return await generate(state)


@scorer(metrics=[accuracy(), mean(), stderr()])
def graded():
    async def score(state: TaskState, target: Target) -> Score:
        plan = state.metadata["plan"]
        value = plan.get("score", 1)
        if value == "hold":
            await hold(state, "scorer")
        if value == "error":
            raise ValueError(f"the scorer failed on {state.sample_id} as planned")
        return Score(
            value=float("nan") if value == "nan" else value,
            answer=state.output.completion,
            explanation=prose(11, 1500),
            metadata={"judge": "scripted", "long": prose(12, 1300), "nested": {"a": [1, 2, None]}},
        )

    return score
