"""``--tau-shard``: every item in one part, parts alike in time, and ``merge`` makes them whole."""

import json

import pytest

from pytest_taubench.commands.cli import main
from pytest_taubench.plugin.collect.sharding import durations_name, spread, weights
from pytest_taubench.runs.store import read_run
from pytest_taubench.runs.stored_run import load_run


def items_of(result):
    return {line for line in result.stdout.lines if "[trial-" in line or "::test_" in line}


def test_every_item_is_in_exactly_one_part(shop):
    shop.many_tasks(5)
    shop.write("test_own.py", "def test_a():\n    pass\n\ndef test_b():\n    pass\n")
    collect = ("--tau-trials=3", "--collect-only", "-q")
    parts = [items_of(shop.run(*collect, f"--tau-shard={n}/4")) for n in (1, 2, 3, 4)]
    assert sum(map(len, parts)) == 17
    assert set.union(*parts) == items_of(shop.run(*collect))
    assert sorted(map(len, parts)) == [4, 4, 4, 5]


def test_merged_parts_are_the_whole_run(shop, plugin_args):
    shop.many_tasks(3)
    assert shop.run("--tau-agent=oracle", "--tau-trials=2", "--tau-run-dir=whole").ret == 0
    for number in (1, 2, 3):
        shop.run("--tau-agent=oracle", "--tau-trials=2", f"--tau-shard={number}/3", *plugin_args)
    shards = sorted(map(str, (shop.path / ".tau-runs").glob("[!.]*")))
    assert main(["merge", *shards, "--out", str(shop.path / "all")]) == 0
    info, records, _ = read_run(shop.path / "all")
    whole, expected, _ = read_run(next((shop.path / "whole").iterdir()))
    assert {r.nodeid: r.reward for r in records} == {r.nodeid: r.reward for r in expected}
    assert (info.planned, info.shard) == (whole.planned, None)


def test_a_missing_part_is_no_merge(shop, capsys):
    shop.many_tasks(3)
    shop.run("--tau-agent=oracle", "--tau-shard=1/3")
    shop.run("--tau-agent=oracle", "--tau-shard=3/3")
    shards = sorted(map(str, (shop.path / ".tau-runs").glob("[!.]*")))
    capsys.readouterr()
    assert main(["merge", *shards, "--out", str(shop.path / "all")]) == 2
    assert "of 3 shards there is no run of 2" in capsys.readouterr().err


def test_a_part_that_no_item_falls_to_succeeds_and_is_part_of_the_whole(shop, plugin_args):
    shop.many_tasks(2)
    args = ("--tau-agent=oracle", "--tau-run-dir=parts", *plugin_args)
    results = [shop.run(*args, f"--tau-shard={number}/3") for number in (1, 2, 3)]
    assert [result.ret for result in results] == [0, 0, 0]
    results[2].stdout.fnmatch_lines(["no trial of this part ran; its run in * is empty"])
    parts = sorted((shop.path / "parts").iterdir())
    assert sorted(len(read_run(part)[1]) for part in parts) == [0, 1, 1]
    assert all((part / "trials.jsonl").exists() for part in parts)
    assert main(["merge", *map(str, parts), "--out", str(shop.path / "all")]) == 0
    info, records, _ = read_run(shop.path / "all")
    assert len(records) == 2
    assert info.planned == {f"tasks/many.tau.json::t{n}": 1 for n in (0, 1)}


@pytest.mark.parametrize(("gate", "status"), [("trials >= 0", 0), ("trials >= 1", 1)])
def test_the_gates_of_an_empty_part_decide_of_it(shop, gate, status):
    shop.many_tasks(1)
    args = ("--tau-agent=oracle", f"--tau-gate={gate}")
    assert shop.run(*args, "--tau-shard=2/2").ret == status
    assert shop.records() == []


def test_a_part_of_ordinary_tests_alone_is_part_of_the_whole(shop):
    shop.many_tasks(1)
    shop.write("test_own.py", "def test_a():\n    pass\n")
    for number in (1, 2):
        shop.run("--tau-agent=oracle", f"--tau-shard={number}/2").assert_outcomes(passed=1)
    parts = sorted(map(str, (shop.path / ".tau-runs").glob("[!.]*")))
    assert main(["merge", *parts, "--out", str(shop.path / "all")]) == 0
    assert len(read_run(shop.path / "all")[1]) == 1


AGENT_OF_A_FIXTURE = """
import pytest
from my_agent import agent

@pytest.fixture
def tau_agent():
    return agent
"""


