"""Writes what benchmarks/serving/run measures, with genuine PyTorch: an encoder that takes token numbers of any length, and ResNet18.

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
    torch.jit.script(torchvision.models.resnet18(weights=None).eval()).save(os.path.join(folder, "resnet18.pt"))


main()
