"""From a test item to its record, in the process that runs it."""
