"""Readers and writers: ours, and each foreign format in one file."""
