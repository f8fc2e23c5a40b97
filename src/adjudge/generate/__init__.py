"""Conditions and prompts that produce responses to score."""
