"""The thread that trials run on outlives whatever one of them raises."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from pytest_taubench.plugin.run.engine import Engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()
    assert not engine.alive


async def raises(error: BaseException) -> None:
    await asyncio.sleep(0)
    raise error


async def answers() -> str:
    await asyncio.sleep(0.05)
    return "done"


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit, ValueError])
def test_what_one_coroutine_raises_is_its_own_and_the_others_go_on(engine, kind):
    other = engine.submit(answers())
    broken = engine.submit(raises(kind("out")))
    assert type(broken.exception(5)) is kind
    assert other.result(5) == "done"
    assert engine.submit(answers()).result(5) == "done"
    assert engine.alive
