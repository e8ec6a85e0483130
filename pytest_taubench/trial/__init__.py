"""A trial of a τ-bench task: the loop of its conversation, and its way from task to record."""
