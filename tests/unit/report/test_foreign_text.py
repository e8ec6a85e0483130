"""Foreign text before it is printed: what GitHub's runner would obey, and what a terminal would.

The runner's parser takes a line that begins with ``::`` behind blanks, and ``##[`` anywhere.
"""

import pytest

from pytest_taubench.text.foreign import printable

ACTIONS = {"GITHUB_ACTIONS": "true"}


def is_command(line):
    return line.lstrip().startswith("::") or "##[" in line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ": :error::x"),
        ("said\n \t ::stop-commands::t\nend", "said\n \t : :stop-commands::t\nend"),
        (":::error::x", ": ::error::x"),
        ("see ##[add-mask]7", "see ## [add-mask]7"),
        ("###[error]x", "### [error]x"),
        ("\n\n::error::x", "\n\n: :error::x"),
    ],
)
def test_the_runner_obeys_nothing(text, shown):
    assert any(map(is_command, text.split("\n")))
    assert printable(text, ACTIONS) == shown
    assert not any(map(is_command, shown.split("\n")))


@pytest.mark.parametrize("text", ["tasks/a.tau.yaml::b", "a ::error::b", "## [a]", ": :", "# ["])
def test_what_is_no_command_stays(text):
    assert printable(text, ACTIONS) == text


@pytest.mark.parametrize("environ", [{}, {"GITHUB_ACTIONS": "false"}])
def test_elsewhere_commands_are_plain_text(environ):
    assert printable("::error::##[x]", environ) == "::error::##[x]"


@pytest.mark.parametrize("blank", ["\r", "\x0b", "\x0c", "\x85", "\u2028", "\xa0", "\ufeff"])
def test_no_other_blank_or_line_break_hides_a_command(blank):
    assert printable(f"a\n{blank}::error::x", ACTIONS).split("\n")[1].startswith("\\")


def test_escape_codes_are_spelled_out_everywhere():
    assert printable("\x1b[2Jred \u202eltr", {}) == "\\x1b[2Jred \\u202eltr"
