"""The commands of ``python -m pytest_taubench``, one a module.

Each module has ``register(subparsers)``, which adds its parser with ``run`` as the default of
``run``, and ``run(args) -> int``, the exit status: 0, 1 where a check failed, 2 for wrong use.
They are imported for every command line, so what is heavy is imported inside ``run``.
"""

COMMANDS = (
    "check_domain",
    "compare",
    "gate",
    "graph",
    "lint",
    "merge",
    "play",
    "report",
    "rescore",
    "sample",
    "schema",
    "taskeval",
)
"""The modules of this package that are commands."""
