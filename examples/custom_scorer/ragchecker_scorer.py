"""RAGChecker as an Inspect scorer: F1 of claims as value, precision and recall in words and metadata.

The scorer lives in adjudge; here is where one's own would be. Some ways to choose who judges:

    ragchecker_scorer()                                             the role `grader`, else this machine
    ragchecker_scorer(extractor_name="openai/gpt-4o-mini", checker_name="openai/gpt-4o-mini")
    inspect eval … --model-role grader=anthropic/claude-3-5-haiku-latest
"""

from adjudge.integrations.inspect import ragchecker_scorer

__all__ = ["ragchecker_scorer"]
