"""make_host_asset.py GENERATOR OUT: the TorchScript asset of PyTorch's Java host tests.

GENERATOR is PyTorch's own generate_test_torchscripts.py. Half of the host tests run operator models, for which the host
variant loads this same asset and calls forward without arguments; so its forward gets a default, and the bundled inputs
that one of them asks for are there.
"""

import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

import torch

ADDED = """
class Asset(Test):
    @torch.jit.script_method
    def forward(self, input: Optional[Tensor] = None):
        return None

    @torch.jit.script_method
    def get_all_bundled_inputs(self) -> List[Tuple[Optional[Tensor]]]:
        return [(None,)]
"""

generator, out = sys.argv[1:3]
with open(generator, encoding="utf-8") as f:
    source = f.read().rsplit("scriptAndSave(", 1)[0] + ADDED
with tempfile.TemporaryDirectory() as folder:  # TorchScript reads the source of what it compiles from a file
    with open(os.path.join(folder, "asset_source.py"), "w", encoding="utf-8") as f:
        f.write(source)
    sys.path.insert(0, folder)
    import asset_source

    torch.jit.script(asset_source.Asset())._save_for_lite_interpreter(out)
