"""The airline's read and generic tools."""

from __future__ import annotations

import pytest
from airline_world import done, refused, small_airline

from pytest_taubench import Environment


@pytest.fixture
def airline() -> Environment:
    return small_airline()


def test_a_user_is_found_by_id(airline: Environment) -> None:
    user = done(airline, "get_user_details", user_id="ada_weber_1001")
    assert user["membership"] == "silver"
    assert user["reservations"] == ["ECO222", "BAS111"]


def test_an_unknown_user_is_refused(airline: Environment) -> None:
    assert "'ada_weber'" in refused(airline, "get_user_details", user_id="ada_weber")


def test_a_reservation_is_found_by_id(airline: Environment) -> None:
    reservation = done(airline, "get_reservation_details", reservation_id="BAS111")
    assert reservation["cabin"] == "basic_economy"


def test_an_unknown_reservation_is_refused(airline: Environment) -> None:
    assert "'BAS112'" in refused(airline, "get_reservation_details", reservation_id="BAS112")


def test_the_airports_are_those_the_flights_serve(airline: Environment) -> None:
    assert done(airline, "list_all_airports") == {
        "JFK": "New York",
        "ORD": "Chicago",
        "SEA": "Seattle",
    }


@pytest.mark.parametrize(
    ("date", "status"),
    [("2024-05-15", "landed"), ("2024-05-16", "cancelled"), ("2024-05-20", "available")],
)
def test_the_status_of_a_flight_is_that_of_its_date(
    airline: Environment, date: str, status: str
) -> None:
    assert done(airline, "get_flight_status", flight_number="MRD001", date=date) == status


def test_the_status_of_an_unknown_flight_or_date_is_refused(airline: Environment) -> None:
    unknown = refused(airline, "get_flight_status", flight_number="MRD999", date="2024-05-20")
    assert "MRD999" in unknown
    unscheduled = refused(airline, "get_flight_status", flight_number="MRD001", date="May 20")
    assert "YYYY-MM-DD" in unscheduled


def test_a_direct_flight_is_offered_with_the_prices_and_seats_of_the_date(
    airline: Environment,
) -> None:
    offers = done(
        airline, "search_direct_flight", origin="JFK", destination="SEA", date="2024-05-20"
    )
    assert offers == [
        {
            "flight_number": "MRD001",
            "origin": "JFK",
            "destination": "SEA",
            "scheduled_departure_time_est": "06:00:00",
            "scheduled_arrival_time_est": "12:00:00",
            "status": "available",
            "available_seats": {"basic_economy": 3, "economy": 2, "business": 0},
            "prices": {"basic_economy": 100, "economy": 150, "business": 400},
        }
    ]


def test_a_flight_that_cannot_be_booked_is_not_offered(airline: Environment) -> None:
    for date in ("2024-05-15", "2024-05-16", "2024-05-29"):
        offers = done(airline, "search_direct_flight", origin="JFK", destination="SEA", date=date)
        assert offers == []


def test_a_search_between_unserved_airports_names_those_served(airline: Environment) -> None:
    message = refused(
        airline, "search_direct_flight", origin="New York", destination="SEA", date="2024-05-20"
    )
    assert "JFK, ORD, SEA" in message


@pytest.mark.parametrize("date", ["2024-05-32", "2024-02-30", "20240520", "tomorrow"])
@pytest.mark.parametrize("search", ["search_direct_flight", "search_onestop_flight"])
def test_a_search_on_a_date_that_does_not_exist_is_refused(
    airline: Environment, search: str, date: str
) -> None:
    assert date in refused(airline, search, origin="JFK", destination="SEA", date=date)


def test_a_second_leg_after_midnight_shows_its_own_date_and_price(airline: Environment) -> None:
    trips = done(
        airline, "search_onestop_flight", origin="JFK", destination="SEA", date="2024-05-20"
    )
    overnight = [trip for trip in trips if trip[0]["flight_number"] == "MRD003"]
    assert [[leg["date"] for leg in trip] for trip in overnight] == [["2024-05-20", "2024-05-21"]]
    # MRD004 costs 90 in economy on the 20th and 95 on the 21st, with 2 seats left.
    assert overnight[0][1]["prices"]["economy"] == 95
    assert overnight[0][1]["available_seats"]["economy"] == 2


def test_a_second_leg_of_the_same_day_is_offered_on_that_day(airline: Environment) -> None:
    trips = done(
        airline, "search_onestop_flight", origin="JFK", destination="SEA", date="2024-05-20"
    )
    daytime = [trip for trip in trips if trip[0]["flight_number"] == "MRD005"]
    assert [leg["date"] for leg in daytime[0]] == ["2024-05-20", "2024-05-20"]
    assert daytime[0][1]["prices"]["economy"] == 90


def test_a_connection_crosses_the_end_of_a_month(airline: Environment) -> None:
    trips = done(
        airline, "search_onestop_flight", origin="JFK", destination="SEA", date="2024-05-31"
    )
    assert [[leg["date"] for leg in trip] for trip in trips] == [["2024-05-31", "2024-06-01"]]
    assert trips[0][1]["prices"]["business"] == 216


def test_a_second_leg_that_leaves_before_the_first_lands_is_not_offered() -> None:
    airline = small_airline()
    # MRD003 lands at 00:30 and MRD004 leaves at 07:00; the way back has no onward flight at all.
    trips = done(
        airline, "search_onestop_flight", origin="SEA", destination="ORD", date="2024-05-25"
    )
    assert trips == []


def test_calculate_works_out_money(airline: Environment) -> None:
    assert done(airline, "calculate", expression="2 * (164 + 30) - 50 / 4") == 375.5


def test_calculate_refuses_what_is_no_arithmetic(airline: Environment) -> None:
    assert "Error" in refused(airline, "calculate", expression="9**9**9")


def test_think_answers_nothing(airline: Environment) -> None:
    result = airline.call("think", {"thought": "which flight is cheaper?"})
    assert (result.ok, result.content, result.ends_episode) == (True, "", False)


def test_a_transfer_ends_the_episode(airline: Environment) -> None:
    result = airline.call("transfer_to_human_agents", {"summary": "wants a pet on board"})
    assert result.ends_episode
    assert airline.changes() == {}


def test_a_transfer_without_summary_does_not_end_the_episode(airline: Environment) -> None:
    result = airline.call("transfer_to_human_agents", {})
    assert not result.ok
    assert not result.ends_episode
