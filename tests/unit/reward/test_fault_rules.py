"""Each class of fault on a trial that plainly has it, and on one that only seems to."""

from restaurant import CANCEL_1, CANCEL_2, MOVE_2, call, environment, played, task_of, why

from pytest_taubench.reward.attribution import attribute
from pytest_taubench.schema import ActionRecord, Component


def test_a_trial_that_passed_has_no_attribution():
    task = task_of([CANCEL_1])
    assert attribute(played(task, [CANCEL_1]), task, environment()) is None


def test_an_unscored_trial_has_no_attribution():
    task = task_of([CANCEL_1])
    record = played(task, [])
    record = record.model_copy(update={"outcome": "unscored", "reward": None})
    assert attribute(record, task, environment()) is None


def test_another_tool_on_the_same_record_is_a_wrong_tool():
    found = why([MOVE_2], [CANCEL_2])
    assert found.classes == ["wrong_tool"]
    assert (found.faults[0].expected, found.faults[0].actual) == ("move_booking", "cancel_booking")
    assert found.paper_class == "wrong_decision"


def test_another_tool_on_another_record_is_one_action_missing_and_one_too_many():
    found = why([MOVE_2], [CANCEL_1])
    assert found.classes == ["extra_action", "missing_action"]


def test_a_tool_that_changes_another_record_besides_can_be_the_wrong_one():
    found = why([CANCEL_1], [call("cancel_for_points", booking_id="B1", guest_id="ann")])
    assert found.classes == ["wrong_tool"]


def test_a_record_that_two_deeds_change_besides_does_not_make_one_the_wrong_tool():
    gold = [call("cancel_for_points", booking_id="B1", guest_id="ann")]
    made = [call("move_for_points", booking_id="B2", guest_id="ann")]
    assert why(gold, made).classes == ["extra_action", "missing_action"]


def test_to_create_a_record_is_another_deed_than_to_change_one():
    gold = [call("book", guest_id="ann", day="fri")]
    made = [call("give_points", guest_id="ann", points=2)]
    assert why(gold, made).classes == ["extra_action", "missing_action"]


def test_a_wrong_argument_is_named_with_what_was_expected_and_what_was_given():
    found = why([MOVE_2], [call("move_booking", booking_id="B2", day="tue", hour=21)])
    [fault] = found.faults
    assert (fault.kind, fault.tool, fault.argument) == ("wrong_argument", "move_booking", "hour")
    assert (fault.expected, fault.actual) == (20, 21)
    assert fault.detail == "move_booking (booking_id B2): hour: expected 20, got 21"
    assert found.paper_class == "wrong_argument"


def test_the_wrong_record_is_a_wrong_argument_of_the_right_tool():
    [fault] = why([CANCEL_1], [CANCEL_2]).faults
    assert (fault.argument, fault.expected, fault.actual) == ("booking_id", "B1", "B2")


def test_a_call_that_changed_nothing_still_shows_its_wrong_argument():
    same_time = call("move_booking", booking_id="B2", day="mon", hour=19)
    found = why([call("move_booking", booking_id="B2", day="tue", hour=19)], [same_time])
    assert [fault.argument for fault in found.faults] == ["day"]


def test_an_argument_that_differs_without_consequence_is_no_fault():
    # The kitchen sorts the dishes, so that only the booking is wrong.
    gold = [call("order_dishes", booking_id="B1", dishes=["soup", "cake"]), MOVE_2]
    made = [call("order_dishes", booking_id="B1", dishes=["cake", "soup"])]
    found = why(gold, made)
    assert found.classes == ["missing_action"]
    assert found.paper_class == "wrong_decision"  # no annotated call was made as it stands


def test_of_two_arguments_that_differ_only_the_one_that_matters_is_to_blame():
    gold = [call("order_dishes", booking_id="B1", dishes=["soup", "cake"], guests=2)]
    made = [call("order_dishes", booking_id="B1", dishes=["cake", "soup"], guests=3)]
    [fault] = why(gold, made).faults
    assert (fault.argument, fault.expected, fault.actual) == ("guests", 2, 3)


