"""Runs on disk: stored, joined, viewed, graded again."""
