"""The faults found in a hundred recorded trials of a model, some of them checked by reading."""

from pathlib import Path

import pytest

from pytest_taubench.runs.rescore import rescore, suite_of
from pytest_taubench.schema import Attribution
from pytest_taubench.task_files.upstream import read_data
from pytest_taubench.task_files.upstream.recorded import read_recorded


@pytest.fixture(scope="module")
def found(upstream: Path) -> dict[tuple[str, int], Attribution]:
    """The attribution of each failed trial, by task and trial."""
    folder = upstream / "tau-bench"
    trials = read_recorded(folder / "trajectories" / "gpt-4o-airline-trials-0-1.json")
    graded = rescore(trials, suite_of(trials, read_data(folder)), "recorded")
    records = [each.record for each in graded]
    failed = [r.attribution is not None for r in records]
    assert failed == [record.reward == 0 for record in records]
    return {(r.task_id, r.trial): r.attribution for r in records if r.attribution}


def test_every_failed_trial_is_explained(found):
    assert len(found) == 57  # the recorded rewards: 43 of 100 passed
    assert not [each for each, why in found.items() if "unexplained" in why.classes]


def test_a_bag_too_much_and_the_payment_for_it_are_the_wrong_arguments(found):
    # Read: all of the booking is as annotated, but one bag is paid for that is free.
    faults = found["0", 1].faults
    assert [fault.argument for fault in faults] == ["payment_methods[1].amount", "nonfree_baggages"]
    assert [(fault.expected, fault.actual) for fault in faults] == [(5, 55), (0, 1)]
    assert found["0", 1].paper_class == "wrong_argument"


def test_a_wrong_birthday_and_a_cancellation_that_policy_forbids_are_both_named(found):
    why = found["25", 1]
    assert why.classes == ["wrong_argument", "extra_action"]
    assert why.faults[0].argument == "passengers[0].dob"
    assert why.faults[1].tool == "cancel_reservation"


def test_a_cancellation_where_the_annotation_refuses_is_a_forbidden_write(found):
    assert found["15", 1].classes == ["forbidden_write"]
    assert found["15", 1].paper_class == "wrong_decision"


def test_an_upgrade_without_the_new_passenger_and_bags_is_partly_resolved(found):
    why = found["5", 1]
    assert [fault.tool for fault in why.faults] == [
        "update_reservation_passengers",
        "update_reservation_baggages",
    ]
    assert why.paper_class == "partly_resolved"


def test_another_reservation_cancelled_than_the_annotated_one_is_a_wrong_argument(found):
    [fault] = found["31", 2].faults
    assert (fault.tool, fault.argument) == ("cancel_reservation", "reservation_id")


def test_an_answer_without_the_number_is_wrong_information(found):
    assert found["44", 2].classes == ["missing_information"]
    assert found["44", 2].paper_class == "wrong_information"


def test_a_user_who_says_go_ahead_and_leaves_at_once_stopped_early(found):
    assert found["45", 2].classes == ["early_stop", "missing_action"]
    assert found["45", 2].paper_class is None
