"""The list of models: classes that are registered with what makes their inputs."""

import torch

MODELS = []


def deployed(*inputs, forms=("traced", "scripted"), quantized=None):
    """Registers a class by its name, with a function for each input.

    quantized: None, "static" (its float form is calibrated and converted too), "eager" (the same with its own stubs, module by module), "aware" (trained with
    these), "dynamic" (linears and recurrent layers are), "cells" (recurrent ones are, dynamically), "tables" and "nibbles" (of embeddings, 8 or 4 bits and a
    scale a row), or "mobile" (packed for a phone's processor by optimize_for_mobile).
    """

    def register(build):
        MODELS.append((name(build.__name__), build, inputs, forms, quantized))
        return build

    return register


def name(text):
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(text))


def image(*shape):
    """Values of 1 / 256 of [0, 1)."""
    return lambda: torch.randint(0, 256, shape).float() / 256


def normal(*shape):
    return lambda: (torch.randn(*shape) * 64).round() / 64


def whole(most, *shape):
    return lambda: torch.randint(0, most, shape)


def fixed(*values):
    return lambda: torch.tensor(values)
