"""Runs on disk: what was written comes back, and what was torn is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.runs.store import (
    RunStore,
    StoreError,
    decode_record,
    encode_record,
    new_run_folder,
    read_run,
    safe_name,
)
from pytest_taubench.schema import (
    ActionRecord,
    Component,
    Ending,
    Message,
    RecordChange,
    RunInfo,
    RunSettings,
    TrialRecord,
)

INFO = RunInfo(run_id="run", started="2025-01-02T03:04:05Z", settings=RunSettings(trials=2))


def record(task: str = "a", trial: int = 1, **values: Any) -> TrialRecord:
    fields: dict[str, Any] = {
        "nodeid": f"x.tau.yaml::{task}[trial-{trial}]",
        "suite": "x",
        "domain": "shop",
        "task_id": task,
        "task_hash": f"hash-{task}",
        "trial": trial,
        "outcome": "scored",
        "reward": 1.0,
        "ending": Ending.USER_STOP,
    }
    return TrialRecord(**fields | values)


def stored(folder: Path, *records: TrialRecord) -> RunStore:
    store = RunStore.create(folder, INFO.model_copy(deep=True))
    for each in records:
        store.append(each)
    return store


def test_what_was_written_is_read_back(tmp_path):
    full = record(
        components=[Component(name="outputs", value=0, detail={"missing": ["54.04"]})],
        trajectory=[Message(role="user", content="Grüße → \u2028 \x1b[31m\n###STOP###")],
        actions=[ActionRecord(name="get", arguments={"n": 1.5, "pair": "\U0001f600"})],
        expected_changes={"orders": {"#W1": RecordChange(before={"a": 1}, after=None)}},
        reward=0.0,
    )
    store = stored(tmp_path, full, record("b"))
    store.close()
    info, records, warnings = read_run(tmp_path)
    assert records == [full, record("b")]
    assert warnings == []
    assert info.settings.trials == 2
    assert info.task_hashes == {"x.tau.yaml::a": "hash-a", "x.tau.yaml::b": "hash-b"}


def test_half_a_pair_that_no_run_writes_is_read_as_what_any_report_can_show(tmp_path):
    forged = record(trajectory=[Message(role="user", content="half \ud83d")])
    stored(tmp_path, forged).close()
    ((read,), _) = read_run(tmp_path)[1:]
    assert read.trajectory[0].content == "half \ufffd"


def test_a_record_is_one_line_of_ascii_whatever_it_holds():
    text = encode_record(record(error={"type": "E", "message": "a\nb\u2028c\x00 \U0001f600"}))
    assert text.isascii()
    assert text.isprintable()
    assert decode_record(text).error.message == "a\nb\u2028c\x00 \U0001f600"


def test_numbers_that_json_lacks_survive(tmp_path):
    odd = record(actions=[ActionRecord(name="get", arguments={"n": float("inf")})])
    assert decode_record(encode_record(odd)).actions[0].arguments in (
        {"n": float("inf")},
        {"n": None},
    )


def test_each_record_is_on_disk_before_the_next(tmp_path):
    store = stored(tmp_path, record("a"))
    _, records, _ = read_run(tmp_path)
    store.close()
    assert [r.task_id for r in records] == ["a"]


def test_the_hashes_of_a_run_that_was_killed_come_from_its_records(tmp_path):
    store = stored(tmp_path, record("a"))
    assert json.loads((tmp_path / "run.json").read_text())["task_hashes"] == {}
    assert read_run(tmp_path)[0].task_hashes == {"x.tau.yaml::a": "hash-a"}
    store.close()


@pytest.mark.parametrize("kept", [1, 20, 200])
def test_a_torn_last_line_is_reported_and_skipped(tmp_path, kept):
    stored(tmp_path, record("a"), record("b")).close()
    path = tmp_path / "trials.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{second[:kept]}")
    _, records, warnings = read_run(tmp_path)
    assert [r.task_id for r in records] == ["a"]
    assert len(warnings) == 1
    assert "trials.jsonl:2" in warnings[0]


def test_a_last_line_that_is_no_record_and_yet_whole_was_not_cut_short(tmp_path):
    stored(tmp_path, record("a")).close()
    path = tmp_path / "trials.jsonl"
    path.write_text(path.read_text() + '{"task_id": "b"\n')
    with pytest.raises(StoreError, match=r"trials\.jsonl:2: this line is no record"):
        read_run(tmp_path)


def test_a_line_that_is_no_record_elsewhere_is_an_error_with_its_number(tmp_path):
    stored(tmp_path, record("a"), record("b")).close()
    path = tmp_path / "trials.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{second[:50]}\n{second}\n")
    with pytest.raises(StoreError, match=r"trials\.jsonl:2"):
        read_run(tmp_path)


def test_doubles_are_an_error_that_names_them(tmp_path):
    stored(tmp_path, record("a", 2), record("b"), record("a", 2)).close()
    with pytest.raises(StoreError, match=r"x\.tau\.yaml::a trial 2"):
        read_run(tmp_path)


def test_the_same_id_in_two_files_is_no_double(tmp_path):
    stored(tmp_path, record("a"), record("a", nodeid="y.tau.yaml::a[trial-1]")).close()
    assert len(read_run(tmp_path)[1]) == 2


def test_lost_records_of_a_run_that_planned_some_are_an_error(tmp_path):
    store = stored(tmp_path, record("a"))
    store.update(planned={"x.tau.yaml::a": 1})
    store.close()
    (tmp_path / "trials.jsonl").unlink()
    with pytest.raises(StoreError, match=r"trials\.jsonl is missing"):
        read_run(tmp_path)


def test_a_run_that_planned_nothing_may_lack_its_records(tmp_path):
    stored(tmp_path).close()
    (tmp_path / "trials.jsonl").unlink()
    _, records, warnings = read_run(tmp_path)
    assert records == []
    assert "trials.jsonl is missing" in warnings[0]


def test_a_run_without_records_is_empty(tmp_path):
    stored(tmp_path).close()
    assert read_run(tmp_path)[1:] == ([], [])


@pytest.mark.parametrize(
    ("text", "message"), [(None, "holds no run"), ("{", "run.json"), ("{}", "run_id")]
)
def test_a_folder_that_holds_no_run_is_an_error(tmp_path, text, message):
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    with pytest.raises(StoreError, match=message):
        read_run(tmp_path)


def test_a_run_is_never_written_over(tmp_path):
    stored(tmp_path, record("a")).close()
    with pytest.raises(FileExistsError):
        RunStore.create(tmp_path, INFO)
    assert len(read_run(tmp_path)[1]) == 1


def test_runs_that_start_in_the_same_second_get_folders_of_their_own(tmp_path):
    folders = [new_run_folder(tmp_path / "runs", "2025-01-02-oracle") for _ in range(3)]
    assert [folder.name for folder in folders] == [
        "2025-01-02-oracle",
        "2025-01-02-oracle-2",
        "2025-01-02-oracle-3",
    ]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("openai/gpt-4o", "openai_gpt-4o"),
        ("http://localhost:8000/v1", "http_localhost_8000_v1"),
        ("../../etc/passwd", "etc_passwd"),
        ("agents\\mine.py:Agent", "agents_mine.py_Agent"),
        ("  ", "unnamed"),
        ("模型", "unnamed"),
        ("x" * 300, "x" * 80),
    ],
)
def test_names_are_made_safe_for_any_file_system(name, safe):
    assert safe_name(name) == safe


def test_an_older_run_s_ids_of_bundled_tasks_lose_where_the_environment_lay(tmp_path):
    prefix = ".venv/lib/python3.12/site-packages/pytest_taubench/bundled/tasks/"
    long = record(nodeid=f"{prefix}retail/returns.tau.yaml::a[trial-1]")
    store = stored(tmp_path, long)
    store.close()
    info, (read,), _ = read_run(tmp_path)
    assert read.nodeid == "retail/returns.tau.yaml::a[trial-1]"
    assert list(info.task_hashes) == ["retail/returns.tau.yaml::a"]
