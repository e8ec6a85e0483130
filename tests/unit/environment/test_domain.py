"""Domain folders: what they become, and how one that cannot be loaded is refused."""

from __future__ import annotations

import sys

import pytest
from domain_folder import ONE_TOOL, TOOLS, make_domain

from pytest_taubench.bundled import domains_root
from pytest_taubench.environment import Database
from pytest_taubench.environment.domain import DomainLibrary, load_domain
from pytest_taubench.environment.domain_folder import bundled_domains
from pytest_taubench.errors import DomainError
from pytest_taubench.taskbench.graph_file import load_tool_graph


@pytest.fixture
def telecom(tmp_path):
    return make_domain(tmp_path / "telecom")


class TestLoading:
    def test_a_folder_becomes_tools_policy_and_database(self, telecom):
        domain = load_domain(str(telecom))
        assert domain.name == "telecom"
        assert domain.folder == telecom
        assert domain.policy == "# Policy\n"
        assert list(domain.tools) == ["get_line", "suspend_line", "transfer_to_human_agents"]
        assert domain.database.tables == ("lines",)

    def test_its_environments_are_independent(self, telecom):
        domain = load_domain(str(telecom))
        one, two = domain.environment(), domain.environment()
        assert one.call("suspend_line", {"number": "555"}).ok
        assert two.call("get_line", {"line": {"number": "555"}}).value == {"status": "active"}
        assert two.changes() == {}

    def test_a_path_is_relative_to_its_base(self, telecom, tmp_path):
        assert load_domain("telecom", tmp_path).folder == telecom
        assert load_domain("../telecom", tmp_path / "telecom").folder == telecom

    def test_bundled_domains_are_found_by_name_from_anywhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert set(bundled_domains()) >= {"retail", "airline"}
        for name in ("retail", "airline"):
            assert load_domain(name).folder == domains_root() / name

    def test_two_domains_do_not_share_a_tool_module(self, telecom, tmp_path):
        other = make_domain(
            tmp_path / "b" / "telecom",
            tools=ONE_TOOL.format(name="other", parameters="", doc="Other."),
        )
        first, second = load_domain(str(telecom)), load_domain(str(other))
        assert list(second.tools) == ["other"]
        assert "get_line" in first.tools
        assert first.environment().call("get_line", {"line": {"number": "555"}}).ok
        assert "tools" not in sys.modules

    def test_loading_a_folder_twice_reads_it_afresh(self, telecom):
        first = load_domain(str(telecom))
        (telecom / "db" / "lines.json").write_text('{"777": {"status": "active"}}')
        second = load_domain(str(telecom))
        assert list(first.database.table("lines")) == ["555"]
        assert list(second.database.table("lines")) == ["777"]
        for domain, number in ((first, "555"), (second, "777")):
            assert domain.environment().call("get_line", {"line": {"number": number}}).ok

    def test_a_tool_module_changed_since_is_read_afresh_with_its_neighbours(self, telecom):
        source = "from .rules import LIMIT\n" + ONE_TOOL.format(
            name="limit", parameters="", doc="Limit."
        ).replace('return ""', "return str(LIMIT)")
        (telecom / "tools.py").write_text(source)
        for limit in ("3", "1000"):
            (telecom / "rules.py").write_text(f"LIMIT = {limit}\n")
            content = load_domain(str(telecom)).environment().call("limit", {}).content
            assert content == limit

    def test_a_tool_module_may_import_its_neighbours(self, telecom):
        (telecom / "rules.py").write_text("LIMIT = 3\n")
        source = "from .rules import LIMIT\n" + ONE_TOOL.format(
            name="limit", parameters="", doc="Limit."
        ).replace('return ""', "return str(LIMIT)")
        (telecom / "tools.py").write_text(source)
        assert load_domain(str(telecom)).environment().call("limit", {}).content == "3"

    def test_tools_may_be_a_package(self, telecom):
        (telecom / "tools.py").unlink()
        (telecom / "tools").mkdir()
        (telecom / "tools" / "lines.py").write_text(TOOLS)
        (telecom / "tools" / "__init__.py").write_text(
            "from .lines import get_line, suspend_line\n"
        )
        assert list(load_domain(str(telecom)).tools) == ["get_line", "suspend_line"]

    def test_the_same_tools_serve_other_data(self, telecom):
        domain = load_domain(str(telecom))
        other = domain.with_data(database=Database({"lines": {"1": {}}}), policy="none", name="x")
        assert other.name == "x"
        assert other.policy == "none"
        assert other.environment().call("get_line", {"line": {"number": "1"}}).value == {}
        assert domain.environment().call("get_line", {"line": {"number": "555"}}).ok
        assert domain.with_data(policy="").policy == ""

    def test_a_library_loads_each_domain_once_by_its_folder(self, telecom, tmp_path):
        library = DomainLibrary()
        first = library.get("telecom", tmp_path)
        assert library.get("./telecom", tmp_path) is first
        assert library.get(str(telecom)) is first
        assert DomainLibrary().get(str(telecom)) is not first

    def test_where_it_keeps_users_a_task_may_be_of_anyone_it_has_a_record_of(self, tmp_path):
        tables = {"lines": {"555": {}}, "users": {"ada": {}, "bob": {}}}
        folder = make_domain(tmp_path / "telecom", tables=tables)
        assert load_domain(str(folder)).user_keys() == {"555", "ada", "bob"}

    def test_where_it_keeps_none_a_task_may_be_of_anyone(self, telecom):
        assert load_domain(str(telecom)).user_keys() is None


