"""The evals that are run and killed. Each case is data; `run_eval.py` runs one.

`ended` and `holding` say when to kill: so many samples have ended, so many wait
for ever. Without them the run goes on to its end.
"""

from dataclasses import dataclass, field
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText

from prose import picture, prose

Plan = dict[str, Any]

QUICK: Plan = {"turns": [{"tool": ["lookup", {"key": "tide"}], "say": "I look it up."}, {"say": "The answer is yes."}]}
IN_MODEL: Plan = {"turns": [{"tool": ["lookup", {"key": "harbour"}], "say": "First a look."}, {"hold": True}]}
IN_TOOL: Plan = {"turns": [{"tool": ["note", {"text": "one"}], "say": "I note."}, {"tool": ["wait", {}], "say": "I wait."}]}
IN_SCORER: Plan = {"turns": [{"say": "The answer is yes."}], "score": "hold"}


@dataclass
class Case:
    samples: list[Sample]
    ended: int | None = None
    holding: int = 0
    epochs: int = 1
    log_buffer: int = 100
    log_shared: int | None = None
    max_samples: int = 20
    settle: float = 0.3
    scorers: list[str] = field(default_factory=lambda: ["includes"])
    eval_args: dict[str, Any] = field(default_factory=dict)
    task_args: dict[str, Any] = field(default_factory=dict)


def sample(id: int | str, plan: Plan, text: Any = None, **metadata: Any) -> Sample:
    return Sample(id=id, input=text or f"Question {id}?", target="yes", metadata={"plan": plan, **metadata})


def after(plan: Plan, delay: float) -> Plan:
    """The plan with a late last answer, so that samples end one after the other."""
    turns = [*plan["turns"][:-1], {**plan["turns"][-1], "delay": delay}]
    return {**plan, "turns": turns}


def before_flush() -> Case:
    samples = [sample(1, QUICK), sample(2, IN_MODEL), sample(3, IN_TOOL)]
    return Case(samples, ended=1, holding=2)


def mixed() -> Case:
    quick = [sample(n, after(QUICK, 0.3 * n), topic=f"t{n}") for n in range(1, 6)]
    held = [sample(6, IN_MODEL), sample(7, IN_TOOL), sample(8, IN_SCORER)]
    # The three that hold take all three places, so the last one never starts.
    samples = [*quick, *held, sample(9, QUICK)]
    return Case(samples, ended=5, holding=3, log_buffer=2, max_samples=3, scorers=["graded"])


def slow(turns: int) -> list[dict[str, Any]]:
    return [
        {"tool": ["lookup", {"key": f"k{n}", "length": 200 + n}], "say": prose(n + 1, 130), "delay": 0.45}
        for n in range(turns)
    ]


def shared() -> Case:
    samples = [
        sample(1, QUICK),
        sample(2, QUICK),
        sample("s3", {"turns": [*slow(5), {"say": "So: yes."}]}, big=prose(5, 1500)),
        sample("s4", {"turns": [*slow(6), {"hold": True}]}),
        sample("s5", {"turns": [*slow(2), {"tool": ["wait", {}], "say": "I wait."}]}),
    ]
    return Case(samples, ended=3, holding=2, log_buffer=2, log_shared=1, settle=2.5)


def epochs() -> Case:
    question = [
        ChatMessageSystem(content="Be exact. " + prose(21, 180)),
        ChatMessageUser(content=[ContentText(text="What is this? " + prose(22, 300)), ContentImage(image=picture(1))]),
    ]
    notes = [
        {"tool": ["note", {"text": "first " + prose(31, 150)}], "think": prose(32, 160), "say": "I note."},
        {"tool": ["look", {"seed": 5}], "say": "I look."},
        {"tool": ["note", {"text": "second"}], "say": prose(33, 200)},
        {"tool": ["stumble", {}], "say": "I stumble."},
        {"tool": ["note", {"text": "ünïcödé 😀"}], "say": "I note again."},
        {"say": "So the answer is yes. " + prose(34, 250), "hold_epochs": [2]},
    ]
    talk = {
        "turns": [{"tool": ["lookup", {"key": "granite"}], "say": "I look."}, {"say": "First part."}, {"say": "Second part."}],
        "on": True,
        "compact": "summary",
        "after_compact": {"say": "After all: yes", "hold_epochs": [3]},
        "grader": True,
        "score": 0.5,
    }
    trim = {**talk, "compact": "trim", "score": "nan"}
    samples = [
        sample("a/b c", {"turns": notes}, question, big=prose(41, 1500), wide={"list": list(range(400))}),
        sample("tälk", talk),
        sample(7, trim),
    ]
    return Case(
        samples,
        ended=6,
        holding=3,
        epochs=3,
        log_buffer=4,
        scorers=["includes", "graded"],
        task_args={"metadata": {"owner": "tests"}, "tags": ["golden"]},
        eval_args={"temperature": 0.5, "seed": 7},
    )


