"""``play``: a person, here a pipe, in the agent's place."""

import json
import signal
import subprocess
import sys

import pytest

PLAY = [sys.executable, "-m", "pytest_taubench", "play", "--user=my_user.py:User"]


@pytest.fixture
def play(shop):
    shop.tasks()

    def run(task, typed, *args):
        return subprocess.run(
            [*PLAY, f"tasks/orders.tau.yaml::{task}", *args],
            cwd=shop.path,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_task_is_solved_by_typing(play):
    result = play(
        "cancel-a1", 'get_order {"order_id": "A1"}\ncancel_order {"order_id": "A1"}\nDone.\n'
    )
    assert result.returncode == 0, result.stderr
    assert "user: You want order A1 cancelled." in result.stdout
    assert 'tool: {"status": "pending", "total": 12.5}' in result.stdout
    assert "reward 1, ended by user_stop after 3 steps" in result.stdout
    assert result.stdout.rstrip().count("user: Thanks.") == 1


def test_what_is_missing_is_said_at_the_end(play):
    result = play("cancel-a1", "I will not.\n")
    assert result.returncode == 1
    assert "reward 0" in result.stdout
    assert 'missing: orders/A1 status: "pending" -> "cancelled"' in result.stdout


def test_a_wrong_call_is_answered_as_an_agent_would_be(play):
    result = play(
        "cancel-a1",
        'cancel_order {"id": "A1"}\ncancel_order {broken\n?\n? cancel_order\n?policy\nBye.\n',
    )
    assert "order_id" in result.stdout
    assert result.stdout.count("tool: Error: ") == 2
    assert "cancel_order(order_id)" in result.stdout
    assert "order_id (string): The order." in result.stdout
    assert "Cancel what you are asked to cancel." in result.stdout


def test_a_mistyped_call_is_not_said_to_the_user(play):
    typed = [
        'get_oder {"order_id": "A1"}',
        "cancel_ordr",
        "get_order A1",
        'fly {"to": "Rome"}',
        'cancel_order {"order_id": "A1"}',
        "Done.",
    ]
    result = play("cancel-a1", "\n".join(typed) + "\n")
    assert [line for line in result.stdout.splitlines() if line.startswith("not sent")] == [
        "not sent: there is no tool 'get_oder'; did you mean 'get_order'?",
        "not sent: there is no tool 'cancel_ordr'; did you mean 'cancel_order'?",
        'not sent: write the arguments as JSON, get_order {"argument": "value"}',
        "not sent: there is no tool 'fly'; ? lists the tools",
    ]
    assert "reward 1, ended by user_stop after 2 steps" in result.stdout


@pytest.mark.parametrize("typed", ["", 'get_order {"order_id": "A1"}\n'])
def test_who_ends_the_input_is_not_graded(play, typed):
    result = play("cancel-a1", typed)
    last = result.stdout.splitlines()[-1]
    assert last == "unscored, cancelled: the input ended before the conversation did"
    assert (result.returncode, result.stderr) == (6, "")
    assert result.stdout.count("user: You want order A1 cancelled.") == 1
    record = json.loads(play("cancel-a1", typed, "--json").stdout)
    assert (record["outcome"], record["reward"], record["components"]) == ("unscored", None, [])
    assert record["ending"] == "cancelled"


def test_what_was_not_shown_yet_is_shown_at_the_end(play):
    result = play("cancel-a1", 'get_order {"order_id": "A1"}\n', "--max-steps=1")
    assert result.stdout.count('tool: {"status": "pending", "total": 12.5}') == 1
    assert "ended by max_steps after 1 step\n" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_at_once_with_one_line(shop):
    shop.tasks()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [*PLAY, "tasks/orders.tau.yaml::cancel-a1"]
    with subprocess.Popen(command, cwd=shop.path, text=True, **pipes) as process:
        try:
            assert any("user:" in line for line in process.stdout)
            process.send_signal(signal.SIGINT)
            # The input stays open: nobody presses Enter.
            assert process.wait(timeout=30) == 130
            assert process.stderr.read().split() == ["interrupted"]
        finally:
            process.kill()


@pytest.mark.parametrize("option", ["--trial=0", "--trial=one", "--max-steps=0"])
def test_a_number_below_one_is_refused(play, option):
    result = play("cancel-a1", "", option)
    assert result.returncode == 2
    name = option.partition("=")[0]
    assert f"error: argument {name}: expected a whole number from 1" in result.stderr
    assert "Traceback" not in result.stderr


def test_escape_codes_of_the_user_are_spelled_out(play, shop):
    user = shop.path.joinpath("my_user.py").read_text()
    shop.write("my_user.py", user.replace("Thanks.", "\\x1b[2JThanks."))
    result = play("cancel-a1", "I will not.\n")
    assert "user: \\x1b[2JThanks." in result.stdout


def test_the_record_as_json(play):
    result = play("total-of-a2", "It is 7.\n", "--json")
    record = json.loads(result.stdout)
    assert (record["reward"], record["agent"]) == (1.0, "you")


def test_a_file_without_a_task_is_asked_which(play):
    result = play("", "")
    assert result.returncode == 2
    said = "error: which task of tasks/orders.tau.yaml? Write tasks/orders.tau.yaml::ID; it has "
    assert f"{said}cancel-a1, total-of-a2\n" in result.stderr


def test_an_unknown_task_names_the_nearest(play):
    result = play("cancel-a2", "")
    assert (result.returncode, "did you mean 'cancel-a1'" in result.stderr) == (2, True)
