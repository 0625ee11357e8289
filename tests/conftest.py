"""What tests may ask for by name."""

from tests.browser import browser

__all__ = ["browser"]
