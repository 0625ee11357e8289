"""What happens while a run goes on: the league, checks, checkpoints, the clock, the progress bar.

All of it happens where a rollout begins, between two updates: there a run can stop and go on. The order matters: what
changes the run comes after the checkpoint, so that a resumed run does it exactly once.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text
from stable_baselines3.common.callbacks import BaseCallback

from agents.networks import Network
from respublica_env.actions import action_table
from train import progress as runs
from train.league import LeagueGames

ROW_EVERY = 10  # updates between two points of the curve
REDRAW_EVERY = 8  # updates between two choices of past selves: a game outlasts four of 32 decisions
RATE_OVER = 20  # updates whose mean speed is shown


class TimeIsUpError(Exception):
    """The run has had its minutes."""


class _Between(BaseCallback):
    """A callback that does nothing but where a rollout begins."""

    def _on_step(self) -> bool:
        return True


class Clock(_Between):
    """Counts the seconds of training, and ends the run after its minutes.

    told: is called with the share of its time that the run has had, 0 where it has no limit.
    """

    def __init__(self, progress: runs.Progress, minutes: float | None, told: Callable[[float], None]) -> None:
        super().__init__()
        self._progress, self._minutes, self._told = progress, minutes, told

    def _on_training_start(self) -> None:
        self._since = time.perf_counter() - self._progress.seconds

    def _on_rollout_start(self) -> None:
        self._progress.seconds = time.perf_counter() - self._since
        if self._minutes is None:
            return
        share = self._progress.seconds / (60 * self._minutes)
        if share >= 1:
            raise TimeIsUpError
        self._told(share)


class SaveRegularly(_Between):
    """Calls `save` every `every` steps."""

    def __init__(self, progress: runs.Progress, save: Callable[[], None], every: int) -> None:
        super().__init__()
        self._progress, self._save, self._every = progress, save, every

    def _on_rollout_start(self) -> None:
        if self.num_timesteps - self._progress.saved_at >= self._every:
            self._progress.saved_at = self.num_timesteps
            self._save()


class Check(_Between):
    """Calls `judge`, which gives the shares against the judges, every `every` steps, and `keep` for the best so far."""

    def __init__(
        self,
        progress: runs.Progress,
        judge: Callable[[], dict[str, Any]],
        keep: Callable[[], None],
        every: int,
    ) -> None:
        super().__init__()
        self._progress, self._judge, self._keep, self._every = progress, judge, keep, every

    def _on_rollout_start(self) -> None:
        progress = self._progress
        if self._every and self.num_timesteps - progress.checked_at >= self._every:
            self.run()

    def run(self) -> None:
        """Check now."""
        progress = self._progress
        progress.checked_at = self.num_timesteps
        found = self._judge()
        progress.checks.append({"steps": self.num_timesteps, "seconds": progress.seconds, **found})
        share = list(found["shares"].values())[-1]
        if progress.best is None or share > progress.best:
            progress.best = share
            self._keep()


class LeadLeague(_Between):
    """Gives the league the present self's weights, a past self every `every` steps, and other opponents to meet.

    network: makes a network with the weights that the policy has at the moment.
    """

    def __init__(
        self, progress: runs.Progress, games: LeagueGames, network: Callable[[], Network], every: int, rollout: int
    ) -> None:
        super().__init__()
        self._progress, self._games, self._network, self._every = progress, games, network, every
        self._update = rollout * games.num_envs

    def _on_rollout_start(self) -> None:
        league = self._games.league
        if league.chances["present"] + league.chances["past"] > 0:
            league.update(self._network())
        steps = self.num_timesteps
        if league.chances["past"] > 0 and steps - self._progress.past_at >= self._every:
            self._progress.past_at = steps
            league.add(f"self at {steps:,}", self._network())
        elif steps // self._update % REDRAW_EVERY == 0:
            league.redraw()


class Watch(BaseCallback):
    """Shows the run, and writes it down for TensorBoard and the curve.

    trades: "answers taken" are those that the learner took in its own turns.
    """

    def __init__(
        self, console: Console, progress: runs.Progress, games: LeagueGames, total: int, minutes: float | None
    ) -> None:
        super().__init__()
        self._progress, self._games, self._total, self._minutes = progress, games, total, minutes
        self._bar = Progress(
            BarColumn(bar_width=None), TextColumn("{task.fields[steps]} steps, {task.fields[left]} left")
        )
        self._task = self._bar.add_task("training", total=1.0, steps="0", left="-")
        self._said = Text("the first update comes after a rollout", style="dim")
        self._live = Live(Group(self._bar, self._said), console=console, refresh_per_second=2)
        accept = action_table(games.rules).accept
        self._accept = accept.start, accept.stop
        self._taken = self._ended = 0.0
        self._updates = 0
        self._times: list[tuple[float, int]] = []

    def _on_training_start(self) -> None:
        self._times = [(time.perf_counter(), self.num_timesteps)]
        self._live.start()

    def _on_step(self) -> bool:
        actions, dones = self.locals["actions"], self.locals["dones"]
        self._taken += np.count_nonzero((actions >= self._accept[0]) & (actions < self._accept[1]))
        self._ended += np.count_nonzero(dones)
        return True

    def _on_rollout_end(self) -> None:
        self._times = [*self._times[-RATE_OVER:], (time.perf_counter(), self.num_timesteps)]
        row = self._row()
        for name in ("rate", "trades"):
            self.logger.record(f"games/{name}", row[name])
        for name, share in row["against"].items():
            self.logger.record(f"win share against/{name}", share)
        self._show(row)
        self._updates += 1
        self._taken, self._ended = 0.9 * self._taken, 0.9 * self._ended
        if self._updates % ROW_EVERY == 0:
            self._progress.rows.append(row)

    def _row(self) -> dict[str, Any]:
        (first, before), (last, now) = self._times[0], self._times[-1]
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        entropy = self.logger.name_to_value.get("train/entropy_loss")
        return {
            "steps": now,
            "seconds": round(self._progress.seconds, 1),
            "rate": round((now - before) / (last - first), 1),
            "return": round(float(np.mean(returns)), 3) if returns else None,
            "entropy": None if entropy is None else round(-float(entropy), 4),
            "trades": round(self._taken / self._ended, 2) if self._ended else None,
            "against": {
                member.name: round(member.win_share, 4)
                for member in self._games.league.fixed
                if member.win_share is not None
            },
        }

    def _show(self, row: dict[str, Any]) -> None:
        done = row["steps"] / self._total
        left = (self._total - row["steps"]) / row["rate"]
        if self._minutes is not None:
            done = max(done, row["seconds"] / (60 * self._minutes))
            left = min(left, 60 * self._minutes - row["seconds"])
        steps = f"{row['steps']:,} of {self._total:,}"
        self._bar.update(self._task, completed=done, steps=steps, left=_clock(max(0.0, left)))
        shares = [f"{name} {share:.2f}" for name, share in row["against"].items()]
        facts = [
            f"{row['rate']:,.0f} steps/s",
            *(f"{name} {row[name]:.2f}" for name in ("return", "entropy", "trades") if row[name] is not None),
            *([f"win share against {', '.join(shares)}"] if shares else []),
        ]
        if self._progress.best is not None:
            facts.append(f"best check {self._progress.best:.3f}")
        self._said.plain = "; ".join(facts)

    def stop(self) -> None:
        """Leave the display as it stands."""
        self._live.stop()
        if not self._live.console.is_terminal:
            self._live.console.line()


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
