"""Data models with no behaviour: messages, tasks, samples, records, runs."""

from pytest_taubench.schema.attribution import (
    Attribution,
    Fault,
    FaultKind,
    PaperClass,
    Verdict,
)
from pytest_taubench.schema.message import FunctionCall, Message, ToolCall
from pytest_taubench.schema.record import (
    ActionRecord,
    Changes,
    Component,
    Ending,
    ErrorInfo,
    RecordChange,
    TrialRecord,
    Usage,
)
from pytest_taubench.schema.run import DomainFingerprint, ModelSettings, RunInfo, RunSettings, Shard
from pytest_taubench.schema.sample import PassBar, Sample
from pytest_taubench.schema.script import Request, Script
from pytest_taubench.schema.task import Action, OutputMatch, RewardComponent, Task

__all__ = [
    "Action",
    "ActionRecord",
    "Attribution",
    "Changes",
    "Component",
    "DomainFingerprint",
    "Ending",
    "ErrorInfo",
    "Fault",
    "FaultKind",
    "FunctionCall",
    "Message",
    "ModelSettings",
    "OutputMatch",
    "PaperClass",
    "PassBar",
    "RecordChange",
    "Request",
    "RewardComponent",
    "RunInfo",
    "RunSettings",
    "Sample",
    "Script",
    "Shard",
    "Task",
    "ToolCall",
    "TrialRecord",
    "Usage",
    "Verdict",
]
