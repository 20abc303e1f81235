"""missing_operators.py LISTED [SEED]: operators of genuine PyTorch that `torch-nnapi operators > LISTED` does not list, and three of them drawn by the seed.

Left out: what is named otherwise only (.out and copying forms, those of dimensions with names), what concerns gradients, statistics over several
machines, other devices, layouts, libraries and early files, and operators that PyTorch's own code alone calls, whose names begin with an underscore.
"""

import random
import re
import sys

import torch
import torchvision  # noqa: F401 registers the operators that some models name

ELSEWHERE = "backward|cuda|mkldnn|cudnn|miopen|sparse|mps|xla|vulkan|Dimname|nested|foreach|names|Storage|Future|RRef|grad|fbgemm|coalesc|csr|_indices|_copy|_legacy|legacy|_jvp|batch_norm_|SymInt"

listed = {line.split()[0] for line in open(sys.argv[1]) if "::" in line}
missing = []
for schema in torch._C._jit_get_all_schemas():
    name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
    space, _, plain = schema.name.partition("::")
    takes = any("Tensor" in str(argument.type) for argument in schema.arguments)
    writes = (
        any(argument.is_out for argument in schema.arguments)
        or plain.endswith("_")
        or re.search(r"\((\w)!\)", str(schema))
    )
    own = plain.startswith("_") and not plain.startswith("__")
    if (
        takes
        and not writes
        and not own
        and space in ("aten", "quantized")
        and name not in listed
        and not re.search(ELSEWHERE, str(schema), re.IGNORECASE)
    ):
        missing.append(name)
missing.sort()
print(len(missing), "missing:", " ".join(missing))
if len(sys.argv) > 2:
    print("drawn:", " ".join(random.Random(int(sys.argv[2])).sample(missing, min(3, len(missing)))))
