"""From task files and data folders to test items."""
