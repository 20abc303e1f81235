"""Makes the quantized models of benchmarks/quantized/profiles, with PyTorch's own flows for qnnpack, random weights and settled batch norms, a batch
of inputs and PyTorch's answers: profile_models.py FOLDER."""

import copy
import pathlib
import sys

import numpy
import torch
import torch.ao.quantization as quantization
import torch.ao.quantization.quantize_fx as fx
import torchvision

SIZE = 64


class Inverted(torch.nn.Module):
    """A block of EfficientNet-lite: no squeeze and excitation, ReLU6 for swish."""

    def __init__(self, inner, outer, stride, widening):
        super().__init__()
        wide = inner * widening
        layers = [torch.nn.Conv2d(inner, wide, 1, bias=False), torch.nn.BatchNorm2d(wide), torch.nn.ReLU6()]
        layers += [torch.nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), torch.nn.BatchNorm2d(wide)]
        layers += [torch.nn.ReLU6(), torch.nn.Conv2d(wide, outer, 1, bias=False), torch.nn.BatchNorm2d(outer)]
        self.body = torch.nn.Sequential(*layers[0 if widening > 1 else 3 :])
        self.keeps = stride == 1 and inner == outer

    def forward(self, x):
        return x + self.body(x) if self.keeps else self.body(x)


class EfficientNetLite(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layers = [torch.nn.Conv2d(3, 32, 3, 2, 1, bias=False), torch.nn.BatchNorm2d(32), torch.nn.ReLU6()]
        inner = 32
        for widening, outer, count, stride in (
            (1, 16, 1, 1),
            (6, 24, 2, 2),
            (6, 40, 2, 2),
            (6, 80, 3, 2),
            (6, 112, 3, 1),
            (6, 192, 4, 2),
            (6, 320, 1, 1),
        ):
            for i in range(count):
                layers.append(Inverted(inner, outer, stride if i == 0 else 1, widening))
                inner = outer
        layers += [torch.nn.Conv2d(inner, 1280, 1, bias=False), torch.nn.BatchNorm2d(1280), torch.nn.ReLU6()]
        self.features = torch.nn.Sequential(*layers)
        self.head = torch.nn.Linear(1280, 100)

    def forward(self, x):
        return self.head(torch.nn.functional.adaptive_avg_pool2d(self.features(x), 1).flatten(1))


class UNet(torch.nn.Module):
    """Enlarged once by a transposed convolution, once between pixels."""

    def __init__(self, widths=(16, 32, 64)):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.down = torch.nn.ModuleList(self.block(a, b) for a, b in zip((3,) + widths, widths))
        self.enlarge = torch.nn.ConvTranspose2d(widths[2], widths[2], 2, stride=2)
        self.up = torch.nn.ModuleList(self.block(a + b, a) for a, b in pairs)
        self.pool = torch.nn.MaxPool2d(2)
        self.head = torch.nn.Conv2d(widths[0], 2, 1)

    @staticmethod
    def block(inner, outer):
        return torch.nn.Sequential(
            torch.nn.Conv2d(inner, outer, 3, padding=1, bias=False), torch.nn.BatchNorm2d(outer), torch.nn.ReLU()
        )

    def forward(self, x):
        first = self.down[0](x)
        second = self.down[1](self.pool(first))
        third = self.down[2](self.pool(second))
        x = self.up[1](torch.cat([self.enlarge(third), second], 1))
        x = torch.nn.functional.interpolate(x, scale_factor=2.0, mode="bilinear")
        return self.head(self.up[0](torch.cat([x, first], 1)))


def settled(module):
    for part in module.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            part.momentum = None
    module.train()
    with torch.no_grad():
        for _ in range(4):
            module(torch.randn(8, 3, SIZE, SIZE))
    return module.eval()


def calibrated(prepared):
    with torch.no_grad():
        for _ in range(4):
            prepared(torch.randn(4, 3, SIZE, SIZE))
    return prepared


def graph_mode(module):
    mapping = quantization.get_default_qconfig_mapping("qnnpack")
    prepared = fx.prepare_fx(settled(module), mapping, (torch.randn(1, 3, SIZE, SIZE),))
    return fx.convert_fx(calibrated(prepared))


def eager_mode(module):
    module = settled(module)
    module.fuse_model(is_qat=False)
    module.qconfig = quantization.get_default_qconfig("qnnpack")
    return quantization.convert(calibrated(quantization.prepare(copy.deepcopy(module))))


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.backends.quantized.engine = "qnnpack"
    mobile_net = torchvision.models.quantization.mobilenet_v3_large(weights=None, quantize=False)
    for name, module in (
        ("mobilenet_v3_large", eager_mode(mobile_net)),
        ("efficientnet_lite", graph_mode(EfficientNetLite())),
        ("unet", graph_mode(UNet())),
    ):
        inputs = torch.randn(1, 3, SIZE, SIZE)
        traced = torch.jit.trace(module, inputs, check_trace=False)
        traced.save(str(folder / (name + ".pt")))
        numpy.save(folder / (name + ".npy"), inputs.numpy())
        numpy.save(folder / (name + "-torch.npy"), traced(inputs).numpy())


main()
