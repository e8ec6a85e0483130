"""A project without task files does not notice the plugin."""

from __future__ import annotations

HEAVY = ("openai", "networkx", "rouge_score", "rich", "pydantic", "yaml", "jinja2", "asyncio")


def test_the_installed_plugin_loads_by_itself_and_imports_nothing_heavy_without_a_task_file(
    pytester, monkeypatch
):
    # The one run here that loads what is installed, as pytest does for a user.
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.delenv("PYTEST_ADDOPTS")
    pytester.makepyfile(f"""
        import sys
        def test_modules():
            assert [name for name in {HEAVY!r} if name in sys.modules] == []
            assert "pytest_taubench.plugin" in sys.modules
    """)
    pytester.makeini("[pytest]\n")
    # Other plugins of this environment import some of these themselves.
    result = pytester.runpytest_subprocess("-p", "no:anyio", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    assert "tau" not in result.stdout.str().replace("taubench-", "")
    assert not (pytester.path / ".tau-runs").exists()


def test_a_project_without_task_files_runs_with_the_agent_in_its_ini_file(pytester):
    pytester.makeini("[pytest]\ntau_agent = no_such_module_anywhere\n")
    pytester.makepyfile("def test_one(): pass")
    pytester.runpytest().assert_outcomes(passed=1)
