"""What the recipes rest on: the counter counts what is illegal, and the check refuses it. check.sh runs the recipes."""

import re
from pathlib import Path

import numpy as np
import pytest

from respublica_env import IllegalAction
from train.recipes.counted import CountedEnv, check

FOLDER = Path(__file__).parents[2] / "train" / "recipes"
RECIPES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "counted"))
CHECK = (FOLDER / "check.sh").read_text(encoding="utf-8")


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> CountedEnv:
    monkeypatch.setattr(CountedEnv, "sent", 0)
    monkeypatch.setattr(CountedEnv, "illegal", 0)
    env = CountedEnv()
    env.reset(seed=2)
    return env


def play(env: CountedEnv, decisions: int = 10**9) -> int:
    """The first legal action each time; how many there were."""
    for done in range(decisions):
        if env.terminations[env.agent_selection]:
            return done
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    return decisions


def test_a_whole_game_is_counted_and_leave_taking_is_not(env: CountedEnv) -> None:
    sent = play(env)
    while env.agents:
        env.step(None)
    assert (CountedEnv.sent, CountedEnv.illegal) == (sent, 0)
    check("a library", sent, 1)


def test_an_illegal_action_is_counted_even_where_a_library_hides_the_exception(env: CountedEnv) -> None:
    play(env, 10)
    with pytest.raises(IllegalAction):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    play(env, 10)
    with pytest.raises(AssertionError, match="a library sent 1 illegal actions of 21"):
        check("a library", 20, 1)


def test_a_mask_that_somebody_changed_on_the_way_proves_nothing(env: CountedEnv) -> None:
    env.infos[env.agent_selection]["action_mask"][:] = 1
    with pytest.raises(IllegalAction):
        env.step(env.rules.num_actions - 1)
    assert CountedEnv.illegal == 1


def test_games_of_all_instances_count(env: CountedEnv) -> None:
    other = CountedEnv()
    other.reset(seed=1)
    assert play(env, 5) + play(other, 7) == CountedEnv.sent == 12


@pytest.mark.parametrize(
    ("steps", "updates", "message"), [(6, 1, "5 actions, 6 were asked for"), (5, 0, "never updated")]
)
def test_too_little_is_refused(env: CountedEnv, steps: int, updates: int, message: str) -> None:
    play(env, 5)
    with pytest.raises(AssertionError, match=message):
        check("a library", steps, updates)


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_is_checked_with_the_version_that_its_header_names(recipe: str) -> None:
    (requirements,) = (
        words[1] for words in map(str.split, CHECK.splitlines()) if recipe in words[2:] and words[0] == "check"
    )
    pins = (FOLDER / "requirements" / f"{requirements}.txt").read_text(encoding="utf-8")
    header = (FOLDER / f"{recipe}.py").read_text(encoding="utf-8").split('"""')[1]
    pinned = re.findall(r"^(\w+)(?:\[\w+\])?==(\S+)$", pins, re.MULTILINE)
    library = "ray" if recipe == "rllib" else recipe
    assert f"{library} {dict(pinned)[library]}" in header
    assert re.search(rf"{library}\S*=={dict(pinned)[library]}\b", header)
    assert f"python -m train.recipes.{recipe} --steps 2000" in header
