"""A small domain whose right answers are plain, and failed trials played in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_taubench import Database, Environment, Overlay, ToolError, tool
from pytest_taubench.reward import gold_state, grade
from pytest_taubench.reward.attribution import attribute
from pytest_taubench.schema import (
    Action,
    ActionRecord,
    Attribution,
    Ending,
    FunctionCall,
    Message,
    Task,
    ToolCall,
    TrialRecord,
)


@tool(kind="read")
def get_booking(db: Overlay, booking_id: str) -> dict[str, Any]:
    """Look a booking up.

    Args:
        booking_id: The booking.
    """
    record = db.get("bookings", booking_id)
    if record is None:
        raise ToolError(f"no booking {booking_id}")
    return dict(record)


@tool(kind="write")
def cancel_booking(db: Overlay, booking_id: str) -> str:
    """Cancel a booking.

    Args:
        booking_id: The booking.
    """
    if db.get("bookings", booking_id) is None:
        raise ToolError(f"no booking {booking_id}")
    db.edit("bookings", booking_id)["status"] = "cancelled"
    return "cancelled"


@tool(kind="write")
def move_booking(db: Overlay, booking_id: str, day: str, hour: int) -> str:
    """Move a booking to another time.

    Args:
        booking_id: The booking.
        day: The day.
        hour: The hour.
    """
    booking = db.edit("bookings", booking_id)
    if booking["status"] == "cancelled":
        raise ToolError("it is cancelled")
    booking.update(day=day, hour=hour)
    return "moved"


@tool(kind="write")
def order_dishes(db: Overlay, booking_id: str, dishes: list[str], guests: int = 2) -> str:
    """Order dishes ahead; the kitchen does not care in which order they are named.

    Args:
        booking_id: The booking.
        dishes: The dishes.
        guests: For how many.
    """
    db.edit("bookings", booking_id).update(dishes=sorted(dishes), guests=guests)
    return "ordered"


@tool(kind="write")
def set_note(db: Overlay, booking_id: str, note: str) -> str:
    """Put a note in the place of the one before.

    Args:
        booking_id: The booking.
        note: The note.
    """
    db.edit("bookings", booking_id)["note"] = note
    return "noted"


@tool(kind="write")
def give_points(db: Overlay, guest_id: str, points: int) -> str:
    """Give a guest points.

    Args:
        guest_id: The guest.
        points: How many.
    """
    db.edit("guests", guest_id)["points"] += points
    return "given"


@tool(kind="write")
def book(db: Overlay, guest_id: str, day: str) -> str:
    """Book a table at seven, for which the guest gets a point.

    Args:
        guest_id: The guest.
        day: The day.
    """
    db.create("bookings", f"{guest_id}-{day}", {"status": "open", "day": day, "hour": 19})
    db.edit("guests", guest_id)["points"] += 1
    return "booked"


@tool(kind="write")
def cancel_for_points(db: Overlay, booking_id: str, guest_id: str) -> str:
    """Cancel a booking and give its guest a point.

    Args:
        booking_id: The booking.
        guest_id: The guest.
    """
    db.edit("bookings", booking_id)["status"] = "cancelled"
    db.edit("guests", guest_id)["points"] += 1
    return "cancelled"


@tool(kind="write")
def move_for_points(db: Overlay, booking_id: str, guest_id: str) -> str:
    """Move a booking to eight and take a point for it.

    Args:
        booking_id: The booking.
        guest_id: The guest.
    """
    db.edit("bookings", booking_id)["hour"] = 20
    db.edit("guests", guest_id)["points"] -= 1
    return "moved"


@tool(kind="generic", ends_episode=True)
def call_the_owner(db: Overlay) -> str:
    """Hand the guest over to the owner."""
    return "handed over"


TOOLS = {
    t.name: t
    for t in (
        get_booking,
        cancel_booking,
        move_booking,
        order_dishes,
        set_note,
        give_points,
        book,
        cancel_for_points,
        move_for_points,
        call_the_owner,
    )
}


def environment() -> Environment:
    """Two guests; three bookings on Monday at seven."""
    booking = {"status": "open", "day": "mon", "hour": 19, "dishes": [], "note": ""}
    bookings = {key: dict(booking) for key in ("B1", "B2", "B3")}
    return Environment(TOOLS, Database({"bookings": bookings, "guests": {"ann": {"points": 0}}}))


def call(name: str, **arguments: Any) -> Action:
    """A call, of the annotation or of a trial."""
    return Action(name=name, arguments=arguments)


CANCEL_1 = call("cancel_booking", booking_id="B1")
CANCEL_2 = call("cancel_booking", booking_id="B2")
MOVE_2 = call("move_booking", booking_id="B2", day="tue", hour=20)


def task_of(actions: Sequence[Action], outputs: Sequence[str] = (), **more: Any) -> Task:
    """A task with that annotation."""
    return Task(
        id="t",
        domain="restaurant",
        instruction="...",
        actions=[*actions],
        outputs=[*outputs],
        **more,
    )


def played(
    task: Task,
    calls: Sequence[Action],
    said: Sequence[str] = ("Is there anything else?",),
    ending: Ending = Ending.USER_STOP,
    **more: Any,
) -> TrialRecord:
    """The graded record of a trial that made these calls and said these texts."""
    trial = environment()
    actions = []
    for each in calls:
        result = trial.call(each.name, each.arguments)
        actions.append(
            ActionRecord(name=each.name, arguments=result.arguments, kind=result.kind, ok=result.ok)
        )
    gold = gold_state(environment(), task.actions)
    reward, components = grade(
        task.reward_basis,
        gold=gold,
        actual=trial.changes(),
        outputs=task.outputs,
        texts=said,
        gold_actions=task.actions,
        executed=actions,
        nl_assertions=more.pop("nl_assertions", None),
    )
    return TrialRecord(
        nodeid="a.tau.yaml::t[trial-1]",
        suite="s",
        domain="restaurant",
        task_id="t",
        trial=1,
        outcome="scored",
        reward=reward if ending.terminated else 0.0,
        components=components,
        ending=ending,
        steps=len(calls) + len(said),
        trajectory=[
            *(_message(number, each) for number, each in enumerate(calls)),
            *(Message(role="assistant", content=text) for text in said),
            Message(role="user", content="Bye."),
        ],
        actions=actions,
        expected_changes=gold.changes,
        actual_changes=trial.changes(),
        **more,
    )


def why(
    gold: Sequence[Action],
    calls: Sequence[Action],
    said: Sequence[str] = ("Is there anything else?",),
    ending: Ending = Ending.USER_STOP,
    outputs: Sequence[str] = (),
) -> Attribution:
    """The attribution of a failed trial."""
    task = task_of(gold, outputs)
    found = attribute(played(task, calls, said, ending), task, environment())
    assert found is not None, "the trial passed"
    return found


def _message(number: int, each: Action) -> Message:
    function = FunctionCall(name=each.name, arguments="{}")
    return Message(role="assistant", tool_calls=[ToolCall(id=f"c{number}", function=function)])
