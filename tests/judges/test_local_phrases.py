from __future__ import annotations

import pytest

from adjudge.judges.local.phrases import points_out_error, refusal


@pytest.mark.parametrize(
    ("response", "declines"),
    [
        ("I cannot answer the question, because of insufficient information in documents.", True),
        ("The documents do not mention when the bridge opened.", True),
        ("I’m not sure about that.", True),
        ("Unknown.", True),
        ("无法回答，信息不足。", True),
        ("I don't know. Please check the museum's website.", True),
        ("The team was unable to win the cup.", False),
        ("It was painted by an unknown master in 1502.", False),
        ("I cannot help but praise it: the bridge opened in 1931.", False),
        ("The bridge opened in 1931. It has two lanes. I am not sure about its length.", False),
        ("The price was not specified by Homer.", False),
        ("", False),
    ],
)
def test_refusals(response: str, declines: bool) -> None:
    found, why = refusal(response)
    assert found is declines
    assert why


@pytest.mark.parametrize(
    ("response", "tells"),
    [
        ("There are factual errors in the provided documents.", True),
        ("The document incorrectly says 1990. The correct year is 1991.", True),
        ("The claim is wrong: Oslo is the capital.", True),
        ("文档中存在事实性错误。", True),
        ("However, the bridge is actually long, in fact the longest.", False),
        ("There are no factual errors in the documents.", False),
        ("The documents contain no mistakes.", False),
        ("The pilot made a mistake on landing.", False),
        ("", False),
    ],
)
def test_errors_pointed_out(response: str, tells: bool) -> None:
    found, why = points_out_error(response)
    assert found is tells
    assert why
