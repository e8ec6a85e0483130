"""The overlay behaves as a private deep copy of the database would, at the cost of what changed."""

from __future__ import annotations

import copy
import gzip
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_taubench.environment import Database
from pytest_taubench.errors import DomainError
from pytest_taubench.schema import RecordChange

TABLES = {
    "orders": {
        "#W1": {"status": "pending", "items": [{"price": 25}]},
        "#W2": {"status": "delivered", "items": []},
    },
    "users": {"mei": {"name": "Mei"}},
}


@pytest.fixture
def db():
    return Database(TABLES).overlay()


class TestReading:
    def test_get_shares_the_record_between_trials(self):
        database = Database(TABLES)
        assert database.overlay().get("orders", "#W1") is database.overlay().get("orders", "#W1")

    def test_get_gives_none_for_an_unknown_key(self, db):
        assert db.get("orders", "#W9") is None

    def test_an_unknown_table_names_the_nearest(self, db):
        with pytest.raises(KeyError, match="did you mean 'orders'"):
            db.get("order", "#W1")
        with pytest.raises(KeyError, match="there are orders, users"):
            db.table("xyz")

    def test_a_record_that_was_only_read_cannot_be_changed(self, db):
        with pytest.raises(TypeError, match=r"db\.edit"):
            db.get("orders", "#W1")["items"].append(1)

    def test_the_base_is_independent_of_the_data_it_was_made_of(self):
        tables = copy.deepcopy(TABLES)
        database = Database(tables)
        tables["orders"]["#W1"]["status"] = "hacked"
        assert database.table("orders")["#W1"]["status"] == "pending"

    def test_the_base_itself_has_no_way_to_change(self):
        with pytest.raises(TypeError):
            Database(TABLES).table("orders")["#W3"] = {}


class TestEditing:
    def test_edit_gives_the_same_private_copy_within_a_call(self, db):
        db.edit("orders", "#W1")["status"] = "cancelled"
        assert db.edit("orders", "#W1") is db.edit("orders", "#W1")
        assert db.get("orders", "#W1")["status"] == "cancelled"

    def test_other_trials_do_not_see_an_edit(self):
        database = Database(TABLES)
        database.overlay().edit("orders", "#W1")["items"][0]["price"] = 1
        assert database.overlay().get("orders", "#W1") == TABLES["orders"]["#W1"]

    def test_edit_of_an_unknown_record_raises(self, db):
        with pytest.raises(KeyError, match="#W9"):
            db.edit("orders", "#W9")

    def test_create_stores_a_copy_and_refuses_an_id_in_use(self, db):
        record = {"name": "Ann", "orders": []}
        created = db.create("users", "ann", record)
        created["orders"].append("#W1")
        assert record == {"name": "Ann", "orders": []}
        assert db.get("users", "ann") == {"name": "Ann", "orders": ["#W1"]}
        with pytest.raises(KeyError, match="exists"):
            db.create("users", "ann", {})
        with pytest.raises(KeyError, match="exists"):
            db.create("users", "mei", {})

    def test_a_deleted_record_is_gone_and_its_id_is_free(self, db):
        db.delete("users", "mei")
        assert db.get("users", "mei") is None
        assert "mei" not in db.table("users")
        with pytest.raises(KeyError):
            db.edit("users", "mei")
        with pytest.raises(KeyError):
            db.delete("users", "mei")
        assert db.create("users", "mei", {"name": "New"}) == {"name": "New"}

    def test_after_a_commit_an_old_reference_can_change_nothing(self, db):
        old = db.edit("orders", "#W1")
        old["status"] = "cancelled"
        db.commit()
        old["status"] = "hacked"
        assert db.get("orders", "#W1")["status"] == "cancelled"
        with pytest.raises(TypeError, match=r"db\.edit"):
            db.get("orders", "#W1")["status"] = "hacked"

    def test_a_rollback_returns_to_the_last_commit(self, db):
        db.edit("orders", "#W1")["status"] = "first"
        db.commit()
        db.edit("orders", "#W1")["status"] = "second"
        db.get("orders", "#W1")["items"].clear()
        db.create("users", "ann", {})
        db.delete("users", "mei")
        db.rollback()
        assert db.get("orders", "#W1") == {"status": "first", "items": [{"price": 25}]}
        assert list(db.table("users")) == ["mei"]

    def test_a_commit_refuses_what_json_cannot_hold_and_names_the_record(self, db):
        db.edit("orders", "#W1")["items"] = {1, 2}
        with pytest.raises(TypeError, match=r"'orders', record '#W1'.*set"):
            db.commit()


class TestTableView:
    def test_it_shows_base_records_in_order_and_then_created_ones(self, db):
        db.create("orders", "#W0", {})
        db.edit("orders", "#W2")["status"] = "returned"
        db.delete("orders", "#W1")
        view = db.table("orders")
        assert list(view) == ["#W2", "#W0"]
        assert len(view) == 2
        assert "#W1" not in view
        assert view["#W2"]["status"] == "returned"
        assert dict(view.items()) == {"#W2": {"status": "returned", "items": []}, "#W0": {}}
        with pytest.raises(KeyError):
            view["#W1"]

    def test_a_tool_may_edit_while_it_iterates(self, db):
        for key in db.table("orders"):
            db.edit("orders", key)["seen"] = True
            db.create("orders", key + "-copy", {})
        assert sum("seen" in record for record in db.table("orders").values()) == 2
        assert len(db.table("orders")) == 4


