"""What happens while a run goes on: other opponents, checkpoints, the progress bar."""

from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from respublica_env.sb3 import ResPublicaVecEnv


class ChangeOpponents(BaseCallback):
    """Games that begin in one rollout meet one opponent in every other seat, those of the next rollout the next one.

    A game outlasts a rollout, so that every batch has games against several of them.
    """

    def __init__(self, games: ResPublicaVecEnv, opponents: Sequence[str], rollout: int) -> None:
        super().__init__()
        self._games, self._opponents, self._steps = games, opponents, rollout * games.num_envs

    def _on_rollout_start(self) -> None:
        self._games.opponents = self._opponents[self.num_timesteps // self._steps % len(self._opponents)]

    def _on_step(self) -> bool:
        return True


class SaveRegularly(BaseCallback):
    """Calls `save` every `every` steps, always between an update and the next rollout."""

    def __init__(self, save: Callable[[], None], every: int) -> None:
        super().__init__()
        self._save, self._every = save, every
        self._saved = 0

    def _on_training_start(self) -> None:
        self._saved = self.num_timesteps

    def _on_rollout_start(self) -> None:
        if self.num_timesteps - self._saved >= self._every:
            self._save()
            self._saved = self.num_timesteps

    def _on_step(self) -> bool:
        return True


class ShowProgress(BaseCallback):
    """A bar with steps, steps per second, and the mean return of the last games."""

    def __init__(self, console: Console, total: int) -> None:
        super().__init__()
        self._bar = Progress(
            BarColumn(bar_width=None),
            TextColumn("{task.completed:,} of {task.total:,} steps, {task.fields[rate]} a second, return"),
            TextColumn("{task.fields[mean]}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("training", total=total, rate="-", mean="-")

    def _on_training_start(self) -> None:
        self._bar.update(self._task, completed=self.num_timesteps)
        self._bar.start()

    def _on_rollout_end(self) -> None:
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        speed = self._bar.tasks[0].speed
        self._bar.update(
            self._task,
            completed=self.num_timesteps,
            rate=f"{speed:,.0f}" if speed else "-",
            mean=f"{np.mean(returns):.2f}" if returns else "-",
        )

    def _on_step(self) -> bool:
        return True

    def stop(self) -> None:
        """Leave the bar as it stands."""
        self._bar.stop()
