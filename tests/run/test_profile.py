"""Profiles: one TOML form, checked down to each parameter; command line over profile over adjudge.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from adjudge.errors import InputError, UsageError
from adjudge.run.profile import Profile, load_profile, merge, to_toml
from adjudge.verbs.profile import with_profile

WEIGHTS = {"text": 0.25, "rule": 0.75}


def save(folder: Path, text: str, name: str = "house.toml") -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder / name


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    profile = Profile(
        name="house",
        description='quotes " and \\ and Ü',
        options={"judge": "local", "metrics": ["std", "ha"], "rpm": 2.5},
        parameters={"violations": {"std": {"match_threshold": 0.4, "weights": WEIGHTS}}, "safe": {"k": 12}},
        calibration={"what": "std", "interval": [-0.1, 1e-05], "real": False},
    )
    text = to_toml(profile)
    assert tomllib.loads(text)["parameters"]["violations"]["std"]["weights"] == WEIGHTS
    assert load_profile(save(tmp_path, text)) == profile
    assert not profile.shown


def test_the_mark_names_the_profile_and_changes_with_what_it_sets(tmp_path: Path) -> None:
    first = load_profile(save(tmp_path, "[parameters.safe]\nk = 3\n"))
    assert first.mark.startswith("profile:house@")
    same = load_profile(save(tmp_path, 'description = "in other words"\n[parameters.safe]\nk = 3\n'))
    other = load_profile(save(tmp_path, "[parameters.safe]\nk = 4\n"))
    assert same.mark == first.mark != other.mark
    odd = load_profile(save(tmp_path, 'name = "a|b @c"\n'))
    assert odd.name == "a_b_c", "a signature is cut at | and a name at @"


def test_command_line_over_profile_over_file(tmp_path: Path) -> None:
    save(
        tmp_path,
        '[options]\njudge = "rules"\nrpm = 1\ntpm = 1\n[parameters.safe]\nk = 1\nresults = 7\n',
        "adjudge.toml",
    )
    profile = save(tmp_path, "[options]\nrpm = 2\ntpm = 2\n[parameters.safe]\nk = 2\nmax_steps = 2\n")
    found = merge({"tpm": 3.0}, {"safe": {"k": "4"}}, profile, tmp_path)
    assert found.options == {"judge": "rules", "rpm": 2, "tpm": 3.0}
    assert found.parameters == {"safe": {"k": "4", "results": 7, "max_steps": 2}}
    assert found.mark == load_profile(profile).mark
    alone = merge({}, {}, None, tmp_path)
    assert alone.mark == ""
    assert alone.options["rpm"] == 1
    assert merge({}, {}, None, tmp_path / "elsewhere").options == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[options]\njugde = 1\n", "did you mean 'judge'"),
        ('[options]\napi_key = "secret"\n', "a key never stands in a file"),
        ("[options]\nrpm = true\n", "bad option.*rpm"),
        ('[options]\ncache = "Replay"\n', "bad option.*'Replay'.*cache"),
        ("[optoins]\nrpm = 1\n", "not a profile.*optoins"),
        ("format = 99\n", "newer"),
        ("a = [", "broken TOML"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load_profile(save(tmp_path, text))
    assert caught.value.file == str(tmp_path / "house.toml")


def test_parameters_are_checked_by_their_protocol(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"bad parameter of safe.*max_stepps"):
        load_profile(save(tmp_path, "[parameters.safe]\nmax_stepps = 2\n"))
    with pytest.raises(UsageError, match="no protocol 'saef'"):
        load_profile(save(tmp_path, "[parameters.saef]\nk = 2\n"))
    with pytest.raises(UsageError, match="must sum to 1"):
        load_profile(save(tmp_path, "[parameters.violations.std.weights]\ntext = 0.9\nrule = 0.9\n"))
    with pytest.raises(InputError, match="no such file"):
        load_profile(tmp_path / "none.toml")


def test_a_default_of_the_command_line_does_not_hide_the_profile(tmp_path: Path) -> None:
    profile = save(
        tmp_path,
        '[options]\njudge = "rules"\nconcurrency=3\n[parameters.safe]\nk = 5\n[calibration]\nreal=false\n',
    )
    seen = {}

    @click.command()
    @click.option("--judge", default="local")
    @click.option("--concurrency", default=32)
    @click.option("--set", "parameters", multiple=True)
    @click.option("--profile")
    @click.pass_context
    def command(context: click.Context, profile: str | None, **options: object) -> None:
        seen["options"], seen["merged"] = with_profile(context, options, profile)

    done = CliRunner().invoke(
        command, ["--profile", str(profile), "--concurrency", "8", "--set", "safe.results=2"]
    )
    assert done.exit_code == 0, done.output
    assert seen["options"]["judge"] == "rules"
    assert seen["options"]["concurrency"] == 8
    assert seen["merged"].parameters == {"safe": {"k": 5, "results": "2"}}
    assert "was not shown to be real" in done.output
