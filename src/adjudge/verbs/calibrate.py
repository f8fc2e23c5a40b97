"""`adjudge calibrate`: fit what the documents leave to calibration, and say whether it helps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
import msgspec

from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError, UsageError
from adjudge.metrics import answers
from adjudge.protocols.violations import Violations
from adjudge.run.profile import Profile, to_toml
from adjudge.run.session import stored_protocols
from adjudge.run.store import read_info, read_records, write_atomic
from adjudge.stats.calibrate import Outcome, calibrate
from adjudge.stats.fit_cases import Case, PhraseProblem, ThresholdProblem

TRUE = ("supported", "entailed", "true", "yes", "1")
FALSE = ("not_supported", "contradicted", "neutral", "false", "no", "0")
_PHRASES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "refusal": (
        tuple(dict.fromkeys(answers.REFUSAL_PHRASES + answers.REFUSAL_KEYWORDS)),
        "refusal_phrases",
        "refusal_judge",
    ),
    "error": (answers.ERROR_KEYWORDS, "error_phrases", "error_flag_judge"),
}
"""What is calibrated: the phrases to choose from, the parameter, the judge's label in a run."""


def calibrate_verb(
    what: str,
    input: str,
    *,
    decisions: str | None,
    third_rater: str | None,
    preferences: str | None,
    judge: str,
    objective: str,
    folds: int,
    seed: int,
    name: str | None,
    out: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Fit, tell, and write the profile if the gain is real or if forced."""
    name = name or (Path(out).stem if out else f"{what}-{Path(input).name.split('.')[0]}")
    if what == "k" and preferences is None:
        _median_k(input, name, out, as_json)
        return
    run: Callable[[Any], Outcome] = lambda problem: calibrate(problem, folds=folds, seed=seed)  # noqa: E731
    if what in ("std", "ha"):
        outcome = run(_matching(what, input, decisions, third_rater))
    elif what == "k":
        outcome = run(_preferences(input, preferences or ""))
    elif what == "threshold":
        outcome = run(ThresholdProblem(list(_claims(input, judge)), objective))
        if outcome.options and judge != "local":
            outcome.options["judge"] = judge
    else:
        phrases, parameter, label = _PHRASES[what]
        cases = list(_responses(input, what, label))
        outcome = run(
            PhraseProblem(what, cases, phrases, parameter, lambda text: answers.prepare(text).search)
        )
    _tell(outcome, as_json)
    if out is None:
        return
    if not outcome.real and not force:
        click.echo(f"{out} was not written: no gain was shown (--force writes it, and marks it so)", err=True)
        return
    _write(out, outcome.profile(name))


def _tell(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        data = {**msgspec.to_builtins(outcome), "verdict": outcome.verdict}
        click.echo(msgspec.json.format(msgspec.json.encode(data), indent=1))
        return
    click.echo(f"{outcome.what}: {outcome.objective} on {outcome.items} items, {outcome.folds} folds")
    click.echo(f"  default            {outcome.default:.4f}")
    click.echo(f"  fitted, held out   {outcome.held_out:.4f}")
    click.echo(f"  {outcome.verdict}")
    chosen = to_toml(Profile(options=outcome.options, parameters=outcome.parameters))
    for line in chosen.strip().splitlines()[1:]:
        if line:
            click.echo(f"    {line}")


def _write(out: str, profile: Profile) -> None:
    write_atomic(Path(out), to_toml(profile).encode())
    click.echo(f"{out} written: adjudge run FILE --profile {out}")


def _matching(what: str, input: str, decisions: str | None, third_rater: str | None) -> Any:
    from adjudge.stats.decisions import pairs_by_people, pairs_by_third_rater, read_decisions
    from adjudge.stats.fit_matching import MatchingProblem

    if (decisions is None) == (third_rater is None):
        raise UsageError(
            f"calibrate {what}: give --decisions FILE or --third-rater place|family, one of them"
        )
    folder = _run(input)
    records, without = read_records(folder), _without(folder)
    pairs = (
        pairs_by_third_rater(records, without, same_category=third_rater == "family")
        if decisions is None
        else pairs_by_people(records, read_decisions(decisions), without)
    )
    return MatchingProblem("ha" if what == "ha" else "std", list(pairs))


def _without(folder: Path) -> tuple[str, ...]:
    """Terms that the run was told to do without."""
    protocols = stored_protocols(read_info(folder))
    return next((protocol.without for protocol in protocols if isinstance(protocol, Violations)), ())


def _preferences(input: str, path: str) -> Any:
    from adjudge.stats.fit_k import Preference, PreferenceProblem, facts_of

    found = []
    for row in Source(path).rows():
        try:
            found.append(msgspec.convert(row.data, Preference))
        except msgspec.ValidationError as error:
            raise row.error(f"not a preference: {error}", fix='write {"preferred": ID, "over": ID}') from None
    return PreferenceProblem(facts_of(read_records(_run(input))), found)


def _median_k(input: str, name: str, out: str | None, as_json: bool) -> None:
    from adjudge.stats.fit_k import facts_of, median_k

    found = median_k(facts_of(read_records(_run(input))))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1))
    else:
        told = "too few for an interval"
        if found.interval is not None:
            told = f"95 % interval {found.interval[0]:g} to {found.interval[1]:g}"
        click.echo(
            f"k: median of supported facts {found.median:g} over {found.responses} responses,"
            f" {told}: K = {found.k}"
        )
        click.echo("  a convention, not a gain: --preferences FILE fits K to what people prefer")
    if out is not None:
        calibration = {"what": "k", "objective": "median of supported facts", "items": found.responses}
        _write(out, Profile(name=name, parameters={"safe": {"k": found.k}}, calibration=calibration))


def _run(input: str) -> Path:
    folder = Path(input)
    read_info(folder)
    return folder


def _label(row: Row, field: str) -> bool:
    value = row.data.get(field)
    if isinstance(value, bool):
        return value
    said = str(value).strip().lower()
    if said in TRUE or said in FALSE:
        return said in TRUE
    raise row.error(
        f"{value!r} is no decision", field=field, fix=f"write true or false ({', '.join((*TRUE, *FALSE))})"
    )


def _item(row: Row) -> str:
    """What a row's decision is about; a row that does not say is by itself."""
    named = (row.data.get(field) for field in ("item", "id"))
    return next((str(name) for name in named if name not in (None, "")), f"line {row.line}")


def _claims(input: str, judge: str) -> Iterable[Case]:
    """(probability, label) as given, or claims held against their evidence by the local judge."""
    rows = list(Source(input).rows())
    for row in rows:
        if not isinstance(row.data, dict) or not {"label"} <= row.data.keys():
            raise row.error(
                "there is no label",
                field="label",
                fix="give probability and label, or claim, evidence and label",
            )
    items = [_item(row) for row in rows]
    if all("probability" in row.data for row in rows):
        shares = [row.data["probability"] for row in rows]
        for row, share in zip(rows, shares, strict=True):
            if isinstance(share, bool) or not isinstance(share, (int, float)):
                raise row.error(f"{share!r} is no number", field="probability")
    else:
        shares = _verify(rows, judge)
    for row, item, share in zip(rows, items, shares, strict=True):
        yield Case(item, _label(row, "label"), float(share))


def _verify(rows: list[Row], judge: str) -> list[float]:
    from adjudge.judges.local.judge import LocalJudge
    from adjudge.judges.registry import make_judge

    local = make_judge(judge)
    if not isinstance(local, LocalJudge):
        raise UsageError(f"--judge {judge}: only a local judge has a threshold; or give probabilities")
    for row in rows:
        for field in ("claim", "evidence"):
            if not isinstance(row.data.get(field), str):
                raise row.error("this field is needed and is missing", field=field)
    claims, evidence = ([row.data[field] for row in rows] for field in ("claim", "evidence"))
    return [opinion.entailed for opinion in local.verifier.verdicts(claims, evidence)]


def _responses(input: str, what: str, label: str) -> Iterable[Case]:
    """Responses and what people, or a judge in a run, said of them."""
    if Path(input).is_dir():
        yield from _judged(_run(input), label)
        return
    for row in Source(input).rows():
        if not isinstance(row.data, dict) or not isinstance(row.data.get("response"), str):
            raise row.error(
                "there is no text", field="response", fix=f"give response and {what} (true or false)"
            )
        yield Case(_item(row), _label(row, what), 0.0, row.data["response"])


def _judged(folder: Path, label: str) -> Iterable[Case]:
    number = 0
    for record in read_records(folder):
        for one in record.labels:
            if one.name == label and isinstance(one.value, bool):
                if record.sample is None or record.sample.response is None:
                    raise InputError(
                        "the run holds no text of it", sample=record.id, fix="run without --lean"
                    )
                number += 1
                yield Case(record.item, one.value, 0.0, record.sample.response)
    if not number:
        raise InputError(f"the run has no label {label!r}", fix="run -p rgb with a judge that can be asked")
