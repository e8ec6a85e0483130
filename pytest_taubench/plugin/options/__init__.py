"""The command line options, each with an ini twin, and what they mean."""
