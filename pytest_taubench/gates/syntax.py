"""How a gate is written: read from text, and refused where no run could meet or fail it."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_taubench.errors import TauBenchError

OPERATORS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        ">=": operator.ge,
        "<=": operator.le,
        "==": operator.eq,
        ">": operator.gt,
        "<": operator.lt,
    }
)
COUNTS = ("scored", "unscored", "trials")
AMOUNTS = ("cost_per_trial", "steps")
MEANS = ("reward", *AMOUNTS)
TASKEVAL = ("rouge1", "rouge2", "rougeL", "node_f1", "edge_f1", "ned", "t_f1", "v_f1")

# Brackets may stand in it: those of a node id are read, to be answered in words.
_SELECTOR = r"(?:\[(?P<selector>(?:[^\[\]]|\[[^\[\]]*\])+)\])?"
_THRESHOLD = re.compile(
    rf"\s*(?P<metric>[A-Za-z_][\w.]*(?:[\^@]\s*\d+)?)\s*{_SELECTOR}"
    r"\s*(?P<operator>>=|<=|==|>|<)\s*(?P<bound>[-+]?(?:\d+(?:\.\d*)?|\.\d+)%?)\s*"
)
_NO_REGRESSION = re.compile(
    rf"\s*no\s+regression\s*{_SELECTOR}\s*(?:within\s+(?P<margin>(?:\d+(?:\.\d*)?|\.\d+)%?))?\s*"
)
PASS = re.compile(r"pass([\^@])\s*(\d+)")
"""How pass^k and pass@k are written."""


class GateSyntaxError(TauBenchError):
    """A gate cannot be read; the message says what was expected.

    Attributes:
        reason: The message without the gate, for where that is named already.
    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text, reason)  # both, or it could not be pickled
        self.reason = reason

    def __str__(self) -> str:
        """Return the gate and the reason."""
        return f"{self.args[0]!r}: {self.reason}"


@dataclass(frozen=True)
class Gate:
    """One condition.

    Attributes:
        text: As the user wrote it.
        metric: ``pass^k``, ``pass@k``, a mean, a count, a TaskEval key, or ``no regression``.
        selector: A suite or domain that it is about; None for the whole run.
        operator: One of OPERATORS; empty for ``no regression``.
        bound: The threshold, or the margin of ``no regression``.
    """

    text: str
    metric: str
    selector: str | None
    operator: str
    bound: float


def parse_gate(text: str) -> Gate:
    """Read a gate such as ``pass^4 >= 0.6``, ``pass^1[airline] >= 50%`` or ``no regression``.

    Raises:
        GateSyntaxError: With the nearest valid metric.
    """
    if match := _NO_REGRESSION.fullmatch(text):
        gate = Gate(text, "no regression", match["selector"], "", _number(match["margin"] or "0"))
        _check_share(gate, match["margin"] or "")
        return gate
    match = _THRESHOLD.fullmatch(text)
    if match is None:
        raise GateSyntaxError(
            text,
            "it cannot be read; expected METRIC[SUITE] OPERATOR NUMBER, such as "
            "'pass^4 >= 0.6' or 'pass^1[airline] >= 0.5', or 'no regression'",
        )
    metric = match["metric"].replace(" ", "")
    _check_metric(text, metric)
    gate = Gate(text, metric, match["selector"], match["operator"], _number(match["bound"]))
    if metric in COUNTS:
        _check_count(gate, match["bound"])
    elif metric in AMOUNTS:
        _check_amount(gate, match["bound"])
    else:
        _check_share(gate, match["bound"])
    return gate


def _check_metric(text: str, metric: str) -> None:
    if match := PASS.fullmatch(metric):
        if int(match[2]) < 1:
            raise GateSyntaxError(text, "k must be at least 1")
        return
    known = [*COUNTS, *MEANS, *TASKEVAL]
    if metric in known:
        return
    near = difflib.get_close_matches(metric, [*known, "pass^1", "pass@1"], 1)
    hint = (
        f"did you mean {near[0]!r}?" if near else f"expected pass^k, pass@k or {', '.join(known)}"
    )
    raise GateSyntaxError(text, f"there is no metric {metric!r}; {hint}")


def _check_share(gate: Gate, bound: str) -> None:
    """Refuse what lies outside of 0 to 1, where every figure but counts and amounts lies."""
    what = "a margin" if gate.metric == "no regression" else gate.metric
    if not 0 <= gate.bound <= 1:
        per_cent = not bound.endswith("%") and 1 < gate.bound <= 100
        hint = f"; did you mean {bound.lstrip('+')}%?" if per_cent else ""
        raise GateSyntaxError(gate.text, f"{what} lies between 0 and 1 (100%){hint}")
    if (gate.operator, gate.bound) in ((">", 1.0), ("<", 0.0)):
        raise GateSyntaxError(
            gate.text,
            f"it can never hold: {what} lies between 0 and 1; "
            f"did you mean {gate.operator + '='!r}?",
        )


def _check_count(gate: Gate, bound: str) -> None:
    if bound.endswith("%") or 0 < gate.bound < 1:
        raise GateSyntaxError(
            gate.text,
            f"{gate.metric} is a number of trials and no share of them; "
            f"expected a whole number, such as '{gate.metric} {gate.operator} 2'",
        )
    _check_not_negative(gate)


def _check_amount(gate: Gate, bound: str) -> None:
    if bound.endswith("%"):
        raise GateSyntaxError(
            gate.text, f"{gate.metric} is no share of anything; expected a number without %"
        )
    _check_not_negative(gate)


def _check_not_negative(gate: Gate) -> None:
    if gate.bound < 0 or (gate.operator, gate.bound) == ("<", 0.0):
        raise GateSyntaxError(gate.text, f"{gate.metric} is never below 0")


def _number(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)
