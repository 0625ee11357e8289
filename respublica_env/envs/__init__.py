"""Adapters: the game as the libraries of the field want it. No rules here."""
