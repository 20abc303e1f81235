"""Writes the seeds: small modules of genuine PyTorch 1.13 that touch much of what files can hold.

  /usr/bin/python3 make_seeds.py FOLDER

PyTorch writes the script's path into the files: run a copy of it in a folder that says nothing, such as /models.
"""

import sys
from typing import Dict, List, Optional, Tuple

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)
        self.linear = nn.Linear(8, 3)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        x = torch.max_pool2d(x, 2)
        return torch.softmax(self.linear(torch.flatten(x, 1)), 1)


class Program(nn.Module):
    scale: float

    def __init__(self):
        super().__init__()
        self.scale = 0.5
        self.register_buffer("table", torch.arange(6.0).reshape(2, 3))
        self.names = torch.jit.annotate(Dict[str, int], {"a": 1, "b": 2})

    @torch.jit.export
    def count(self, n: int, words: List[str]) -> Dict[str, int]:
        found: Dict[str, int] = {}
        for word in words:
            if word in found:
                found[word] += n
            else:
                found[word] = len(word)
        return found

    def forward(self, x: torch.Tensor, n: int = 3, key: Optional[str] = None) -> Tuple[torch.Tensor, List[int], str]:
        sizes = [i * i for i in range(n)]
        i = 0
        while i < n and bool(x.sum() < 100):
            x = x * self.scale + self.table[0, i % 3]
            i += 1
        if key is not None:
            sizes.append(self.names[key])
        return x, sizes, "{} of {}".format(i, n)


class Small(nn.Module):
    """What a file of a few hundred bytes can hold: inputs made from it take little time each."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if bool(x.sum() < 1):
            return torch.relu(x + 1)
        return x * 2


def main(folder):
    torch.manual_seed(0)
    example = torch.rand(1, 1, 4, 4)
    net = Net().eval()
    traced = torch.jit.trace(net, example)
    traced.save(f"{folder}/net.pt")
    traced._save_for_lite_interpreter(f"{folder}/net.ptl")
    traced._save_for_lite_interpreter(f"{folder}/net.ff", _use_flatbuffer=True)
    program = torch.jit.script(Program())
    program.save(f"{folder}/program.pt")
    program._save_for_lite_interpreter(f"{folder}/program.ptl")
    program._save_for_lite_interpreter(f"{folder}/program.ff", _use_flatbuffer=True)
    small = torch.jit.script(Small())
    small._save_for_lite_interpreter(f"{folder}/small.ptl")
    small._save_for_lite_interpreter(f"{folder}/small.ff", _use_flatbuffer=True)
    torch.backends.quantized.engine = "qnnpack"
    quantized = torch.ao.quantization.QuantWrapper(
        nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    ).eval()
    quantized.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
    torch.ao.quantization.prepare(quantized, inplace=True)
    quantized(example)
    torch.ao.quantization.convert(quantized, inplace=True)
    torch.jit.trace(quantized, example).save(f"{folder}/quantized.pt")


main(sys.argv[1])