def test_an_argument_that_was_left_out_or_put_in_is_named():
    gold = [call("order_dishes", booking_id="B1", dishes=["soup"], guests=4)]
    made = [call("order_dishes", booking_id="B1", dishes=["soup"])]
    [fault] = why(gold, made).faults
    assert (fault.argument, fault.expected, fault.actual) == ("guests", 4, None)
    assert fault.detail.endswith("guests: expected 4, got absent")
    [fault] = why(made, gold).faults
    assert (fault.argument, fault.expected, fault.actual) == ("guests", None, 4)


def test_a_list_of_plain_values_is_shown_whole():
    gold = [call("order_dishes", booking_id="B1", dishes=["soup", "cake", "tea"])]
    made = [call("order_dishes", booking_id="B1", dishes=["soup", "tea"])]
    [fault] = why(gold, made).faults
    assert (fault.expected, fault.actual) == (["soup", "cake", "tea"], ["soup", "tea"])


def test_calls_that_share_no_argument_are_one_missing_and_one_extra():
    gold = [call("move_booking", booking_id="B2", day="tue", hour=20)]
    made = [call("move_booking", booking_id="B1", day="wed", hour=12)]
    assert why(gold, made).classes == ["extra_action", "missing_action"]


def test_calls_are_matched_so_that_they_differ_least():
    # The second call is the first action but for the hour; matched in order both would be wrong.
    gold = [
        call("move_booking", booking_id="B1", day="tue", hour=18),
        call("move_booking", booking_id="B2", day="wed", hour=19),
    ]
    made = [
        call("move_booking", booking_id="B2", day="wed", hour=19),
        call("move_booking", booking_id="B1", day="tue", hour=17),
    ]
    [fault] = why(gold, made).faults
    assert (fault.argument, fault.expected, fault.actual) == ("hour", 18, 17)


def test_an_annotated_write_that_no_call_stands_for_is_missing():
    found = why([CANCEL_1, MOVE_2], [CANCEL_1])
    assert found.classes == ["missing_action"]
    assert found.faults[0].detail == (
        'never done: move_booking(booking_id="B2", day="tue", hour=20)'
    )
    assert found.paper_class == "partly_resolved"


def test_nothing_done_at_all_is_a_wrong_decision():
    assert why([CANCEL_1, MOVE_2], []).paper_class == "wrong_decision"


def test_a_refused_attempt_at_a_missing_action_is_told():
    gold = [MOVE_2]
    made = [call("move_booking", booking_id="B2", day="tue", hour="late")]
    [fault] = why(gold, made).faults
    assert fault.kind == "missing_action"
    assert "the tool refused once, at last move_booking(" in fault.detail
    assert '"late"' in fault.detail


def test_a_refused_call_of_another_tool_is_not_told_with_a_missing_action():
    [fault] = why([MOVE_2], [call("cancel_booking", booking_id="B9")]).faults
    assert "refused" not in fault.detail


def test_an_answer_given_beside_a_missing_action_makes_it_partly_resolved():
    found = why([CANCEL_1], [], said=["It is 42."], outputs=["42"])
    assert (found.classes, found.paper_class) == (["missing_action"], "partly_resolved")


def test_a_refused_call_is_no_write_of_the_trial():
    task = task_of([CANCEL_1])
    record = played(task, [])
    record.actions.append(
        ActionRecord(name="cancel_booking", arguments={"booking_id": "B1"}, ok=False)
    )
    assert attribute(record, task, environment()).classes == ["missing_action"]


def test_an_annotated_write_of_what_is_there_already_asks_for_nothing():
    gold = [call("set_note", booking_id="B1", note="")]
    assert why(gold, [CANCEL_1]).classes == ["forbidden_write"]


def test_a_write_beside_the_annotated_ones_is_extra():
    found = why([CANCEL_1], [CANCEL_1, call("give_points", guest_id="ann", points=5)])
    assert found.classes == ["extra_action"]
    assert found.faults[0].tool == "give_points"
    assert found.paper_class == "wrong_decision"


