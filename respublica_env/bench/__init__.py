"""Speed, as ratios against named peers measured in the same run: `python -m respublica_env.bench`.

Every budget is a row: what is measured, against which peer, the figures of both, their ratio, the budget, and whether
it holds. Subject and peers take turns (subject, peer, subject, peer, ...), so that a machine that slows down slows all
of them; a row's ratio is the median of the ratios of each turn. What is not built yet, and a peer that is not
installed, is named in its row.

A decision is one that an agent takes; forced ones, which the engine takes by itself, are not counted for us. Those of
the peers are all counted, forced ones too.

    measure.py       a row, taking turns, medians
    kernels.py       the compiled loops of the benchmark itself: the action sampler, the writing ceiling
    batch_rows.py    Batch against the writing ceiling and OpenSpiel; threads; whole games by compiled bots
    env_rows.py      the PettingZoo and Gymnasium environments
    train_rows.py    the SB3 environment, and what of MaskablePPO's time is ours
    process_rows.py  what needs a fresh process: memory, import, first step
    report.py        the table and the JSON
"""
