"""Text into the words that searching compares."""

from __future__ import annotations

import re

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*")
_IS_CJK = re.compile(f"[{_CJK}]")


def search_words(text: str) -> list[str]:
    """Words without case; Chinese and Japanese, which have no blanks, as characters and pairs of them."""
    words: list[str] = []
    for run in _RUN.findall(text.casefold()):
        if _IS_CJK.match(run):
            words += run
            words += [run[i : i + 2] for i in range(len(run) - 1)]
        else:
            words.append(run.replace("’", "'"))
    return words
