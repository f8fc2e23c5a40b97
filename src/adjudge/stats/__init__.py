"""Whether numbers can be trusted: comparison, agreement, calibration."""
