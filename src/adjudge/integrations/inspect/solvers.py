"""How the tasks put a question to the model; the sample itself keeps the bare question and its passages."""

from __future__ import annotations

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from adjudge.errors import UsageError
from adjudge.integrations.inspect.states import passages_of
from adjudge.prompts.plain import load_plain

_RGB = {"en": "rgb/answer_en@1", "zh": "rgb/answer_zh@1"}
_POSTAMBLE = "longfact/postamble@1"
_FULL = (
    "You answer questions from the passages you are given. Answer in whole sentences, say all that the"
    " passages tell about the question, and nothing that they do not."
)


@solver
def answer_from_documents(style: str = "rgb") -> Solver:
    """Shows the sample's passages with the question. `rgb`: with leave to refuse; `full`: a full answer."""
    if style not in ("rgb", "full"):
        raise UsageError(f"style must be rgb or full, not {style!r}")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        passages = passages_of(state)
        if style == "full":
            state.messages = _full(state.input_text, passages) if passages else state.messages
        else:
            state.messages = _rgb(state.input_text, passages, str(state.metadata.get("language")))
        return await generate(state)

    return solve


def _rgb(question: str, passages: list[str], language: str) -> list[ChatMessage]:
    """The same messages as `adjudge generate rgb` sends."""
    prompt = load_plain(_RGB.get(language, _RGB["en"]))
    if passages:
        messages = prompt.render(documents="\n".join(passages), question=question)
    else:
        messages = prompt.render_bare(question=question)
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    return [kinds[message.role](content=message.content) for message in messages]


def _full(question: str, passages: list[str]) -> list[ChatMessage]:
    user = "Document:\n" + "\n".join(passages) + f"\n\nQuestion:\n{question}"
    return [ChatMessageSystem(content=_FULL), ChatMessageUser(content=user)]


@solver
def ask_for_detail() -> Solver:
    """LongFact's request for a long, concrete answer, after the prompt."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        (message,) = load_plain(_POSTAMBLE).render(prompt=state.user_prompt.text)
        state.user_prompt.text = message.content
        return await generate(state)

    return solve
