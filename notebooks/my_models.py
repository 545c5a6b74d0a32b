"""Two tiny models for ONNX Runtime on the CPU, built here, which `euclio profile` measures (docs/howto/measured.md).

`pip install euclio[onnx]` brings what they need. A function is given a batch size and returns what runs one batch.
"""

from collections.abc import Callable

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SIDE, CHANNELS, FEATURES, CLASSES = 64, 16, 1024, 100
OPSET = 17
IR_VERSION = 8
"""Version of the format that runtimes of the last years read."""

random = np.random.default_rng(0)


def detect(batch: int) -> Callable[[], object]:
    """Four convolutions over small images: time per image hardly depends on the batch."""
    images = random.standard_normal((batch, 3, SIDE, SIDE), dtype=np.float32)
    return _runner(_convolutions(), images)


def classify(batch: int) -> Callable[[], object]:
    """Three dense layers: their weights are read once per batch, so that larger batches are faster per input."""
    return _runner(_dense_layers(), random.standard_normal((batch, FEATURES), dtype=np.float32))


def _convolutions() -> onnx.ModelProto:
    nodes, weights, value, channels = [], [], "input", 3
    for k in range(4):
        weights.append(_weight(f"w{k}", CHANNELS, channels, 3, 3))
        nodes.append(helper.make_node("Conv", [value, f"w{k}"], [f"c{k}"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"c{k}"], [f"r{k}"]))
        value, channels = f"r{k}", CHANNELS
    nodes.append(helper.make_node("GlobalAveragePool", [value], ["output"]))
    return _model("detect", nodes, weights, ["n", 3, SIDE, SIDE], ["n", CHANNELS, 1, 1])


def _dense_layers() -> onnx.ModelProto:
    nodes, weights, value = [], [], "input"
    for k, width in enumerate((FEATURES, FEATURES, CLASSES)):
        weights.append(_weight(f"w{k}", FEATURES, width))
        nodes.append(helper.make_node("MatMul", [value, f"w{k}"], [f"m{k}"]))
        nodes.append(helper.make_node("Relu", [f"m{k}"], [f"r{k}"]))
        value = f"r{k}"
    nodes.append(helper.make_node("Softmax", [value], ["output"]))
    return _model("classify", nodes, weights, ["n", FEATURES], ["n", CLASSES])


def _weight(name: str, *shape: int) -> TensorProto:
    return numpy_helper.from_array(random.standard_normal(shape, dtype=np.float32) / 32, name)


def _model(name: str, nodes: list, weights: list, given: list, made: list) -> onnx.ModelProto:
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, given)]
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, made)]
    graph = helper.make_graph(nodes, name, inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    return model


def _runner(model: onnx.ModelProto, inputs: np.ndarray) -> Callable[[], object]:
    """What runs a batch on one core, as an instance does whose neighbours have the others."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"input": inputs})
