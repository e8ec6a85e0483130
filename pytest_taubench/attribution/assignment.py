"""The cheapest assignment, for matrices of a few calls by a few calls.

In plain Python, and not scipy's: trials run inside the user's pytest process, where numpy cannot be
loaded a second time once a test of a plugin (``pytester``) has put ``sys.modules`` back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf


def cheapest_assignment(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return pairs of row and column, as many as the shorter side has, of least total cost.

    The Hungarian method by shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987).
    """
    if not costs or not costs[0]:
        return []
    if len(costs) > len(costs[0]):
        turned = [list(column) for column in zip(*costs, strict=True)]
        return sorted((row, column) for column, row in cheapest_assignment(turned))
    search = _Search(costs)
    for row in range(len(costs)):
        search.place(row)
    return sorted((row, column) for column, row in search.row_of.items())


@dataclass
class _Search:
    """Rows placed one by one, each at the least extra cost.

    Attributes:
        costs: The matrix, with no more rows than columns.
        row_of: The row placed in each column that has one.
        row_price: With ``column_price``, what shows that the placing so far is the cheapest:
            no cost is below the sum of its row's and column's price, and placed ones equal it.
    """

    costs: Sequence[Sequence[float]]
    row_of: dict[int, int] = field(default_factory=dict)
    row_price: dict[int, float] = field(default_factory=dict)
    column_price: dict[int, float] = field(default_factory=dict)

    def place(self, row: int) -> None:
        """Place one more row, moving others to other columns where that is cheaper."""
        columns = range(len(self.costs[0]))
        distance = dict.fromkeys(columns, inf)
        came_from: dict[int, int | None] = {}
        reached: dict[int, float] = {}
        at, walked, last = row, 0.0, None
        while True:
            for column in columns:
                length = walked + self._excess(at, column)
                if column not in reached and length < distance[column]:
                    distance[column], came_from[column] = length, last
            last = min((c for c in columns if c not in reached), key=distance.__getitem__)
            walked = reached[last] = distance[last]
            if last not in self.row_of:
                break
            at = self.row_of[last]
        self._raise_prices(row, reached, walked)
        self._shift(row, last, came_from)

    def _excess(self, row: int, column: int) -> float:
        prices = self.row_price.get(row, 0.0) + self.column_price.get(column, 0.0)
        return self.costs[row][column] - prices

    def _raise_prices(self, row: int, reached: dict[int, float], walked: float) -> None:
        self.row_price[row] = self.row_price.get(row, 0.0) + walked
        for column, length in reached.items():
            gain = walked - length
            self.column_price[column] = self.column_price.get(column, 0.0) - gain
            if column in self.row_of:
                self.row_price[self.row_of[column]] += gain

    def _shift(self, row: int, column: int, came_from: dict[int, int | None]) -> None:
        """Move each row on the path one column on, and put the new one at its start."""
        earlier = came_from[column]
        while earlier is not None:
            self.row_of[column] = self.row_of[earlier]
            column, earlier = earlier, came_from[earlier]
        self.row_of[column] = row
