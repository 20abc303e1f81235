"""Makes lite_module.ff with genuine PyTorch 1.13 (python3 make_lite_module.py)."""

from typing import Dict, List, Optional, Tuple

import torch


class Lite(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(6, dtype=torch.float32).reshape(2, 3))
        self.k = 3
        self.names = ["a", "b"]
        self.scales: Dict[str, float] = {"x": 1.5}
        self.pair: Tuple[int, str] = (7, "q")

    def forward(self, n: int, s: Optional[str] = None) -> Tuple[int, List[str], float, str]:
        total = 0
        for i in range(n):
            if i % 2 == 0:
                total += i * self.k
            else:
                total -= 1
        names = self.names + ["c"]
        if s is not None:
            names.append(s)
        return total + self.pair[0], names, self.scales["x"], "n={}".format(n)

    @torch.jit.export
    def weights(self) -> torch.Tensor:
        return self.table


module = torch.jit.script(Lite().eval())
module._save_for_lite_interpreter("lite_module.ff", _extra_files={"note.txt": "hello"}, _use_flatbuffer=True)