def test_an_empty_part_does_not_know_the_agent_that_a_fixture_gives(shop):
    shop.many_tasks(1)
    shop.write("conftest.py", AGENT_OF_A_FIXTURE)
    for number in (1, 2):
        assert shop.run(f"--tau-shard={number}/2", f"--tau-run-dir={number}").ret == 0
    (one,), (two,) = (list((shop.path / number).iterdir()) for number in ("1", "2"))
    agents = [read_run(part)[0].settings.agent for part in (one, two)]
    assert (bool(agents[0]), agents[1]) == (True, "")
    assert main(["merge", str(two), str(one), "--out", str(shop.path / "all")]) == 0
    assert read_run(shop.path / "all")[0].settings.agent == agents[0]


def test_an_empty_part_can_be_gone_on_with(shop):
    shop.many_tasks(1)
    args = ("--tau-agent=oracle", "--tau-shard=2/2", "--tau-resume")
    assert [shop.run(*args).ret, shop.run(*args).ret] == [0, 0]
    assert len(list((shop.path / ".tau-runs").glob("[!.]*"))) == 1


def test_where_there_are_no_trials_at_all_no_part_stores_a_run(shop, plugin_args):
    shop.write("test_own.py", "def test_a():\n    pass\n")
    assert [shop.run(f"--tau-shard={n}/2", *plugin_args).ret for n in (1, 2)] == [0, 0]
    assert not (shop.path / ".tau-runs").exists()


def test_that_nothing_was_collected_at_all_is_no_empty_part(shop):
    assert shop.run("--tau-agent=oracle", "--tau-shard=1/2").ret == 5
    assert not (shop.path / ".tau-runs").exists()


SLOW_ONE = """
import time

def agent(messages, tools):
    if "SLOW" in messages[1]["content"]:
        time.sleep(1)
    return "Yes."
"""


def test_recorded_durations_balance_the_parts(shop, plugin_args):
    shop.tasks(
        "domain: ../shop\ntasks:\n"
        + "".join(
            f"  - {{id: t{n}, instruction: {'SLOW' if n == 0 else 'fast'}, actions: [], outputs: ['Yes']}}\n"
            for n in range(6)
        )
    )
    shop.write("slow.py", SLOW_ONE)
    shop.run("--tau-agent=slow.py:agent")
    args = ("--tau-agent=slow.py:agent", *plugin_args)
    first = shop.run(*args, "--tau-shard=1/2")
    # The one slow trial outweighs the five others together.
    first.assert_outcomes(passed=1)
    first.stdout.fnmatch_lines(["shard 1 of 2, balanced by the durations of *"])
    assert list(shop.rewards()) == ["t0[trial-1]"]
    # The first part's run lies in the folder now, and must not balance the second.
    shop.run(*args, "--tau-shard=2/2").assert_outcomes(passed=5)


def test_parts_cut_by_other_durations_are_no_merge(shop, capsys):
    shop.many_tasks(2)
    shop.run("--tau-agent=oracle", "--tau-shard=1/2", "--tau-run-dir=shards")
    shop.run("--tau-agent=oracle", "--tau-run-dir=main")
    (whole,) = (shop.path / "main").iterdir()
    shop.run(
        "--tau-agent=oracle",
        "--tau-shard=2/2",
        f"--tau-durations=main/{whole.name}",
        "--tau-run-dir=shards",
    )
    capsys.readouterr()
    shards = sorted(map(str, (shop.path / "shards").iterdir()))
    assert main(["merge", *shards, "--out", str(shop.path / "all")]) == 2
    assert "not shards of one run" in capsys.readouterr().err


def test_durations_are_told_apart_by_more_than_the_name_of_their_run(shop):
    shop.many_tasks(2)
    shop.run("--tau-agent=oracle", "--tau-run-dir=main")
    (whole,) = (shop.path / "main").iterdir()
    path = whole / "trials.jsonl"
    cuts = set()
    for seconds in (1.5, 2.5, 2.5):
        records = [
            json.loads(line) | {"duration": seconds} for line in path.read_text().splitlines()
        ]
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        cuts.add(durations_name(load_run(whole)))
    assert len(cuts) == 2
    assert all(cut.startswith(f"{whole.name}#") for cut in cuts)


@pytest.mark.parametrize(
    ("loads", "parts", "expected"),
    [
        ([1, 1, 1, 1, 1], 2, [1, 2, 1, 2, 1]),
        ([5, 1, 1, 1, 1, 1], 2, [1, 2, 2, 2, 2, 2]),
        ([3, 3, 2, 2, 2], 2, [1, 2, 1, 2, 1]),
    ],
)
def test_the_longest_goes_first_to_the_part_with_the_least(loads, parts, expected):
    assert spread(loads, parts) == expected


def test_a_task_that_was_never_timed_takes_the_mean():
    assert weights(["a", "b", "new"], {"a": 1.0, "b": 3.0}) == [1.0, 3.0, 2.0]