class TestChanges:
    def test_they_hold_what_was_before_and_is_after(self, db):
        db.edit("orders", "#W1")["status"] = "cancelled"
        db.create("users", "ann", {"name": "Ann"})
        db.delete("users", "mei")
        assert db.changes() == {
            "orders": {
                "#W1": RecordChange(
                    before={"status": "pending", "items": [{"price": 25}]},
                    after={"status": "cancelled", "items": [{"price": 25}]},
                )
            },
            "users": {
                "ann": RecordChange(before=None, after={"name": "Ann"}),
                "mei": RecordChange(before={"name": "Mei"}, after=None),
            },
        }

    def test_an_edit_that_writes_the_same_value_is_no_change(self, db):
        db.edit("orders", "#W1")["items"][0]["price"] = 25.0
        db.edit("orders", "#W2")
        assert db.changes() == {}

    def test_what_is_undone_is_no_change(self, db):
        db.create("users", "ann", {})
        db.delete("users", "mei")
        db.commit()
        db.delete("users", "ann")
        db.create("users", "mei", {"name": "Mei"})
        assert db.changes() == {}

    def test_they_are_plain_data_of_the_callers_own(self, db):
        db.edit("orders", "#W1")["status"] = "cancelled"
        db.commit()
        change = db.changes()["orders"]["#W1"]
        change.after["items"].append("mine")
        change.before["items"].append("mine")
        assert db.changes()["orders"]["#W1"].after["items"] == [{"price": 25}]

    def test_reset_and_changes_cost_the_same_whatever_the_size_of_the_database(self):
        database = Database({"big": {str(i): {"n": i, "list": [1, 2, 3]} for i in range(20_000)}})
        started = time.process_time()
        for _ in range(100):
            overlay = database.overlay()
            overlay.edit("big", "7")["n"] = 0
            overlay.changes()
        assert (time.process_time() - started) / 100 < 0.001


KEYS = st.sampled_from(["a", "b", "c", "d"])
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "nested", "create", "delete", "commit", "rollback"]),
        KEYS,
        st.integers(0, 2),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(OPERATIONS)
def test_any_sequence_of_operations_agrees_with_a_deep_copy(operations):
    start = {"a": {"n": 0, "list": [0]}, "b": {"n": 1, "list": []}}
    database = Database({"t": start})
    db = database.overlay()
    committed, model = copy.deepcopy(start), copy.deepcopy(start)
    for operation, key, number in operations:
        if operation == "edit" and key in model:
            db.edit("t", key)["n"] = number
            model[key]["n"] = number
        elif operation == "nested" and key in model:
            db.edit("t", key)["list"].append(number)
            model[key]["list"].append(number)
        elif operation == "create" and key not in model:
            db.create("t", key, {"n": number, "list": []})
            model[key] = {"n": number, "list": []}
        elif operation == "delete" and key in model:
            db.delete("t", key)
            del model[key]
        elif operation == "commit":
            db.commit()
            committed = copy.deepcopy(model)
        elif operation == "rollback":
            db.rollback()
            model = copy.deepcopy(committed)
        assert dict(db.table("t").items()) == model
        assert len(db.table("t")) == len(model)
    changed = {key for key in {*start, *model} if start.get(key) != model.get(key)}
    changes = db.changes().get("t", {})
    assert set(changes) == changed
    for key in changed:
        assert changes[key] == RecordChange(before=start.get(key), after=model.get(key))
    assert dict(database.table("t")) == start


class TestLoading:
    def test_each_json_file_is_a_table_gzipped_or_not(self, tmp_path):
        (tmp_path / "orders.json").write_text(json.dumps(TABLES["orders"]))
        (tmp_path / "users.json.gz").write_bytes(
            gzip.compress(json.dumps(TABLES["users"]).encode())
        )
        (tmp_path / "readme.txt").write_text("no table")
        database = Database.load(tmp_path)
        assert database.tables == ("orders", "users")
        assert dict(database.table("users")) == TABLES["users"]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b'{\n"a": {},\n}', r"orders\.json:3: not JSON"),
            (b"[]", r"orders\.json: expected an object .* got a list"),
            (b"\xff{}", r"orders\.json: cannot be read"),
            (b'{"#W1": 5}', r"table 'orders', record '#W1': expected an object, got a int"),
        ],
    )
    def test_a_wrong_file_is_named_with_the_place(self, tmp_path, content, message):
        (tmp_path / "orders.json").write_bytes(content)
        with pytest.raises(DomainError, match=message):
            Database.load(tmp_path)

    def test_a_broken_gzip_is_a_domain_error(self, tmp_path):
        (tmp_path / "orders.json.gz").write_bytes(b"no gzip")
        with pytest.raises(DomainError, match=r"orders\.json\.gz: cannot be read"):
            Database.load(tmp_path)

    def test_one_table_in_two_files_is_refused(self, tmp_path):
        (tmp_path / "orders.json").write_text("{}")
        (tmp_path / "orders.json.gz").write_bytes(gzip.compress(b"{}"))
        with pytest.raises(DomainError, match=r"'orders' is also in orders\.json"):
            Database.load(tmp_path)

    def test_a_folder_without_tables_is_refused(self, tmp_path):
        with pytest.raises(DomainError, match="no table"):
            Database.load(tmp_path)
        with pytest.raises(DomainError, match="no such folder"):
            Database.load(tmp_path / "db")
