"""Policies that train.export wrote to ONNX: they need onnxruntime, and no PyTorch.

The network has one input, "observations" float32 `(batch, D)` (or `(batch, D + A)`, where the mask is part of it), and
the output "scores" float32 `(batch, A)`: the best action is the legal one with the highest score. Where it knows them
there is another, "values" float32 `(batch,)`: what the rest of the game is expected to bring. The file's metadata hold
`respublica`, a JSON object with the rules, the observation's hash, in "scores" what these are, "logits" or "action
values", and in "reward" what the policy learnt from, where that is known.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.policy import VALUE_UNITS, TrainedAgent, check_metadata

FORMAT = "respublica-onnx/1"
METADATA = "respublica"  # its key among the metadata of the file
INPUT, OUTPUT, VALUES = "observations", "scores", "values"
LOGITS, ACTION_VALUES = "logits", "action values"


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
            (given,) = self._session.get_inputs()
            outputs = {output.name: output for output in self._session.get_outputs()}
            found = outputs[OUTPUT]
        except Exception as error:  # noqa: BLE001 - the library has a dozen kinds of its own
            raise ValueError(f"{file} is no policy that train.export wrote: {type(error).__name__}: {error}") from None
        self.rules = check_metadata(file, metadata, FORMAT)
        self.num_inputs, self.num_actions = given.shape[1], found.shape[1]
        self.logits = {LOGITS: True, ACTION_VALUES: False}.get(metadata.get(OUTPUT))
        self.value_unit = VALUE_UNITS.get(metadata.get("reward"))
        self._critic = partial(self._output, VALUES) if VALUES in outputs else None
        self.check(self.rules)

    def scores(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network's output, float32 `(B, A)`."""
        return self._output(OUTPUT, inputs)

    def _output(self, name: str, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._session.run([name], {INPUT: inputs})[0]
        return found
