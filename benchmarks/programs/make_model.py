"""Writes eight linear layers of 4096 x 4096, 512 MB of weights: FOLDER/large.pt and its input FOLDER/x.npy."""

import sys

import numpy
import torch

folder = sys.argv[1]
torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(8)]).eval()
x = torch.randn(1, 4096)
torch.jit.script(model).save(folder + "/large.pt")
numpy.save(folder + "/x.npy", x.numpy())
