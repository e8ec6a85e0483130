"""How a gate is written: read from text, and refused where no run could meet or fail it."""

from __future__ import annotations

import difflib
import re

from pytest_taubench.errors import TauBenchError
from pytest_taubench.gates.builtin import METRICS, NO_REGRESSION, metric_of
from pytest_taubench.gates.metric import Gate, GateMetric

# Brackets may stand in it: those of a node id are read, to be answered in words.
_SELECTOR = r"(?:\[(?P<selector>(?:[^\[\]]|\[[^\[\]]*\])+)\])?"
_THRESHOLD = re.compile(
    rf"\s*(?P<metric>each\s+task|[A-Za-z_][\w.]*(?:[\^@]\s*\d+)?)\s*{_SELECTOR}"
    r"\s*(?P<operator>>=|<=|==|>|<)\s*(?P<bound>[-+]?(?:\d+(?:\.\d*)?|\.\d+)%?)\s*"
)
_NO_REGRESSION = re.compile(
    rf"\s*no\s+regression\s*{_SELECTOR}\s*(?:within\s+(?P<margin>(?:\d+(?:\.\d*)?|\.\d+)%?))?\s*"
)


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


def parse_gate(text: str) -> Gate:
    """Read a gate such as ``pass^4 >= 0.6``, ``pass^1[airline] >= 50%`` or ``no regression``.

    Raises:
        GateSyntaxError: With the nearest valid metric.
    """
    if match := _NO_REGRESSION.fullmatch(text):
        return _gate(text, NO_REGRESSION, match["selector"], "", match["margin"] or "0")
    match = _THRESHOLD.fullmatch(text)
    if match is None:
        raise GateSyntaxError(
            text,
            "it cannot be read; expected METRIC[SUITE] OPERATOR NUMBER, such as "
            "'pass^4 >= 0.6' or 'pass^1[airline] >= 0.5', or 'no regression'",
        )
    words = match["metric"].split()
    name = " ".join(words) if words[0] == "each" else "".join(words)
    metric = metric_of(name)
    if metric is None:
        raise GateSyntaxError(text, f"there is no metric {name!r}; {_meant(name)}")
    return _gate(text, metric, match["selector"], match["operator"], match["bound"])


def _gate(text: str, metric: GateMetric, selector: str | None, operator: str, written: str) -> Gate:
    gate = Gate(text, metric, selector, operator, _number(written))
    if (why := metric.refusal(operator, gate.bound, written)) is not None:
        raise GateSyntaxError(text, why)
    return gate


def _meant(name: str) -> str:
    near = difflib.get_close_matches(name, [*METRICS, "pass^1", "pass@1"], 1)
    return (
        f"did you mean {near[0]!r}?" if near else f"expected pass^k, pass@k or {', '.join(METRICS)}"
    )


def _number(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)
