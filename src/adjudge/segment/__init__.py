"""Text cut into units: sentences with keys, claims, quotes located in a text."""
