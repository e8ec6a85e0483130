"""Records on their way from a worker to the process that keeps the run."""

from types import SimpleNamespace

from record_factory import record

from pytest_taubench.plugin.run.transport import put_record, take_records


def test_a_report_gives_up_its_records_once():
    kept, report = record("a", 1, None), SimpleNamespace()
    put_record(report, kept)
    assert take_records(report) == [kept]
    assert take_records(report) == [], "pytest keeps reports to the end of the session"
    assert take_records(SimpleNamespace()) == []
