"""What environments hand out, compared: arrays, dicts and lists of them, and plain values."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from respublica_env.rules import shown


def held(value: Any) -> Any:
    """The value as it is now: arrays are copied, in dicts, lists and tuples too.

    Wall-clock times are left out: "t" in what Gymnasium and SB3 tell of an "episode".
    """
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Mapping):
        return {key: held(_untimed(item) if key == "episode" else item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [held(item) for item in value]
    return value


def _untimed(episode: Any) -> Any:
    if not isinstance(episode, Mapping):
        return episode
    return {name: value for name, value in episode.items() if name not in ("t", "_t")}


def difference(one: Any, other: Any) -> str | None:
    """Where two values that were `held` first differ, in words; None where they are equal to the byte."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _array_difference(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return f": {shown(list(one))} against {shown(list(other))}"
        return _first((f"[{key!r}]" if isinstance(key, str) else f"[{key}]", one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f": {len(one)} entries against {len(other)}"
        return _first((f"[{place}]", *both) for place, both in enumerate(zip(one, other, strict=True)))
    if one is other or (type(one) is type(other) and repr(one) == repr(other)):
        return None
    return f": {shown(one)} against {shown(other)}"


def _first(parts: Any) -> str | None:
    for place, one, other in parts:
        inner = difference(one, other)
        if inner is not None:
            return f"{place}{inner}"
    return None


def _array_difference(one: Any, other: Any) -> str | None:
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return f": {one.dtype} {one.shape} against {other.dtype} {other.shape}"
    if one.dtype == object:
        return difference(one.tolist(), other.tolist())
    if one.tobytes() == other.tobytes():
        return None
    places = np.argwhere((one != other) & ~((one != one) & (other != other)))  # NaN is equal to NaN here
    if not len(places):
        return ": the same numbers in other bytes"
    first = tuple(places[0].tolist())
    index = ", ".join(map(str, first))
    return f"[{index}]: {shown(one[first].item())} against {shown(other[first].item())} ({len(places)} places differ)"


def of_row(infos: Mapping[str, Any], row: int) -> dict[str, Any]:
    """What the infos of a vector environment of Gymnasium say of one game: an entry counts where "_" + key says so."""
    told = {}
    for key, value in infos.items():
        counts = infos.get(f"_{key}")
        if (key.startswith("_") and key[1:] in infos) or (counts is not None and not counts[row]):
            continue
        if isinstance(value, Mapping):
            told[key] = of_row(value, row)
        else:
            told[key] = value[row] if isinstance(value, (np.ndarray, list, tuple)) and len(value) > row else value
    return told
