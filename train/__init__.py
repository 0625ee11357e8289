"""Training and evaluation. Run from a clone: `python -m train.ppo`, `python -m train.evaluate`."""
