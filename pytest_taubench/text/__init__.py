"""Words: foreign text made harmless, secrets hidden, numbers and JSON found in prose."""
