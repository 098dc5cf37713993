"""What is written is what onnxruntime reads."""

from __future__ import annotations

import numpy as np
import onnxruntime

from everlore.models import onnx_file


def test_a_written_model_runs() -> None:
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    nodes = [
        onnx_file.node("MatMul", ["given", "weights"], "product", "", {}),
        onnx_file.node("LeakyRelu", ["product"], "rectified", "", {"alpha": 0.5}),
        onnx_file.node("Softmax", ["rectified"], "shares", "", {"axis": -1}),
    ]
    model = onnx_file.model(
        "small",
        nodes,
        [onnx_file.tensor("weights", weights)],
        [onnx_file.value("given", onnx_file.FLOAT, "batch", 2)],
        [onnx_file.value("shares", onnx_file.FLOAT, "batch", 3), onnx_file.value("rectified", onnx_file.FLOAT, "b", 3)],
        {"": 17},
    )
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    given = np.array([[1, 0], [-1, 0.5]], np.float32)
    shares, rectified = session.run(["shares", "rectified"], {"given": given})

    product = given @ weights
    expected = np.where(product < 0, product * np.float32(0.5), product)
    np.testing.assert_allclose(rectified, expected)
    np.testing.assert_allclose(shares, np.exp(expected) / np.exp(expected).sum(axis=1, keepdims=True), rtol=1e-6)
    assert [(part.name, part.shape) for part in session.get_inputs()] == [("given", ["batch", 2])]


def test_long_fields_and_negative_numbers_are_whole() -> None:
    """Lengths beyond one byte, and the ten bytes of a negative number."""
    table = np.arange(-50_000, 50_000, dtype=np.int64)
    model = onnx_file.model(
        "table",
        [onnx_file.node("Gather", ["table", "place"], "found", "", {"axis": -1})],
        [onnx_file.tensor("table", table)],
        [onnx_file.value("place", onnx_file.INT64, "n")],
        [onnx_file.value("found", onnx_file.INT64, "n")],
        {"": 17},
    )
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    (found,) = session.run(["found"], {"place": np.array([0, 99_999, 50_000], np.int64)})
    assert found.tolist() == [-50_000, 49_999, 0]
