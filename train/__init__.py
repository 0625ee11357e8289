"""Training and evaluation; commands of a clone, not part of the installed package."""

import os

# Agents multiply small matrices, a few rows at a time. OpenBLAS, which NumPy's wheels bring, shares even those between
# threads, which wait for each other: past selves took 98 % of a training run on two busy cores. It reads this once, as
# NumPy is imported. PyTorch is not concerned: it has its own setting (--threads).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
