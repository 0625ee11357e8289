"""The trained baseline that comes with the clone: takes it from a run of train.ppo.

    python -m train.ship runs/shipped

The folder `agents/weights` then holds

- `ppo.zip`, which `agents.load("ppo")` plays: the run's best policy by its checks, or its last where it has none. Only
  its weights and what it was trained on are in it.
- `ppo.onnx`, the same as train.export writes it.
- `last.zip`, the last checkpoint, which MaskablePPO loads too. A run goes on from a copy of it in a folder of its own
  (`mkdir -p runs/more`, `cp agents/weights/last.zip runs/more`): `python -m train.ppo --out runs/more --resume --steps
  N --minutes M`, with steps and minutes counted from the run's beginning.
- `curve.png` and `curve.csv`, the learning curve: shares of the win in the checks, over decisions and time.

A run with 3 or 5 players of the published game gives `ppo-3.zip` or `ppo-5.zip` alone.
"""

import io
import json
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from agents.policy import BEST, CHECKPOINT, METADATA, SHIPPED, WEIGHTS, read_checkpoint
from agents.shipped import PLAYERS, shipped_file
from respublica_env import Rules
from respublica_env.commands import parse, refuse
from respublica_env.files import check_target, write_whole
from train.checkpoint import read_games
from train.export import read_network, to_onnx
from train.progress import PICTURE, picture, table

PROG = "train.ship"
MOST_BYTES = 20_000_000  # of all files: whoever clones the project downloads them
MACHINE = "system_info.txt"  # SB3's notes on the machine; nothing reads them


@dataclass(frozen=True)
class Ship:
    """Make the policy of a run of train.ppo the baseline that comes with the clone."""

    run: tyro.conf.Positional[Path]
    """The folder of the run."""
    out: Path = SHIPPED.parent
    """The folder to write to."""


def files_of(run: Path) -> dict[str, bytes]:
    """The files of a baseline by name; ValueError for a folder that holds no run, or one too large."""
    last = run / CHECKPOINT
    best = run / BEST if (run / BEST).exists() else last
    metadata, _ = read_checkpoint(last)
    rules = Rules.from_dict(metadata["rules"])
    players = rules.num_players
    with zipfile.ZipFile(best) as archive:
        policy = copied(best, set(archive.namelist()) - {METADATA, WEIGHTS})
    if players in PLAYERS[1:] and rules == Rules(num_players=players):
        return {shipped_file(players).name: policy}
    _, progress = read_games(last)
    files = {
        SHIPPED.name: policy,
        f"{SHIPPED.stem}.onnx": to_onnx(read_network(best)),
        CHECKPOINT: copied(last, {MACHINE}),
        PICTURE: picture(progress, 1 / players),
        "curve.csv": table(progress),
    }
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        raise ValueError(f"the files of {run} have {size:,} bytes, at most {MOST_BYTES:,} may come with the clone")
    return files


def copied(checkpoint: Path, without: Collection[str]) -> bytes:
    """A checkpoint, compressed, without some of its members, and without the paths of the machine that it comes from.

    The same checkpoint gives the same bytes.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(checkpoint) as archive, zipfile.ZipFile(content, "w") as copy:
        for name in sorted(set(archive.namelist()) - set(without)):
            member = archive.read(name)
            if name == METADATA:
                metadata = json.loads(member)
                metadata["settings"] |= {"config": None, "out": None}  # a resumed run is told them anew
                member = json.dumps(metadata, indent=2).encode()
            copy.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def ship(run: Path, out: Path) -> dict[str, int]:
    """Write the files, each whole or not at all, when all of them can be; returns their sizes by name.

    Raises ValueError for a run that cannot be taken, before anything is written; OSError when the disk is full.
    """
    files = files_of(run)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {out} cannot be made: {error.strerror}") from None
    for name in files:
        check_target("--out", out / name)
    for name, content in files.items():
        write_whole(out / name, content)
    return {name: len(content) for name, content in files.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(Ship, PROG, arguments, extra="train")
    try:
        try:
            import onnx  # noqa: F401
        except ImportError:
            raise ValueError("it needs onnx: pip install 'respublica-env[onnx]'") from None
        sizes = ship(options.run, options.out)
    except (ValueError, OSError) as error:
        refuse(PROG, str(error))
    for name, size in sizes.items():
        print(f"{options.out / name}: {size:,} bytes")


if __name__ == "__main__":
    main()
