"""The one loop: who speaks when, what counts as a step, what the agent is told."""

import pytest
from small_episode import User, call, calls, play, roles, run

from pytest_taubench.schema import Ending
from pytest_taubench.trial.episode import HARNESS


def test_the_user_speaks_first_and_the_policy_is_the_system_message():
    seen = []

    def agent(messages, tools):
        seen.append(messages)
        return "done"

    episode = run(agent)
    assert [m["role"] for m in seen[0]] == ["system", "user"]
    assert seen[0][0]["content"] == "be kind"
    assert roles(episode) == ["user", "assistant", "user"]
    assert episode.user.heard == [None, "done"]


def test_a_tool_call_changes_the_database_and_the_agent_reads_the_answer():
    episode = play(calls(call("cancel", {"order_id": "#1"})))
    assert episode.environment.changes()["orders"]["#1"].after == {"status": "cancelled"}
    assert episode.trajectory[2].content == "cancelled"
    assert (episode.ending, episode.steps) == (Ending.USER_STOP, 2)


def test_several_calls_in_one_message_each_run_in_order_and_count():
    # KNOWN_FAULTS 11
    episode = play(
        calls(
            call("look", {"order_id": "#1"}, "a"),
            call("cancel", {"order_id": "#1"}, "b"),
            call("look", {"order_id": "#1"}, "c"),
        )
    )
    assert [a.name for a in episode.actions] == ["look", "cancel", "look"]
    assert [m.tool_call_id for m in episode.trajectory if m.role == "tool"] == ["a", "b", "c"]
    assert '"cancelled"' in episode.trajectory[4].content
    assert episode.steps == 4


@pytest.mark.parametrize("arguments", ["{order_id: 1}", "[1]", '"#1"', "null"])
def test_arguments_that_are_no_json_object_are_an_error_the_agent_sees(arguments):
    # KNOWN_FAULTS 12
    episode = play(calls(call("cancel", arguments)))
    assert episode.trajectory[2].content.startswith("Error: ")
    assert (episode.actions[0].ok, episode.actions[0].arguments) == (False, None)
    assert episode.ending is Ending.USER_STOP
    assert episode.environment.changes() == {}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("cancle", {"order_id": "#1"}, "'cancel'"),
        ("cancel", {}, "order_id"),
        ("cancel", {"order_id": "#1", "reason": "x"}, "reason"),
    ],
)
def test_an_unknown_tool_a_missing_or_an_extra_argument_is_named_to_the_agent(
    name, arguments, said
):
    # KNOWN_FAULTS 13
    episode = play(calls(call(name, arguments)))
    assert episode.trajectory[2].content.startswith("Error: ")
    assert said in episode.trajectory[2].content
    assert episode.ending is Ending.USER_STOP


@pytest.mark.parametrize("reply", [None, {"content": None}, {"content": "  "}, ""])
def test_a_reply_with_neither_text_nor_call_is_told_to_the_agent_alone(reply):
    # KNOWN_FAULTS 14
    episode = play(reply)
    assert episode.trajectory[2].name == HARNESS
    assert episode.user.heard == [None, "done"]
    assert (episode.ending, episode.steps) == (Ending.USER_STOP, 2)


def test_empty_replies_to_the_cap_end_the_trial_scored():
    # KNOWN_FAULTS 14
    episode = play(*[None] * 9, max_steps=4)
    assert (episode.ending, episode.steps) == (Ending.MAX_STEPS, 4)
    assert episode.ending.scored


def test_text_beside_a_call_is_kept_but_not_sent_to_the_user():
    # KNOWN_FAULTS 15
    episode = play(calls(call("look", {"order_id": "#1"}), text="let me see"))
    assert episode.trajectory[1].content == "let me see"
    assert episode.user.heard == [None, "done"]
    assert episode.told == ["done"]


def test_a_transfer_ends_the_episode_and_the_calls_after_it_do_not_run():
    episode = play(
        calls(call("transfer", {"summary": "s"}), call("cancel", {"order_id": "#1"}, "d"))
    )
    assert episode.ending is Ending.TRANSFER
    assert episode.environment.changes() == {}


def test_a_transfer_that_fails_does_not_end_the_episode():
    # KNOWN_FAULTS 8
    episode = play(calls(call("transfer", {})))
    assert episode.trajectory[2].content.startswith("Error: ")
    assert episode.ending is Ending.USER_STOP


def test_the_users_stop_on_the_last_allowed_step_is_the_users_stop():
    # KNOWN_FAULTS 9
    episode = play(calls(call("cancel", {"order_id": "#1"})), max_steps=2)
    assert (episode.ending, episode.steps) == (Ending.USER_STOP, 2)


def test_at_the_cap_the_agent_is_not_asked_again():
    asked = []

    def agent(messages, tools):
        asked.append(messages)
        return "go on"

    episode = run(agent, user=User("cancel #1", stops=False), max_steps=2)
    assert (len(asked), episode.ending, episode.steps) == (2, Ending.MAX_STEPS, 2)


def test_a_transfer_on_the_last_allowed_step_is_a_transfer():
    assert play(calls(call("transfer", {"summary": "s"})), max_steps=1).ending is Ending.TRANSFER


def test_the_step_cap_counts_agent_actions_and_cuts_a_message_of_many_calls():
    many = calls(*[call("look", {"order_id": "#1"}, f"c{i}") for i in range(5)])
    episode = play(many, max_steps=3)
    assert (episode.ending, episode.steps, len(episode.actions)) == (Ending.MAX_STEPS, 3, 3)
