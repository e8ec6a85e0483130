"""Database with copy-on-write, tools and their JSON Schemas, and the environment of a trial."""

from pytest_taubench.environment.arithmetic import evaluate
from pytest_taubench.environment.compare import Difference, difference, differences, same
from pytest_taubench.environment.database import Database, Overlay
from pytest_taubench.environment.environment import Environment, ToolResult
from pytest_taubench.environment.tool import Tool, ToolKind, tool

__all__ = [
    "Database",
    "Difference",
    "Environment",
    "Overlay",
    "Tool",
    "ToolKind",
    "ToolResult",
    "difference",
    "differences",
    "evaluate",
    "same",
    "tool",
]
