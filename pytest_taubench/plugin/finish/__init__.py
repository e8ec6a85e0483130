"""What becomes of the records: kept, summed up, gated, reported."""
