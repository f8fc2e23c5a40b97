"""SAFE against FActScore: floors and samples as in the reference, its output file, and the three parts."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from adjudge.cli import main
from adjudge.errors import InputError, JudgeError, UsageError
from adjudge.judges.base import (
    CheckClaims,
    ExtractFacts,
    Fact,
    IsRelevant,
    MakeSelfContained,
    NextQuery,
    RateFact,
    Reply,
    SplitSentence,
)
from adjudge.stats.experiments.factscore_data import F1, load_biographies
from adjudge.stats.experiments.factscore_floors import COUNTS, RATERS
from adjudge.stats.experiments.factscore_tables import METHOD, Side, tables_of
from adjudge.stats.experiments.outcome import Request
from experiment_helpers import Answers, row_of, run_experiment, value_of
from safe_helpers import install_library

COUNTED = {
    "characters": "chars",
    "words": "whitespace_tokens",
    "capitalised words": "capitalised_tokens",
    "sentences, as the annotators cut them": "annotated_sentences(human file)",
    "InstructGPT's facts, from the data": "model_atomic_facts(all sentences; InstructGPT, in the file)",
    "the same, where people saw facts": "model_atomic_facts(only sentences with human facts)",
}
OTHER_SPLITTER = {
    "sentences": "nltk_punkt_raw_sentences",
    "commas, 'and's and sentences": "commas+ands+sentences",
}
RATED = {
    "everything supported": "all_Supported",
    "everything not supported": "all_Not_Supported",
    "people's labels, irrelevant called supported": "human_labels_but_IR_called_Supported",
}
DRAWN = {
    "at random, by the overall shares": "random_by_prior_S63_NS28_IR9_seed0",
    "at random, by each system's shares": "random_by_per_model_prior_seed0",
}


@pytest.fixture(scope="module")
def biographies(data):
    return load_biographies(data("factscore"), Request())


def test_people_counted_what_the_reference_counts(biographies, shared_golden):
    golden = shared_golden("factscore_correlation_floors.json")
    assert len(biographies) == golden["n"] == 496
    ours = [[b.system, b.sample.question, *(b.counts()[x] for x in ("S", "IR", "NS"))] for b in biographies]
    assert ours == golden["per_prompt_human_counts"]
    stats = shared_golden("factscore_stats.json")["TOTAL"]
    for label in ("S", "NS", "IR"):
        assert sum(b.counts()[label] for b in biographies) == stats[label]
    means = golden["human_f1_at_k_means"]
    for system, values in means.items():
        mine = [b.measured()[F1] for b in biographies if b.system == system]
        assert sum(mine) / len(mine) == pytest.approx(values["f1_100"], abs=1e-6)


def test_samples_are_drawn_as_the_reference_draws_them(data, shared_golden):
    drawn = load_biographies(data("factscore"), Request(samples=5))
    expected = shared_golden("factscore_correlation_floors.json")["random_selection_seed1_samples5"]
    assert [[b.system, b.sample.question] for b in drawn] == expected
    assert len(load_biographies(data("factscore"), Request(samples=0))) == 496


def test_floors_of_identify_are_the_reference_ones(biographies, shared_golden):
    golden = shared_golden("factscore_correlation_floors.json")["pooled"]
    sides = [Side({"num_claims": COUNTS["characters"](b)}, {}) for b in biographies]
    (table,) = tables_of("identify", biographies, sides, 10)
    rows = {row.name: row.figures for row in table.rows}
    for names, near in ((COUNTED, 1e-6), (OTHER_SPLITTER, 0.003)):
        for ours, theirs in names.items():
            for column in ("Pearson", "Spearman"):
                assert rows[ours][column].value == pytest.approx(golden[theirs][column], abs=near), ours
    # A judge is correlated by the same way.
    assert rows["judge"]["Pearson"].value == rows["characters"]["Pearson"].value
    assert rows["characters"]["Pearson"].p == pytest.approx(golden["chars"]["p_pearson"])
    assert rows["SAFE, as published"]["Spearman"].value == 0.85


def test_floors_of_rate_are_the_reference_ones(biographies, shared_golden):
    golden = shared_golden("factscore_correlation_floors.json")["exp2_floors"]
    sides = [Side(b.measured(), {}) for b in biographies]
    tables = {table.title.split()[1]: table for table in tables_of("rate", biographies, sides, 10)}
    assert set(tables) == {"supported", "irrelevant", "not_supported", F1}
    for metric, table in tables.items():
        rows = {row.name: row.figures for row in table.rows}
        assert rows["judge"]["Pearson"].value == pytest.approx(1.0)
        for names, near in ((RATED, 1e-6), (DRAWN, 0.08)):
            for ours, theirs in names.items():
                for column in ("Pearson", "Spearman"):
                    expected = golden[theirs][metric][column]
                    found = rows[ours][column]
                    assert (found.value is None) == (expected is None), (ours, metric)
                    if expected is None:
                        assert "constant" in found.reason
                    else:
                        assert found.value == pytest.approx(expected, abs=near), (ours, metric)


def test_chance_level_of_supported(biographies):
    labels = RATERS["everything supported"](biographies)
    sides = [Side(b.measured(given), {}) for b, given in zip(biographies, labels, strict=True)]
    table = tables_of("rate", biographies, sides, 10)[0]
    assert round(table.rows[0].figures["Pearson"].value, 3) == 0.756


def _line(topic, sentences, contexts=None):
    """Invented biographies; sentences are (words, [(fact, label)])."""
    annotations = [
        {
            "text": words,
            "is-relevant": True,
            "model-atomic-facts": [{"text": fact} for fact, _ in facts],
            "human-atomic-facts": [{"text": fact, "label": label} for fact, label in facts] or None,
        }
        for words, facts in sentences
    ]
    line = {
        "input": f"Question: Tell me a bio of {topic}.",
        "output": " ".join(words for words, _ in sentences),
        "topic": topic,
        "cat": ["rare", "somewhere"],
        "annotations": annotations,
    }
    return line | ({"contexts": contexts} if contexts is not None else {})


@pytest.fixture
def small(tmp_path):
    """Three responses of two systems and one that nobody annotated."""
    folder = tmp_path / "data" / "factscore"
    folder.mkdir(parents=True)
    ada = _line("Ada", [("Ada wrote and sang.", [("Ada wrote.", "S"), ("Ada sang.", "NS")])], ["Ada wrote."])
    bo = _line(
        "Bo",
        [
            ("Bo ran.", [("Bo ran.", "S")]),
            ("Bo won, ate and slept.", [("Bo won.", "S"), ("Bo ate.", "IR"), ("Bo slept.", "NS")]),
        ],
        ["Bo ran. Bo won."],
    )
    cy = _line("Cy", [("Cy paints.", [("Cy paints.", "S")])], ["Cy paints."])
    declined = {**_line("Di", []), "annotations": None, "output": "I cannot."}
    (folder / "Alpha.jsonl").write_text("".join(json.dumps(x) + "\n" for x in (ada, declined, bo)))
    (folder / "Beta.jsonl").write_text(json.dumps(cy) + "\n")
    (folder / "left_out.jsonl").write_text("not read\n")
    return tmp_path / "data"


def _facts(sentence):
    head, *rest = sentence.rstrip(".").replace(" and ", ", ").split(", ")
    who = head.split()[0]
    return [f"{head}.", *(f"{who} {verb}." for verb in rest)]


def _judge(instead=None):
    script = {
        ExtractFacts: lambda q: tuple(
            Fact(place, fact, fact, "ate" not in fact)
            for place, sentence in enumerate(q.sentences)
            for fact in _facts(sentence)
        ),
        SplitSentence: lambda q: tuple(_facts(q.sentence)),
        MakeSelfContained: lambda q: q.fact,
        IsRelevant: lambda q: "ate" not in q.fact,
        CheckClaims: lambda q: tuple(
            "".join("e" if claim in text else "n" for text in q.evidence) for claim in q.claims
        ),
        NextQuery: lambda q: q.fact,
        RateFact: lambda q: "entailed" if any(q.fact in text for text in q.knowledge) else "neutral",
    }
    return Answers(script | (instead or {}))


def test_identify(small):
    judge = _judge()
    result = run_experiment("factscore", small, judge, parts=("identify",))
    assert result.outcome.samples == 3
    assert {type(q) for q in judge.asked} == {ExtractFacts}
    # The judge finds 2, 4 and 1 facts, as people do.
    assert value_of(result.outcome, "identify_facts: num_claims", "judge", "Pearson") == pytest.approx(1.0)
    steps = _judge()
    run_experiment("factscore", small, steps, parts=("identify",), steps=True)
    assert {type(q) for q in steps.asked} == {SplitSentence}


def test_output_file_has_the_reference_form(small):
    options = {"parts": ("entire", "identify", "rate"), "evidence": "contexts", "samples": -1}
    document = run_experiment("factscore", small, _judge(), **options).document
    assert document["eval_method"] == METHOD == "search_augmented_factuality_eval"
    assert document["samples"] == -1
    settings = [key for key in document if key not in ("eval_method", "samples") and "_facts" not in key]
    assert all(isinstance(document[key], str) for key in settings if key != "entire_safe")
    assert [key for key in document if isinstance(document[key], dict)] == [
        "identify_facts",
        "rate_facts",
        "entire_safe",
    ]
    bo = {"supported": 2, "irrelevant": 1, "not_supported": 1}
    identify, rate, entire = (document[key] for key in ("identify_facts", "rate_facts", "entire_safe"))
    for part in (identify, rate, entire):
        assert list(part) == ["factscore", METHOD, "per_prompt_data", "correlation_scores"]
        human = part["factscore"][1]
        assert human["raw"] == {**bo, "num_claims": 4}
        assert human["aggregated"] == {"f1_100": pytest.approx(2 * (2 / 3) * 0.02 / (2 / 3 + 0.02))}
        for scores in part["correlation_scores"].values():
            assert set(scores) == {"Pearson", "Spearman"}
            assert all(set(score) == {"correlation", "p_value"} for score in scores.values())
    assert identify[METHOD][1] == {"raw": {"num_claims": 4}, "aggregated": {}}
    assert rate[METHOD][1]["raw"] == bo
    assert entire[METHOD][1]["raw"] == {**bo, "num_claims": 4}
    assert set(identify["correlation_scores"]) == {"num_claims"}
    assert set(rate["correlation_scores"]) == {"supported", "irrelevant", "not_supported", "f1_100"}
    assert set(entire["correlation_scores"]) == {*rate["correlation_scores"], "num_claims"}
    merged = entire["per_prompt_data"][0]
    assert merged["model_name"] == "Alpha"
    assert merged["metrics"] == {"S": 1, "IR": 0, "NS": 1}
    assert merged["sentence_to_atomic_fact_and_label"]["Ada wrote and sang."][0] == {
        "atomic_fact": "Ada wrote.",
        "label": "S",
    }
    assert [x["annotation"] for x in merged["checked_statements"]] == ["Supported", "Not Supported"]
    assert "checked_statements" not in identify["per_prompt_data"][0]
    assert "num_claims" not in rate["per_prompt_data"][0]


def test_rate_asks_about_peoples_facts_only(small):
    judge = _judge()
    outcome = run_experiment("factscore", small, judge, parts=("rate",), evidence="contexts").outcome
    kinds = {type(q) for q in judge.asked}
    assert kinds == {MakeSelfContained, IsRelevant, CheckClaims}
    assert {q.fact for q in judge.asked if isinstance(q, MakeSelfContained)} == {
        *("Ada wrote.", "Ada sang.", "Bo ran.", "Bo won.", "Bo ate.", "Bo slept.", "Cy paints."),
    }
    assert "facts:given|evidence:contexts" in outcome.signatures["rate_facts"]
    fact = row_of(outcome, "rate_facts: fact by fact, 7 facts", "judge").figures
    assert fact["same label"].value == 1.0
    floor = row_of(outcome, "rate_facts: fact by fact", "everything supported").figures
    assert floor["same label"].value == pytest.approx(4 / 7)


def test_rate_searches_where_told(small, monkeypatch):
    library = install_library(monkeypatch)
    library.find = lambda query: [query] if query in ("Bo ran.", "Ada wrote.") else ["something else"]
    outcome = run_experiment(
        "factscore", small, _judge(), parts=("rate", "entire"), evidence="library"
    ).outcome
    assert "Bo ate." not in library.queries
    assert {"Ada sang.", "Bo slept.", "Cy paints."} <= set(library.queries)
    # Supported: people 1, 2, 1; the judge 1, 1, 0.
    assert value_of(outcome, "rate_facts: supported", "judge", "Pearson") == pytest.approx(0.5)
    assert value_of(outcome, "entire_safe: supported", "judge", "Pearson") == pytest.approx(0.5)


def test_a_failed_response_is_left_out_and_null_never_nan(small):
    def sometimes(question):
        done = _judge().script[ExtractFacts](question)
        return Reply(None, reason="unreadable") if "Bo" in question.prompt else done

    judge = _judge({ExtractFacts: sometimes})
    result = run_experiment("factscore", small, judge, parts=("identify",), only=("Alpha",))
    part = result.document["identify_facts"]
    assert part["per_prompt_data"][1] == {"": None}
    assert part["factscore"][1] == part[METHOD][1] == {"raw": {}, "aggregated": {}}
    assert part["correlation_scores"]["num_claims"]["Pearson"] == {"correlation": None, "p_value": None}
    figure = row_of(result.outcome, "identify_facts", "judge").figures["Pearson"]
    assert (figure.n, figure.reason) == (1, "only one pair")


@pytest.mark.parametrize("parts", [(), ("everything",)])
def test_none_chosen_is_an_error_that_names_the_three(small, parts):
    with pytest.raises(UsageError, match="identify, rate, entire"):
        run_experiment("factscore", small, _judge(), parts=parts)


def test_rating_without_evidence_stops_before_the_first_question(small):
    judge = _judge()
    with pytest.raises(UsageError, match=r"--experiment rate,entire .*--evidence"):
        run_experiment("factscore", small, judge, parts=("identify", "rate", "entire"))
    with pytest.raises(UsageError, match="there is no evidence 'nowhere'"):
        run_experiment("factscore", small, judge, parts=("identify", "rate"), evidence="nowhere")
    with pytest.raises(UsageError, match="cannot be used"):
        run_experiment(
            "factscore", small, judge, parts=("identify", "rate"), evidence="corpus:no/such/folder"
        )
    assert judge.asked == []


def test_contexts_that_are_not_there_are_missed_before_the_first_question(data):
    judge = _judge()
    with pytest.raises(UsageError, match="has no 'contexts'"):
        run_experiment("factscore", data("factscore"), judge, parts=("rate",), evidence="contexts", limit=2)
    assert judge.asked == []


def test_other_refusals(small, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="needs a judge"):
        run_experiment("factscore", small, None, parts=("identify",))
    with pytest.raises(JudgeError, match="ExtractFacts"):
        run_experiment("factscore", small, Answers({IsRelevant: lambda q: True}), parts=("identify",))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"factscore/\*\.jsonl"):
        run_experiment("factscore", tmp_path / "empty", _judge(), parts=("identify",))
    monkeypatch.delenv("ADJUDGE_DATA", raising=False)
    result = CliRunner().invoke(main, ["experiment", "factscore", "--experiment", "identify"])
    assert result.exit_code == 3
    assert "ADJUDGE_DATA" in result.output


def test_command_with_the_reference_flags_writes_file_and_plots(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ["experiment", "factscore", "--data", str(small), "--eval_identify_atomic_facts_ablated=True"]
    given += ["--eval_in_parallel", "False", "--samples", "-1", "--resamples", "100"]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 0, result.output
    (path,) = Path("results").glob("*-correlation_vs_factscore.json")
    assert "NaN" not in path.read_text()
    assert set(json.loads(path.read_text())) >= {"eval_method", "samples", "identify_facts"}
    (plot,) = Path("results/figures").glob("*-identify_facts-num_claims-x=factscore-y=*.svg")
    circles = [x for x in ElementTree.parse(plot).iter() if x.tag.endswith("circle")]
    assert len(circles) == 3
    assert "SAFE, as published" in result.output
    assert "safe|v1|" in result.output
    before = sorted(Path().rglob("*"))
    quiet = CliRunner().invoke(main, [*given, "--save_results", "False"])
    assert quiet.exit_code == 0, quiet.output
    assert sorted(Path().rglob("*")) == before


def test_command_refuses_none_and_foreign_options(small):
    none = CliRunner().invoke(main, ["experiment", "factscore", "--data", str(small)])
    assert none.exit_code == 2
    assert "identify, rate, entire" in none.output
    foreign = CliRunner().invoke(main, ["experiment", "support", "--samples", "3"])
    assert foreign.exit_code == 2
    assert "--samples" in foreign.output
    unknown = CliRunner().invoke(main, ["experiment", "nothing"])
    assert unknown.exit_code == 2
    assert "factscore, ragchecker-meta, ragbench, support" in unknown.output


def test_dry_run_counts_and_asks_nobody(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ["experiment", "factscore", "--data", str(small), "--experiment", "identify,rate"]
    given += ["--evidence", "web", "--judge", "openai/some-model", "--dry-run"]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 0, result.output
    assert "openai/some-model:" in result.output
    assert "calls for 3 samples" in result.output
    assert not Path("results").exists()
