"""Writes what benchmarks/serving/run measures, with genuine PyTorch: an encoder that takes token numbers of any length, and ResNet18, each as
TorchScript and for ONNX Runtime; ResNet18 in two regions and as a whole; and a loop of numbers.

    python3 make_models.py FOLDER
"""

import os
import sys

import torch
import torchvision


class Encoder(torch.nn.Module):
    """Six layers of 768, 51 million numbers."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10000, 768)
        layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, dropout=0.0)
        self.layers = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)

    def forward(self, tokens):
        return self.layers(self.embedding(tokens))


class Cut(torch.nn.Module):
    """ResNet18 with a sum amid it: with an element as a tensor, or as a number, which nothing compiled reads."""

    reads: torch.jit.Final[bool]

    def __init__(self, resnet, reads):
        super().__init__()
        self.first = torch.nn.Sequential(
            resnet.conv1, resnet.bn1, resnet.relu, resnet.maxpool, resnet.layer1, resnet.layer2
        )
        self.second = torch.nn.Sequential(resnet.layer3, resnet.layer4, resnet.avgpool, torch.nn.Flatten(), resnet.fc)
        self.reads = reads

    def forward(self, x):
        x = self.first(x)
        corner = x[0, 0, 0, 0]
        if self.reads:
            x = x + float(corner)
        else:
            x = x + corner
        return self.second(x)


class Numbers(torch.nn.Module):
    """Four operators on numbers a round."""

    def forward(self, rounds: int):
        total = 1
        for i in range(rounds):
            total = (total * 3 + i) % 1000003 - 1
        return total


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    encoder = Encoder().eval()
    with torch.no_grad():
        # PyTorch makes all layers copies of one, which packed weights would be shared of.
        for parameter in encoder.parameters():
            parameter.normal_(0, 0.02)
    torch.jit.script(encoder).save(os.path.join(folder, "encoder.pt"))
    # In training, without dropout, layers are written out of the operators that they are made of.
    onnx(encoder.train(), torch.zeros(1, 7, dtype=torch.int64), [1], os.path.join(folder, "encoder.onnx"))
    resnet = torchvision.models.resnet18(weights=None).eval()
    torch.jit.script(resnet).save(os.path.join(folder, "resnet18.pt"))
    torch.jit.script(Cut(resnet, False)).save(os.path.join(folder, "whole.pt"))
    torch.jit.script(Cut(resnet, True)).save(os.path.join(folder, "cut.pt"))
    torch.jit.script(Numbers()).save(os.path.join(folder, "numbers.pt"))
    onnx(resnet, torch.zeros(1, 3, 224, 224), [0, 2, 3], os.path.join(folder, "resnet18.onnx"))


def onnx(module, example, varying, file):
    """For ONNX Runtime, with those dimensions of the input of any size."""
    axes = {"input": {dimension: f"n{dimension}" for dimension in varying}, "output": {varying[0]: f"n{varying[0]}"}}
    torch.onnx.export(
        module,
        (example,),
        file,
        input_names=["input"],
        output_names=["output"],
        dynamic_axes=axes,
        opset_version=14,
        training=torch.onnx.TrainingMode.PRESERVE,
    )


main()
