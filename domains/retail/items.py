"""Items of an order: where they stand in it, and which variants they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_taubench import Overlay, ToolError

from .records import Record, find_product


def positions(order: Record, item_ids: Sequence[str]) -> list[int]:
    """Return where the items are in the order, each place taken once."""
    if not item_ids:
        raise ToolError("name at least one item")
    free = [item["item_id"] for item in order["items"]]
    positions = []
    for item_id in item_ids:
        if item_id not in free:
            count = item_ids.count(item_id)
            raise ToolError(f"order {order['order_id']} does not hold item {item_id} x {count}")
        position = free.index(item_id)
        free[position] = ""
        positions.append(position)
    return positions


def swaps_of(
    db: Overlay, order: Record, item_ids: Sequence[str], new_item_ids: Sequence[str]
) -> dict[int, Record]:
    """Return the variant that each place of the order is to have instead."""
    if len(item_ids) != len(new_item_ids):
        raise ToolError(f"{len(item_ids)} items but {len(new_item_ids)} new items; give as many")
    places = zip(positions(order, item_ids), new_item_ids, strict=True)
    return {
        place: _variant(db, order["items"][place]["product_id"], new_id) for place, new_id in places
    }


def _variant(db: Overlay, product_id: str, item_id: str) -> Record:
    product = find_product(db, product_id)
    variant: Record | None = product["variants"].get(item_id)
    if variant is None:
        raise ToolError(f"item {item_id} is not a variant of {product['name']} ({product_id})")
    if not variant["available"]:
        raise ToolError(f"item {item_id} is not available; choose another variant")
    return variant


def price_difference(order: Record, swaps: Mapping[int, Record]) -> float:
    """Return what the new variants cost more than the old ones, to the cent."""
    dearer = (new["price"] - order["items"][place]["price"] for place, new in swaps.items())
    return float(round(sum(dearer), 2))


def require_changes(order: Record, swaps: Mapping[int, Record]) -> None:
    """Refuse the call where an item would stay the variant it is."""
    for place, variant in swaps.items():
        if order["items"][place]["item_id"] == variant["item_id"]:
            raise ToolError(f"item {variant['item_id']} would stay as it is; leave it out")


def swap(order: dict[str, Any], swaps: Mapping[int, Record]) -> None:
    """Put the new variants in the places of the old ones."""
    for place, variant in swaps.items():
        order["items"][place].update(
            item_id=variant["item_id"], price=variant["price"], options=dict(variant["options"])
        )
