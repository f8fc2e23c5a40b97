"""`adjudge agree`: a run, or stored predictions, against people's labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from adjudge.errors import UsageError
from adjudge.protocols.base import Protocol
from adjudge.report.agree import agreement_tables
from adjudge.run.settings import expand_metrics
from adjudge.stats.agree import LEVELS, agree
from adjudge.stats.estimates import NAMES
from adjudge.stats.raters import Rater, attribute_rater, carried, file_raters, run_rater
from adjudge.types import Record, to_json
from adjudge.verbs.common import print_tables


def agree_verb(
    tested: str,
    *,
    with_: tuple[str, ...],
    labels: str | None,
    metrics: tuple[str, ...],
    statistics: tuple[str, ...],
    levels: tuple[str, ...],
    by: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the agreement; what is odd about it goes to standard error."""
    _check_names("--level", levels, LEVELS)
    _check_names("--statistic", statistics, NAMES)
    first, records, protocols = _first(tested, labels)
    others = _others(with_ or ("human",), tested, first, records, protocols)
    found = agree(
        first,
        others,
        levels=levels or ("label", "sample"),
        statistics=statistics,
        metrics=expand_metrics(metrics, protocols) if metrics else None,
        by=by,
    )
    for warning in found.warnings:
        click.echo(f"WARNING: {warning}", err=True)
    if as_json:
        click.echo(msgspec.json.format(to_json(found), indent=1))
        return
    print_tables(agreement_tables(msgspec.to_builtins(found)))


def _check_names(option: str, given: Sequence[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{option} {name}: there is {', '.join(known)}")


def _first(tested: str, labels: str | None) -> tuple[Rater, list[Record] | None, Sequence[Protocol]]:
    """Who is tested: a run's labeller, or one source of labels in a file."""
    if Path(tested).is_dir():
        if labels is None:
            return run_rater(Path(tested))
        _, records, protocols = run_rater(Path(tested))
        return _one(carried(records, protocols), labels, tested), records, protocols
    from adjudge.protocols import make_protocol, protocol_names

    protocols = tuple(make_protocol(name) for name in protocol_names())
    raters = file_raters(tested, protocols)
    if labels is None:
        judges = [name for name in raters if not name.startswith("human")]
        if len(judges) != 1:
            told = ", ".join(raters) or "none"
            raise UsageError(f"say whose labels in {tested} are tested: --labels SOURCE; it has {told}")
        labels = judges[0]
    return _one(raters, labels, tested), None, protocols


def _one(raters: dict[str, Rater], name: str, where: str) -> Rater:
    if name not in raters:
        raise UsageError(f"{where} has no labels of {name!r}; it has {', '.join(raters) or 'none'}")
    return raters[name]


def _others(
    wanted: Sequence[str],
    tested: str,
    first: Rater,
    records: list[Record] | None,
    protocols: Sequence[Protocol],
) -> list[Rater]:
    """Who is held to be right: people in the same samples, or another file or run."""
    found: dict[str, Rater] = {}
    for name in wanted:
        if name.startswith("attribute:"):
            found[name] = attribute_rater(name.removeprefix("attribute:"), first)
        elif name in ("human", "judge") or name.startswith(("human:", "judge:")):
            there = file_raters(tested, protocols) if records is None else carried(records, protocols)
            kept = {key: rater for key, rater in there.items() if key == name or key.startswith(f"{name}:")}
            if not kept:
                told = ", ".join(there) or "none"
                raise UsageError(
                    f"the samples of {tested} carry no labels of {name!r}; they carry {told};"
                    " or give a file or run that has them: --with PATH"
                )
            found |= kept
        else:
            found |= _elsewhere(name, first, protocols)
    others = [rater for name, rater in found.items() if rater is not first and name != first.name]
    if not others and found:
        raise UsageError(
            f"the labels tested are those of {first.name} themselves;"
            " have a judge label the samples: 'adjudge run FILE --labels judge'"
        )
    return others


def _elsewhere(path: str, first: Rater, protocols: Sequence[Protocol]) -> dict[str, Rater]:
    """People's labels in another file, or everyone's if it has no people's; or another run's."""
    if Path(path).is_dir():
        rater, _, _ = run_rater(Path(path))
        if rater.name == first.name:
            # Two runs of one labeller: told apart by their folders.
            rater.name = Path(path).resolve().name
            for rated in rater.rated.values():
                rated.by = rater.name
        return {rater.name: rater}
    if not Path(path).exists():
        raise UsageError(
            f"--with {path}: neither a file nor a run; write human, human:NAME, attribute:NAME or a path"
        )
    raters = file_raters(path, protocols)
    people = {name: rater for name, rater in raters.items() if rater.human}
    if not raters:
        raise UsageError(f"{path} holds no labels of {', '.join(p.name for p in protocols)}")
    return people or raters
