"""Who labels. A judge answers a small closed set of typed questions, always in batches."""
