"""From a number back to the text behind it."""

from __future__ import annotations

from adjudge.protocols.safe import Safe
from adjudge.protocols.trace import Trace
from adjudge.report.explain import explain_lines
from adjudge.types import Label, Record, Sample, Unit

SAMPLE = Sample(
    id="s", question="Who is Ann?", response="Ann sings.", contexts=("Ann sings. It rains.", "No.")
)


def test_notes_on_whole_texts_are_shown_though_no_count_names_them() -> None:
    labels = (
        Label("facts", "response", 1, None, "judge:x", "passed over: 1 facts have no text"),
        Label("check", "fact:a.1", "entailed", None, "judge:x"),
    )
    units = (Unit("resp:a", field="response", spans=((0, 10),)), Unit("fact:a.1", "Ann sings."))
    record = Record(protocol="safe", id="s", units=units, labels=labels)
    told = list(explain_lines(record, Safe(), "safe.precision", SAMPLE))
    assert told[-3:] == [
        "noted on whole texts:",
        "  response: Ann sings.",
        "    facts = 1: passed over: 1 facts have no text [judge:x]",
    ]


def test_a_note_on_the_contexts_says_how_many_there_are() -> None:
    label = Label("relevant", "contexts", 0, None, "judge:x", "nothing speaks of Ann's age")
    told = list(explain_lines(Record(protocol="trace", id="s", labels=(label,)), Trace(), None, SAMPLE))
    assert told[-2:] == [
        "  contexts: (2 in all)",
        "    relevant = 0: nothing speaks of Ann's age [judge:x]",
    ]