def retries() -> Case:
    once = {**QUICK, "fail_attempts": [1]}
    held = {"turns": [{"tool": ["note", {"text": "again"}], "say": "I note."}, {"say": "yes", "hold_attempts": [3]}], "fail_attempts": [1, 2]}
    never = {**after(QUICK, 1.0), "fail_attempts": [1, 2, 3]}
    unscored = {**after(QUICK, 0.5), "score": "error"}
    samples = [sample(1, once), sample(2, held), sample(3, never), sample(4, unscored), sample(5, after(once, 0.2))]
    return Case(
        samples,
        ended=4,
        holding=1,
        log_buffer=3,
        scorers=["graded"],
        eval_args={"retry_on_error": 2, "fail_on_error": False},
    )


def limits() -> Case:
    chatty = {"turns": [{"tool": ["lookup", {"key": f"w{n}", "length": 40}], "say": f"turn {n}"} for n in range(9)]}
    dear = {"turns": [{**turn, "tokens": 400} for turn in chatty["turns"]], "score": 0}
    samples = [
        sample(1, chatty),
        sample(2, QUICK),
        sample(3, dear),
        sample(4, chatty),
        sample(5, dear),
        sample(6, {"turns": [*chatty["turns"][:2], {"hold": True}]}),
    ]
    return Case(
        samples,
        ended=5,
        holding=1,
        log_buffer=3,
        max_samples=1,
        scorers=["graded"],
        eval_args={"message_limit": 8, "token_limit": 1000},
    )


def again() -> Case:
    """An eval whose first attempt fails, and whose second one is killed.

    At first 1 ends well, 2 fails and so ends the eval, which cancels 3, 4, s5 and 6; 7 never starts. Then 2, 3 and s5 end
    well, while 4 is in a model call, 6 in a tool call and 7 in its scorer.
    """
    fails = {**after(QUICK, 1.0), "fail_attempts": [1]}
    held = [{"tool": ["note", {"text": "one"}], "say": "I note."}, {"say": "The answer is yes.", "hold_attempts": [1]}]
    samples = [
        sample(1, QUICK),
        sample(2, fails),
        sample(3, {"turns": [*held[:-1], {**held[-1], "delay": 1.2}]}),
        sample(4, {"turns": [held[0], {"say": "yes", "hold": True}]}),
        sample("s5", {"turns": [*held[:-1], {**held[-1], "delay": 2.0}]}),
        sample(6, IN_TOOL),
        sample(7, IN_SCORER),
    ]
    return Case(samples, ended=3, holding=3, max_samples=4, scorers=["graded"])


def finished() -> Case:
    case = epochs()
    case.ended, case.holding, case.log_buffer = None, 0, 3
    for item in case.samples:
        plan = item.metadata["plan"]
        plan["turns"] = [{k: v for k, v in turn.items() if not k.startswith("hold")} for turn in plan["turns"]]
        if "after_compact" in plan:
            plan["after_compact"] = {"say": "After all: yes"}
    return case


def finished_with_errors() -> Case:
    samples = [sample(1, QUICK), sample(2, {**QUICK, "fail_attempts": [1]}), sample(3, {**QUICK, "score": "error"})]
    return Case(samples, scorers=["graded"], eval_args={"fail_on_error": False})


def random_kill() -> Case:
    """Many short samples of every kind, killed from outside or at a ledger line."""
    case = finished()
    chatty = {"turns": [{"tool": ["lookup", {"key": f"w{n}", "length": 40}], "say": f"turn {n}"} for n in range(20)]}
    case.samples += [sample(100 + n, {"turns": [*slow(2), {"say": "yes"}]}) for n in range(4)]
    case.samples += [sample("chatty", chatty), sample("flaky", {**QUICK, "fail_attempts": [1]})]
    case.samples += [sample("unscored", {**QUICK, "score": "error"}), sample("broken", {**QUICK, "fail_attempts": [1, 2]})]
    case.samples += [sample("late", IN_MODEL), sample("later", IN_TOOL)]
    case.epochs, case.log_buffer, case.max_samples = 2, 3, 5
    case.ended, case.holding = 22, 4
    case.eval_args |= {"fail_on_error": False, "retry_on_error": 1, "message_limit": 30}
    return case


CASES = {
    "before-flush": before_flush,
    "mixed": mixed,
    "shared": shared,
    "epochs": epochs,
    "retries": retries,
    "again": again,
    "limits": limits,
    "finished": finished,
    "finished-with-errors": finished_with_errors,
    "random-kill": random_kill,
}
