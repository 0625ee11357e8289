"""Policies that train.export wrote to ONNX: they need onnxruntime, and no PyTorch.

The network has one input, "observations" float32 `(batch, D)` (or `(batch, D + A)`, where the mask is part of it), and
one output, "scores" float32 `(batch, A)`: the best action is the legal one with the highest score. The file's metadata
hold `respublica`, a JSON object with the rules and the observation's hash.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.policy import TrainedAgent, check_metadata

FORMAT = "respublica-onnx/1"
METADATA = "respublica"  # its key among the metadata of the file
INPUT, OUTPUT = "observations", "scores"


class OnnxAgent(TrainedAgent):
    """A policy in an ONNX file that always plays its best legal action.

    Raises ValueError, naming the file, when onnxruntime is missing, or it is no such file, or was trained on another
    observation.
    """

    def __init__(self, path: str | Path) -> None:
        file = Path(path)
        self.name = str(path)
        try:
            import onnxruntime
        except ImportError:
            raise ValueError(f"{file} needs onnxruntime: pip install 'respublica-env[onnx]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # more do not help with networks of this size
        options.log_severity_level = 4  # what is wrong with a file is said below, in one line
        try:
            self._session = onnxruntime.InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])
            metadata = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            (given,), (found,) = self._session.get_inputs(), self._session.get_outputs()
        except Exception as error:  # noqa: BLE001 - the library has a dozen kinds of its own
            raise ValueError(f"{file} is no policy that train.export wrote: {type(error).__name__}: {error}") from None
        self.rules = check_metadata(file, metadata, FORMAT)
        self.num_inputs, self.num_actions = given.shape[1], found.shape[1]
        self.check(self.rules)

    def scores(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network's output, float32 `(B, A)`."""
        scores: NDArray[np.float32] = self._session.run([OUTPUT], {INPUT: inputs})[0]
        return scores
