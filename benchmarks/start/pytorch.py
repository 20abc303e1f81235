"""The same with genuine PyTorch: MODEL THREADS SECONDS."""

import sys
import time

import torch

torch.set_num_threads(int(sys.argv[2]))
if "qnnpack" in torch.backends.quantized.supported_engines:
    torch.backends.quantized.engine = "qnnpack"
module = torch.jit.load(sys.argv[1])
example = (torch.arange(3 * 224 * 224) % 17 / 17.0).reshape(1, 3, 224, 224)
with torch.no_grad():
    module(example).numpy()
    print("first", flush=True)
    start = now = time.perf_counter_ns()
    lines = []
    while now - start < float(sys.argv[3]) * 1e9:
        before = now
        module(example).numpy()
        now = time.perf_counter_ns()
        lines.append(f"inference {now - start} {now - before}")
print("\n".join(lines))
with open("/proc/self/status") as status:
    print("peak", next(line.split()[1] for line in status if line.startswith("VmHWM:")))
