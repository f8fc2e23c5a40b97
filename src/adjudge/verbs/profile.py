"""Settings of a command from the command line, a profile and `adjudge.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from adjudge.run.profile import Merged, Options, merge
from adjudge.run.settings import parse_parameters

_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.PROMPT)


def given(context: click.Context, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that a file may set and that somebody gave, rather than defaults."""
    return {
        name: value
        for name, value in options.items()
        if name in Options.__struct_fields__ and context.get_parameter_source(name) in _GIVEN
    }


def with_profile(
    context: click.Context, options: dict[str, Any], profile: str | None
) -> tuple[dict[str, Any], Merged]:
    """All options with what files say where nobody gave one, and the parameters of all places merged.

    The parameters are `Merged.parameters`; `--set` is already among them. `Merged.mark` goes into signatures.
    """
    parameters = parse_parameters(options.get("parameters") or ())
    merged = merge(given(context, options), parameters, profile)
    known = {name: value for name, value in merged.options.items() if name in options}
    unused = sorted(merged.options.keys() - known.keys())
    for note in (*merged.notes, *(f"{name} of the profile does nothing here" for name in unused)):
        click.echo(f"note: {note}", err=True)
    return {**options, **known}, merged
