"""Makes the float models whose size and speed benchmarks/quantized/run tells, with random weights and settled batch norms: models.py FOLDER."""

import pathlib
import sys

import numpy
import torch
import torchvision


class Block(torch.nn.Sequential):
    def __init__(self, inner, outer):
        layers = []
        for channels in (inner, outer):
            layers += [torch.nn.Conv2d(channels, outer, 3, padding=1), torch.nn.BatchNorm2d(outer), torch.nn.ReLU()]
        super().__init__(*layers)


class UNet(torch.nn.Module):
    """Channels from 32 to 256, joined across, enlarged by transposed convolutions."""

    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.down = torch.nn.ModuleList(Block(inner, outer) for inner, outer in zip((3,) + widths, widths))
        self.enlarge = torch.nn.ModuleList(
            torch.nn.ConvTranspose2d(inner, outer, 2, stride=2) for outer, inner in zip(widths, widths[1:])
        )
        self.up = torch.nn.ModuleList(Block(2 * outer, outer) for outer in widths[:-1])
        self.pool = torch.nn.MaxPool2d(2)
        self.head = torch.nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else self.pool(x))
            kept.append(x)
        for enlarge, up, other in reversed(list(zip(self.enlarge, self.up, kept))):
            x = up(torch.cat([enlarge(x), other], 1))
        return self.head(x)


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for name, module, size in (
        ("mobilenet_v2", torchvision.models.mobilenet_v2(weights=None), 224),
        ("unet", UNet(), 128),
    ):
        inputs = torch.randn(8, 3, size, size)
        with torch.no_grad():
            module.train()
            for _ in range(3):
                module(inputs[:2])
            torch.jit.trace(module.eval(), inputs[:1]).save(str(folder / (name + ".pt")))
        numpy.save(folder / (name + ".npy"), inputs.numpy())


main()
