"""An agent that runs its own tool loop is recorded and bounded like any other."""

import pytest
from small_episode import cancel, roles, run

from pytest_taubench.agents.protocol import bind_tool
from pytest_taubench.schema import Ending


class OwnLoop:
    """An agent with its own tool loop over the bound callables."""

    def __init__(self, context):
        self.tools = {t.__name__: t for t in context.tools}

    def respond(self, text):
        assert '"pending"' in self.tools["look"]("#1")
        return self.tools["cancel"](order_id="#1")


def test_an_agents_own_tool_loop_is_recorded_as_if_the_harness_had_run_it():
    episode = run(OwnLoop)
    assert [(a.name, a.arguments, a.kind) for a in episode.actions] == [
        ("look", {"order_id": "#1"}, "read"),
        ("cancel", {"order_id": "#1"}, "write"),
    ]
    assert roles(episode) == ["user", "assistant", "tool", "assistant", "tool", "assistant", "user"]
    assert (episode.steps, episode.told) == (3, ["cancelled"])


@pytest.mark.parametrize("swallows", [True, False])
def test_an_own_tool_loop_that_never_ends_is_broken_off_at_the_cap(swallows):
    class Endless(OwnLoop):
        def respond(self, text):
            while True:
                try:
                    self.tools["look"](order_id="#1")
                except Exception:
                    if not swallows:
                        raise

    episode = run(Endless, max_steps=4)
    assert (episode.ending, episode.steps, len(episode.actions)) == (Ending.MAX_STEPS, 4, 4)


def test_a_text_after_an_own_loop_that_used_up_the_cap_is_one_step_too_many():
    episode = run(OwnLoop, max_steps=2)
    assert [action.name for action in episode.actions] == ["look", "cancel"]
    assert (episode.ending, episode.steps, episode.told) == (Ending.MAX_STEPS, 2, [])


def test_an_own_loop_that_transfers_ends_there_and_its_last_text_is_not_told():
    class Transferring(OwnLoop):
        def respond(self, text):
            self.tools["transfer"](summary="s")
            return "goodbye"

    episode = run(Transferring)
    assert (episode.ending, episode.told) == (Ending.TRANSFER, [])


def test_bound_tools_look_like_the_functions_they_are():
    import inspect

    bound = bind_tool(cancel, lambda name, arguments: f"{name} {arguments}")
    assert str(inspect.signature(bound)) == "(order_id: str) -> str"
    assert bound.__name__ == "cancel"
    assert "Cancel an order." in bound.__doc__
    assert bound("#1") == "cancel {'order_id': '#1'}"
