"""A report is written whole, or the old one stays."""

import errno
import os

import pytest

from pytest_taubench.report.files import write_report


def full_disk(descriptor):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_the_old_report_and_nothing_else(tmp_path, monkeypatch):
    report = tmp_path / "run.html"
    report.write_text("the old one")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_report(report, "the new one")
    assert report.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [report]


def test_a_report_keeps_its_place_behind_a_link_and_its_mode(tmp_path):
    report, link = tmp_path / "kept.md", tmp_path / "latest.md"
    report.write_text("the old one")
    report.chmod(0o640)
    link.symlink_to(report)
    write_report(link, "the new one")
    assert link.is_symlink()
    assert (report.read_text(), report.stat().st_mode & 0o777) == ("the new one", 0o640)


def test_a_new_report_has_the_mode_of_any_new_file(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    write_report(tmp_path / "out" / "run.json", "{}")
    assert (tmp_path / "out" / "run.json").stat().st_mode == plain.stat().st_mode