def test_a_write_where_the_annotation_has_none_is_forbidden():
    found = why([call("get_booking", booking_id="B1")], [CANCEL_1])
    assert found.classes == ["forbidden_write"]
    assert "the annotation changes nothing" in found.faults[0].detail
    assert found.paper_class == "wrong_decision"


def test_a_write_where_the_annotation_hands_the_user_over_says_so():
    found = why([call("call_the_owner")], [CANCEL_1])
    assert found.faults[0].detail == (
        'done, though the annotation hands the user over: cancel_booking(booking_id="B1")'
    )


def test_a_write_that_was_undone_is_no_fault():
    undone = [
        call("set_note", booking_id="B3", note="birthday"),
        call("set_note", booking_id="B3", note=""),
    ]
    assert why([CANCEL_1], undone).classes == ["missing_action"]


def test_where_the_database_is_right_no_action_is_at_fault_however_it_came_about():
    gold = [MOVE_2]
    made = [
        call("move_booking", booking_id="B2", day="tue", hour=9),
        call("move_booking", booking_id="B2", day="tue", hour=20),
    ]
    found = why(gold, made, outputs=["42"])
    assert found.classes == ["missing_information"]
    assert found.paper_class == "wrong_information"


def test_the_right_calls_in_an_order_that_matters_are_in_the_wrong_order():
    notes = [call("set_note", booking_id="B1", note=text) for text in ("first", "second")]
    found = why(notes, notes[::-1])
    assert found.classes == ["wrong_order"]
    assert found.paper_class == "wrong_decision"


def test_each_output_that_was_not_told_is_a_fault():
    found = why([], [], said=["It is 7."], outputs=["7", "8", "9"])
    assert [fault.expected for fault in found.faults] == ["8", "9"]
    assert found.classes == ["missing_information"]
    assert found.paper_class == "wrong_information"


def test_an_assertion_the_judge_found_unmet_is_a_fault():
    task = task_of([CANCEL_1], reward_basis=["database", "nl_assertions"])
    verdicts = [
        {"assertion": "It is kind.", "met": True, "reason": "It is."},
        {"assertion": "It asks first.", "met": False, "reason": "It did not."},
    ]
    judged = Component(name="nl_assertions", value=0, detail={"verdicts": verdicts})
    record = played(task, [CANCEL_1], nl_assertions=judged)
    [fault] = attribute(record, task, environment()).faults
    assert (fault.kind, fault.expected) == ("unmet_assertion", "It asks first.")


def test_where_the_basis_asks_for_the_calls_themselves_each_one_not_made_is_missing():
    task = task_of([call("get_booking", booking_id="B1"), CANCEL_2], reward_basis=["actions"])
    found = attribute(played(task, [CANCEL_2]), task, environment())
    [fault] = found.faults
    assert (fault.kind, fault.tool) == ("missing_action", "get_booking")


def test_where_the_database_counts_as_well_a_missing_write_is_one_fault_and_not_two():
    gold = [call("get_booking", booking_id="B1"), CANCEL_1]
    task = task_of(gold, reward_basis=["database", "actions"])
    found = attribute(played(task, []), task, environment())
    assert sorted(fault.tool for fault in found.faults) == ["cancel_booking", "get_booking"]


def test_the_database_is_no_fault_where_the_basis_leaves_it_out():
    task = task_of([CANCEL_1], outputs=["42"], reward_basis=["outputs"])
    assert attribute(played(task, [CANCEL_2]), task, environment()).classes == [
        "missing_information"
    ]


def test_what_no_rule_explains_is_said_to_be_unexplained_with_what_the_component_says():
    task = task_of([CANCEL_1])
    record = played(task, [CANCEL_1])
    # As if something other than the trial's calls had changed the database.
    record.components[0] = Component(name="database", value=0, detail={"unexpected": ["guests/x"]})
    record = record.model_copy(update={"reward": 0.0})
    found = attribute(record, task, environment())
    assert (found.classes, found.faults[0].detail) == (["unexplained"], "guests/x")
    assert found.paper_class is None


def test_a_call_of_an_unknown_tool_is_passed_over():
    assert why([CANCEL_1], [call("fly"), call("cancel_booking", id="B1")]).classes == [
        "missing_action"
    ]
