"""From samples to records to a summary: one scoring function, a local driver, and the run folder."""
