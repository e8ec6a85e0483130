"""Which parts of which domains are said to differ."""

from pytest_taubench.metrics.breakdowns import changed_parts
from pytest_taubench.schema import DomainFingerprint

SHOP = DomainFingerprint(name="shop", place="shop/db", policy="p", tools="t", database="d")
GRAPH = DomainFingerprint(name="kitchen", tool_graph="g")


def other(domain, **parts):
    return domain.model_copy(update=parts)


def test_each_part_is_named_with_its_domain():
    after = [other(SHOP, policy="q", database="e"), other(GRAPH, tool_graph="h")]
    assert changed_parts([SHOP, GRAPH], after) == [
        "the policy of shop",
        "the database of shop",
        "the tool graph of kitchen",
    ]


def test_what_only_one_of_them_knows_is_not_said_to_differ():
    assert changed_parts([], [SHOP]) == changed_parts([SHOP], []) == []
    assert changed_parts([SHOP], [GRAPH, SHOP]) == []
    assert changed_parts([SHOP], [other(SHOP, tools="")]) == []


def test_two_domains_of_one_name_are_not_confused():
    assert changed_parts([SHOP], [other(SHOP, place="branch/shop/db", policy="q")]) == []
