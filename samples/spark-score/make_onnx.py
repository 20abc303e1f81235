#!/usr/bin/env python3
"""Writes the network of the digits sample for ONNX Runtime, with any number of rows.

    /usr/bin/python3 make_onnx.py

Needs PyTorch 1.13 alone. The file is kept beside the test that compares with ONNX Runtime.
"""

import pathlib
import warnings

warnings.filterwarnings("ignore")

import torch

HERE = pathlib.Path(__file__).parent

model = torch.jit.load(HERE / "../digits/digits-cpu.pt").eval()
rows = {0: "rows"}
torch.onnx.export(
    model,
    torch.zeros(1, 3, 32, 32),
    str(HERE / "src/test/resources/digits.onnx"),
    opset_version=13,
    input_names=["pictures"],
    output_names=["scores"],
    dynamic_axes={"pictures": rows, "scores": rows},
)
