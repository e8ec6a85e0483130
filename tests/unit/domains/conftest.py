"""The small shop that the tests of the retail tools share."""

from __future__ import annotations

import pytest
from retail_world import shop_database

from pytest_taubench import Domain, Environment, load_domain


@pytest.fixture(scope="module")
def retail() -> Domain:
    """The retail domain on the data of the small shop."""
    return load_domain("retail").with_data(database=shop_database())


@pytest.fixture
def shop(retail: Domain) -> Environment:
    """A fresh environment of that domain."""
    return retail.environment()