class TestErrors:
    def test_an_unknown_name_gives_the_nearest(self, tmp_path):
        with pytest.raises(DomainError, match=r"no domain 'retial'.*did you mean 'retail'"):
            load_domain("retial", tmp_path)
        with pytest.raises(DomainError, match="the bundled ones are airline, retail"):
            load_domain("xyzzy", tmp_path)

    def test_an_unknown_path_is_given_in_full(self, tmp_path):
        with pytest.raises(DomainError, match=f"no domain folder at {tmp_path}/domains/x"):
            load_domain("domains/x", tmp_path)

    def test_a_tool_graph_is_told_from_a_domain(self):
        with pytest.raises(DomainError, match="the folder is a tool graph"):
            load_domain("multimedia")

    @pytest.mark.parametrize("name", ["policy.md", "tools.py"])
    def test_a_missing_file_is_named(self, telecom, name):
        (telecom / name).unlink()
        with pytest.raises(DomainError, match=f"{name}: missing; a domain folder holds"):
            load_domain(str(telecom))

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("x = (", r"tools\.py:1: cannot be imported: SyntaxError"),
            ("\n\nimport no_such_module", r"tools\.py:3: cannot be imported: ModuleNotFound"),
            ("\n1 / 0", r"tools\.py:2: cannot be imported: ZeroDivisionError"),
            ("import sys\nsys.exit(3)", r"tools\.py:2: cannot be imported: SystemExit: 3"),
            ("x = 1", "defines no tool"),
            (ONE_TOOL.format(name="f", parameters=", x", doc="F."), "tool f: parameter 'x' has no"),
        ],
    )
    def test_a_wrong_tool_module_is_named_with_the_line(self, telecom, source, message):
        (telecom / "tools.py").write_text(source)
        with pytest.raises(DomainError, match=message):
            load_domain(str(telecom))

    def test_after_a_failed_import_the_mended_module_loads(self, telecom):
        (telecom / "tools.py").write_text("1 / 0")
        with pytest.raises(DomainError):
            load_domain(str(telecom))
        (telecom / "tools.py").write_text(TOOLS)
        assert "get_line" in load_domain(str(telecom)).tools

    def test_a_policy_that_is_not_utf8_is_named(self, telecom):
        (telecom / "policy.md").write_bytes(b"\xff\xfe")
        with pytest.raises(DomainError, match=r"policy\.md: cannot be read"):
            load_domain(str(telecom))


@pytest.mark.parametrize("load", [load_domain, load_tool_graph])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("\0", r"no domain '\\x00': a name or path cannot hold NUL"),
        ("a" * 5_000, "5000 characters are no name or path"),
        ("x/" * 3_000, "6000 characters are no name or path"),
    ],
)
def test_a_name_that_no_file_can_have_is_refused_as_a_domain(load, name, said):
    with pytest.raises(DomainError, match=said) as refused:
        load(name)
    assert len(str(refused.value)) < 250
