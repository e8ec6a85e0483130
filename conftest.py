"""Shared by all tests: pytest's own fixture for running pytest inside a test."""

pytest_plugins = ["pytester"]
