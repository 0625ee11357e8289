"""The command: `python -m respublica_env.bench [--json F]`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from respublica_env.bench import batch_rows, env_rows, process_rows, report, train_rows
from respublica_env.bench.measure import Row, Settings
from respublica_env.commands import parse, refuse
from respublica_env.files import check_target

PROG = "respublica_env.bench"
GROUPS = (batch_rows, env_rows, train_rows, process_rows)
QUICK_REPETITIONS, QUICK_SECONDS = 3, 0.05


@dataclass(frozen=True)
class Options:
    """Speed of respublica_env, as ratios against named peers measured in the same run.

    Peers come with `pip install "respublica-env[bench]"`; those of training with `[train]`.
    """

    json: Path | None = None
    """Write all figures, and the facts of the machine, to this file."""
    quick: bool = False
    """Under a minute: short measurements, no cold start. The figures are rough."""
    full: bool = False
    """Also MaskablePPO against an environment that does nothing: several minutes."""
    only: tuple[str, ...] = ()
    """Measure these budgets only, by the names in the table's first column."""
    games: int = Settings.games
    """Games in the Batch."""
    repetitions: int | None = None
    """How often subject and peers take turns; 7, with --quick 3."""
    seconds: float | None = None
    """Length of each measurement in seconds; 0.4, with --quick 0.05."""


def all_rows() -> list[Row]:
    """Every budget, unmeasured, in the order of the table."""
    return [row for group in GROUPS for row in group.rows()]


def run(settings: Settings, only: Sequence[str] = ()) -> list[Row]:
    """Measure the budgets named in `only`, or all."""
    measured = []
    for group in GROUPS:
        wanted = [row for row in group.rows() if not only or row.name in only]
        if wanted:
            group.measure(wanted, settings)
        measured += wanted
    return measured


def settings_of(options: Options) -> Settings:
    """The settings that the options ask for; ValueError names what is wrong and what is accepted."""
    if options.quick and options.full:
        raise ValueError("--quick and --full exclude each other")
    known = [row.name for row in all_rows()]
    unknown = [name for name in options.only if name not in known]
    if unknown:
        raise ValueError(f"--only: no budget is named {unknown[0]!r}; there are: {', '.join(known)}")
    settings = Settings(games=options.games, quick=options.quick, full=options.full)
    if options.quick:
        settings = replace(settings, repetitions=QUICK_REPETITIONS, seconds=QUICK_SECONDS)
    if options.repetitions is not None:
        settings = replace(settings, repetitions=options.repetitions)
    if options.seconds is not None:
        settings = replace(settings, seconds=options.seconds)
    if settings.games < 1:
        raise ValueError(f"--games must be at least 1, got {settings.games}")
    if settings.repetitions < 1:
        raise ValueError(f"--repetitions must be at least 1, got {settings.repetitions}")
    if not 0 < settings.seconds <= 3600:
        raise ValueError(f"--seconds must be above 0 and at most 3600, got {settings.seconds}")
    return settings


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table, write the JSON."""
    options = parse(Options, PROG, arguments, extra="bench")
    try:
        settings = settings_of(options)
        if options.json is not None:
            check_target("--json", options.json)
    except ValueError as error:
        refuse(PROG, str(error))
    facts = report.machine_facts()
    try:
        measured = run(settings, options.only)
        report.print_table(measured, facts)
        if options.json is not None:
            report.write_json(options.json, report.as_json(measured, settings, facts))
    except (OSError, MemoryError) as error:
        refuse(PROG, str(error))


if __name__ == "__main__":
    main()
