"""Three questions, answered by a model and scored by claims.

inspect eval examples/custom_scorer/custom_scorer.py --model adjudge/scripted
inspect eval examples/custom_scorer/custom_scorer.py --model openai/gpt-4o-mini
"""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate
from ragchecker_scorer import ragchecker_scorer

EVAL_SAMPLES = [
    Sample(
        id="france",
        input="What is the capital of France?",
        target=(
            "Paris is the capital of France. The city covers 105.4 square kilometers. It has a population of"
            " 2.1 million people."
        ),
    ),
    Sample(
        id="founding",
        input="When was the United States founded?",
        target="The United States was founded in 1776.",
    ),
    Sample(
        id="airplane",
        input="Who invented the airplane?",
        target="The Wright brothers invented the airplane. They first flew it in 1903.",
    ),
]


@task
def custom_scorer() -> Task:
    """The three questions under RAGChecker."""
    return Task(dataset=EVAL_SAMPLES, solver=generate(), scorer=ragchecker_scorer())
