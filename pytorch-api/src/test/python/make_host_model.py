"""Writes the model that ModuleTest loads, with genuine PyTorch 1.13 (Debian: python3-torch).

    python3 make_host_model.py ../resources/org/pytorch

PyTorch writes the script's path into the files: run a copy of it in a folder that says nothing, such as /models.
"""

import sys
from typing import Dict, List, Optional, Tuple

import torch


class HostModel(torch.nn.Module):
    """A method for every kind of value that goes in or comes out."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> Optional[torch.Tensor]:
        return None

    @torch.jit.export
    def same_bool(self, value: bool) -> bool:
        return value

    @torch.jit.export
    def same_int(self, value: int) -> int:
        return value

    @torch.jit.export
    def same_float(self, value: float) -> float:
        return value

    @torch.jit.export
    def same_tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value

    @torch.jit.export
    def thrice(self, value: str) -> str:
        return value + value + value

    @torch.jit.export
    def same_by_name(self, values: Dict[str, int]) -> Dict[str, int]:
        return values

    @torch.jit.export
    def same_by_number(self, values: Dict[int, int]) -> Dict[int, int]:
        return values

    @torch.jit.export
    def total(self, values: List[int]) -> Tuple[List[int], int]:
        s = 0
        for value in values:
            s += value
        return values, s

    @torch.jit.export
    def negated(self, values: List[bool]) -> List[bool]:
        return [not value for value in values]

    @torch.jit.export
    def doubled(self, values: List[float]) -> List[float]:
        return [2 * value for value in values]

    @torch.jit.export
    def reversed_tensors(self, values: List[torch.Tensor]) -> List[torch.Tensor]:
        return [values[len(values) - 1 - i] for i in range(len(values))]

    @torch.jit.export
    def words(self) -> List[str]:
        return ["a", "b"]

    @torch.jit.export
    def is_none(self, value: Optional[int]) -> bool:
        return value is None

    @torch.jit.export
    def none_if_zero(self, value: int) -> Optional[int]:
        return None if value == 0 else value

    @torch.jit.export
    def is_training(self) -> bool:
        return self.training

    @torch.jit.export
    def odd_columns(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, 1::2]

    @torch.jit.export
    def dense(self, x: torch.Tensor) -> torch.Tensor:
        return x.contiguous()

    @torch.jit.export
    def channels_last(self, x: torch.Tensor) -> torch.Tensor:
        return x.contiguous(memory_format=torch.channels_last)

    @torch.jit.export
    def fill_one(self, x: torch.Tensor) -> torch.Tensor:
        return x.fill_(1)

    @torch.jit.export
    def fill_all(
        self,
        listed: List[torch.Tensor],
        named: Dict[str, torch.Tensor],
        numbered: Dict[int, torch.Tensor],
        nested: Tuple[List[torch.Tensor], Dict[str, torch.Tensor]],
    ) -> int:
        for t in listed:
            t.fill_(1)
        named["a"].fill_(2)
        numbered[7].fill_(3)
        nested[0][1].fill_(4)
        nested[1]["b"].fill_(5)
        listed.reverse()
        named.clear()
        return len(listed)

    @torch.jit.export
    def half(self, x: torch.Tensor) -> torch.Tensor:
        return x.half()

    @torch.jit.export
    def fill_and_refuse(self, x: torch.Tensor) -> int:
        x.fill_(1)
        raise ValueError("filled")
        return 0

    @torch.jit.export
    def refuse(self, name: str) -> int:
        if name == "me":
            raise ValueError("not " + name)
        return 1


module = torch.jit.script(HostModel())
torch.jit.save(module, sys.argv[1] + "/host-model.pt", _extra_files={"notes.txt": "caf\u00e9"})
module._save_for_lite_interpreter(sys.argv[1] + "/host-model.ptl", _extra_files={"notes.txt": "lite"})
