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
        ("None of the documents mention when the bridge opened.", True),
        ("Neither of the articles states it.", True),
        ("The answer isn't in the documents.", True),
        ("The year isn't mentioned in the text.", True),
        ("文档中没有包含桥的开通时间。", True),
        ("根据提供的文档,无法得出答案。", True),
        ("抱歉，资料里找不到相关信息。", True),
        ("对不起，我不能回答这个问题。", True),
        ("资料不足，无法作答。", True),
        ("None of the bridges has two lanes.", False),
        ("None of the documents mention a toll. The bridge opened in 1931. It has two lanes.", False),
        ("The answer isn't in doubt: the bridge opened in 1931.", False),
        ("票价没有包含过桥费，桥于1931年开通。", False),
        ("他不能回答记者的提问。", False),
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
        ("The documents say Bergen, but the correct answer is Oslo.", True),
        ("The correct year, however, is 1931.", True),
        ("The correct answer is Oslo, not Bergen.", True),
        ("文档中的信息是错误的，正确的是奥斯陆。", True),
        ("文档与事实不符，答案是奥斯陆。", True),
        ("文档说是卑尔根，但正确答案是奥斯陆。", True),
        ("The correct answer is Oslo.", False),
        ("这个问题的正确答案是奥斯陆。", False),
        ("文档中的信息不是错误的。", False),
        ("文档没有与事实不符之处。", False),
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
