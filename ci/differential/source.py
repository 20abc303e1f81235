"""Modules of source text."""

import itertools

import torch

COUNTER = itertools.count()


class Blank(torch.nn.Module):
    # PyTorch shares the class of modules that look alike, which would have one method only.
    __constants__ = ["number"]

    def __init__(self):
        super().__init__()
        self.number = next(COUNTER)


def module(source: str):
    """A module with methods of this TorchScript source."""
    made = torch.jit.script(Blank())
    made.define(source)
    return made
