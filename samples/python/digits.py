"""Runs a converted model in desktop PyTorch on torch-nnapi's devices: python3 digits.py digits-core-nnapi.pt; see README.md."""

import sys
import numpy
import torch

pixels = torch.from_numpy(numpy.load("samples/digits/digits-test-images.npy")).float() / 8 - 1
images = pixels.repeat_interleave(4, 1).repeat_interleave(4, 2).unsqueeze(1).expand(-1, 3, -1, -1).contiguous()
labels = torch.from_numpy(numpy.load("samples/digits/digits-test-labels.npy"))
model = torch.jit.load(sys.argv[1])
right = sum(int(model(image.unsqueeze(0)).argmax() == label) for image, label in zip(images, labels))
print(f"{right} of {len(labels)} digits right")
