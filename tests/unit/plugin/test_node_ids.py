"""The trial at the end of a node id is read in one way."""

import pytest

from pytest_taubench.plugin.collect import node_ids
from pytest_taubench.plugin.collect.node_ids import item_name, names_trial_zero, split_trial


@pytest.mark.parametrize(
    ("nodeid", "task", "trial"),
    [
        ("a.tau.yaml::buy[trial-3]", "a.tau.yaml::buy", 3),
        ("a.tau.yaml::buy[trial-12]@group", "a.tau.yaml::buy", 12),
        ("a.tau.yaml::buy", "a.tau.yaml::buy", None),
        ("a.tau.yaml::buy[trial-0]", "a.tau.yaml::buy[trial-0]", None),
        ("a.tau.yaml::buy[trial-1]more", "a.tau.yaml::buy[trial-1]more", None),
    ],
)
def test_an_id_is_split_at_its_trial_whatever_group_xdist_adds(nodeid, task, trial):
    assert split_trial(nodeid) == (task, trial)


def test_a_made_name_is_read_back():
    assert split_trial(item_name("buy[big]", 7)) == ("buy[big]", 7)


def test_a_trial_before_the_first_is_told_apart_from_no_trial():
    assert names_trial_zero("buy[trial-0]")
    assert not names_trial_zero("buy[trial-1]")
    assert not names_trial_zero("buy")


@pytest.mark.parametrize(
    "environment", [".venv/lib/python3.11", ".venv/lib/python3.14", "../elsewhere/lib/python3.12"]
)
def test_a_bundled_task_has_one_id_wherever_the_environment_lies(
    tmp_path, monkeypatch, environment
):
    project = tmp_path / "project"
    suites = (project / environment / "site-packages/pytest_taubench/bundled/tasks").resolve()
    monkeypatch.setattr(node_ids, "suites_root", lambda: suites)
    file = suites / "retail" / "returns.tau.yaml"
    assert node_ids.stable_nodeid(file, project) == "retail/returns.tau.yaml"


def test_in_a_checkout_the_id_of_a_bundled_task_is_its_path(tmp_path, monkeypatch):
    monkeypatch.setattr(node_ids, "suites_root", lambda: tmp_path / "tasks")
    file = tmp_path / "tasks" / "retail" / "returns.tau.yaml"
    assert node_ids.stable_nodeid(file, tmp_path) == "tasks/retail/returns.tau.yaml"
