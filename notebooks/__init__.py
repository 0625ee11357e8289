"""Notebooks for a first meeting, and the command that runs them."""
