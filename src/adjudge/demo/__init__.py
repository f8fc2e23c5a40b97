"""Bundled demo samples."""
