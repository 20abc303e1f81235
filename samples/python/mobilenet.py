"""MobileNetV2, float and 8 bits, in desktop PyTorch: by its own kernels and through NNAPI on torch-nnapi's devices; see README.md.

Times are medians of interleaved runs on one thread; the last column is PyTorch's float time divided by each.
"""

import statistics
import time
import warnings

import torch
import torchvision
from torch.backends._nnapi.prepare import convert_model_to_nnapi

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
torch.manual_seed(0)
torch.backends.quantized.engine = "qnnpack"
image = torch.randn(1, 3, 224, 224)


def network_of(quantized):
    """Without clipping at 6, which PyTorch's converter does not take."""
    network = torchvision.models.quantization.mobilenet_v2(quantize=False)
    torchvision.models.quantization.utils._replace_relu(network)
    network.eval()
    network.fuse_model()
    if quantized:
        network.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
        torch.ao.quantization.prepare(network, inplace=True)
        network(image)
        torch.ao.quantization.convert(network, inplace=True)
    return network


class Inner(torch.nn.Module):
    """The network between its quantizing and dequantizing steps, which is what PyTorch's converter takes."""

    def __init__(self, network):
        super().__init__()
        self.features = network.features
        self.classifier = network.classifier

    def forward(self, x):
        x = self.features(x)
        return self.classifier(torch.nn.functional.adaptive_avg_pool2d(x, (1, 1)).flatten(1))


def through_nnapi(network, example):
    traced = torch.jit.trace(network, example)
    nhwc = example.contiguous(memory_format=torch.channels_last)
    nhwc.nnapi_nhwc = True
    return convert_model_to_nnapi(traced, nhwc), nhwc


with torch.no_grad():
    network = Inner(network_of(quantized=False)).eval()
    whole = network_of(quantized=True)
    inner, bytes_in = Inner(whole).eval(), whole.quant(image)
    float_nnapi, float_in = through_nnapi(network, image)
    byte_nnapi, byte_in = through_nnapi(inner, bytes_in)
    runs = {
        "PyTorch, float": lambda: network(image),
        "PyTorch, float, frozen": (lambda frozen: lambda: frozen(image))(
            torch.jit.freeze(torch.jit.trace(network, image))
        ),
        "NNAPI, float": lambda: float_nnapi(float_in),
        "PyTorch, 8 bits (qnnpack)": lambda: inner(bytes_in),
        "NNAPI, 8 bits": lambda: byte_nnapi(byte_in),
    }
    answers = {name: run() for name, run in runs.items()}
    wanted = answers["PyTorch, float"]
    difference = ((wanted - answers["NNAPI, float"]).abs().max() / wanted.abs().max()).item()
    steps = (
        (answers["PyTorch, 8 bits (qnnpack)"].int_repr().int() - answers["NNAPI, 8 bits"].int_repr().int())
        .abs()
        .max()
        .item()
    )
    print(f"largest difference: float {difference:.2g} of the largest output, 8 bits {steps} steps")
    times = {name: [] for name in runs}
    for turn in range(60):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if turn >= 20:
                times[name].append(time.perf_counter() - start)
    own = statistics.median(times["PyTorch, float"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:26} {median * 1000:8.2f} ms  {own / median:5.2f}")
