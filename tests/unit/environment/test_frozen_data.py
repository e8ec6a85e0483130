"""Records are shared by all trials, so nothing may change one in place."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from pytest_taubench.environment.frozen import freeze, thaw

RECORD = {"id": "W1", "items": [{"price": 5.5, "options": {"color": "red"}}], "note": None}

CHANGES = {
    "set a key": lambda r: r.__setitem__("id", "x"),
    "delete a key": lambda r: r.__delitem__("id"),
    "update": lambda r: r.update(id="x"),
    "merge in place": lambda r: r.__ior__({"id": "x"}),
    "setdefault": lambda r: r.setdefault("new", 1),
    "pop": lambda r: r.pop("id"),
    "popitem": lambda r: r.popitem(),
    "clear": lambda r: r.clear(),
    "set a nested key": lambda r: r["items"][0]["options"].__setitem__("color", "blue"),
    "append": lambda r: r["items"].append(1),
    "extend": lambda r: r["items"].extend([1]),
    "add in place": lambda r: r["items"].__iadd__([1]),
    "multiply in place": lambda r: r["items"].__imul__(2),
    "insert": lambda r: r["items"].insert(0, 1),
    "list pop": lambda r: r["items"].pop(),
    "remove": lambda r: r["items"].remove(r["items"][0]),
    "list clear": lambda r: r["items"].clear(),
    "sort": lambda r: r["items"].sort(key=str),
    "reverse": lambda r: r["items"].reverse(),
    "set an item": lambda r: r["items"].__setitem__(0, 1),
    "delete an item": lambda r: r["items"].__delitem__(0),
    "delete a slice": lambda r: r["items"].__delitem__(slice(0, 1)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_every_way_to_change_a_frozen_record_is_refused_and_says_what_to_do(change):
    frozen = freeze(RECORD)
    with pytest.raises(TypeError, match=r"db\.edit\(table, key\)"):
        change(frozen)
    assert frozen == RECORD


def test_every_mutating_method_of_dict_and_list_is_covered():
    """A method that a later Python adds would show here."""
    frozen = freeze(RECORD)
    for value, plain in ((frozen, dict), (frozen["items"], list)):
        own = {name for name in vars(type(value)) if callable(getattr(type(value), name))}
        harmless = {"copy", "get", "items", "keys", "values", "fromkeys", "count", "index"}
        public = {name for name in vars(plain) if not name.startswith("_")}
        assert public - harmless <= own


def test_frozen_data_is_still_json_and_equal_to_what_it_was_made_of():
    frozen = freeze(RECORD)
    assert json.loads(json.dumps(frozen)) == RECORD
    assert frozen == RECORD
    assert isinstance(frozen, dict)
    assert isinstance(frozen["items"], list)


@pytest.mark.parametrize("copied", [thaw, copy.deepcopy], ids=["thaw", "deepcopy"])
def test_a_deep_copy_is_plain_and_independent(copied):
    frozen = freeze(RECORD)
    plain = copied(frozen)
    plain["items"][0]["options"]["color"] = "blue"
    plain["items"].append("more")
    assert type(plain) is dict
    assert type(plain["items"]) is list
    assert frozen == RECORD


def test_shallow_copies_and_pickles_work():
    frozen = freeze(RECORD)
    shallow = copy.copy(frozen)
    shallow["id"] = "other"
    assert copy.copy(frozen["items"]) == RECORD["items"]
    assert frozen["id"] == "W1"
    again = pickle.loads(pickle.dumps(frozen))
    assert again == RECORD
    with pytest.raises(TypeError, match="read-only"):
        again["items"].append(1)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"a": {1, 2}}, "set"),
        ({"a": [object()]}, "object"),
        ({1: "a"}, "text keys"),
        (b"a", "bytes"),
    ],
)
def test_what_json_cannot_hold_is_refused(value, named):
    for convert in (freeze, thaw):
        with pytest.raises(TypeError, match=named):
            convert(value)
