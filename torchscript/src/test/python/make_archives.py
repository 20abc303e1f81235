"""Writes the archives that the archive and loader tests read, with genuine PyTorch 1.13 (Debian: python3-torch).

    python3 make_archives.py ../resources/archive

PyTorch writes the script's path into the files: run a copy of it in a folder that says nothing, such as /models.
"""

import enum
import sys
from typing import Dict, List, Optional, Tuple

import torch


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Inner(torch.nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, x):
        return x * self.weight


class Kinds(torch.nn.Module):
    """One attribute of every kind that an archive can hold."""

    ints: List[int]
    floats: List[float]
    bools: List[bool]
    strings: List[str]
    tensors: List[torch.Tensor]
    nested: List[List[int]]
    by_name: Dict[str, int]
    by_number: Dict[int, torch.Tensor]
    maybe: Optional[int]
    pair: Tuple[int, Tuple[str, float]]
    color: Color

    def __init__(self):
        super().__init__()
        base = torch.arange(12.0).reshape(3, 4)
        self.register_buffer("base", base)
        self.register_buffer("row", base[1])
        self.register_buffer("transposed", base.t())
        self.register_buffer("wide", torch.tensor([7.0]).expand(2, 3))
        self.register_buffer(
            "nhwc", torch.arange(24.0).reshape(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)
        )
        for dtype in (
            torch.uint8,
            torch.int8,
            torch.int16,
            torch.int32,
            torch.int64,
            torch.float16,
            torch.float64,
            torch.bfloat16,
            torch.bool,
            torch.complex64,
        ):
            self.register_buffer("t_" + str(dtype).split(".")[1], torch.tensor([1, 0, 3]).to(dtype))
        self.register_buffer("empty", torch.empty(0, 3))
        self.register_buffer("scalar", torch.tensor(2.5))
        self.register_buffer("per_tensor", torch.quantize_per_tensor(torch.tensor([0.5, -1.0]), 0.25, 10, torch.quint8))
        self.register_buffer(
            "per_channel",
            torch.quantize_per_channel(
                torch.tensor([[0.5], [-1.0]]), torch.tensor([0.25, 0.5]), torch.tensor([0, 0]), 0, torch.qint8
            ),
        )
        shared = torch.nn.Parameter(torch.tensor([3.0]))
        self.first = Inner(shared)
        self.second = Inner(shared)
        self.ints = [1, -2, 300, 1 << 33]
        self.floats = [0.1, float("inf"), float("nan")]
        self.bools = [True, False]
        self.strings = ["a", "caf\u00e9 \u2603"]
        self.tensors = [torch.tensor([1.0]), torch.tensor([2])]
        self.nested = [[1], [], [2, 3]]
        self.by_name = {"k": 1, "j": 2}
        self.by_number = {3: torch.tensor([4.0])}
        self.maybe = None
        self.pair = (1, ("two", 3.0))
        self.color = Color.GREEN
        self.device = torch.device("cpu")
        self.z = 1 + 2j

    def forward(self, x):
        y = self.second(self.first(x))
        return y + self.base.sum()

    @torch.jit.export
    def is_green(self) -> bool:
        return self.color == Color.GREEN


def main(folder):
    torch.backends.quantized.engine = "qnnpack"
    torch.manual_seed(0)
    module = torch.jit.script(Kinds())
    torch.jit.save(module, folder + "/kinds.pt", _extra_files={"notes.txt": "hello", "dir/more.bin": b"\x00\x01"})
    linear = torch.nn.Sequential(torch.nn.Linear(3, 2))
    packed = torch.quantization.quantize_dynamic(linear, {torch.nn.Linear}, torch.qint8)
    torch.jit.save(torch.jit.script(packed), folder + "/packed.pt")
    tiny = torch.jit.script(torch.nn.Linear(2, 1))
    torch.jit.save(tiny, folder + "/tiny.pt")
    tiny._save_for_lite_interpreter(folder + "/tiny.ptl")


main(sys.argv[1])
