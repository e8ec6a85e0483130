"""The options of TaskBench samples."""

from __future__ import annotations

from pytest_taubench.plugin.option import Option, whole_number

SAMPLE_OPTIONS = (
    Option(
        "shots",
        "Solved samples a model planner is shown before each TaskBench request.",
        "N",
        default=0,
        convert=whole_number(0),
    ),
    Option(
        "demos",
        "File of TaskBench samples to take them from; the bundled ones that are not run by "
        "default. May be repeated.",
        "FILE",
        "list",
    ),
)
