"""What the scripts that train the samples share."""

import os
import sys
import threading
import types

import numpy as np
import torch


def load(here: str, name: str) -> types.ModuleType:
    """A Python file beside a script, compiled under its path in the repository: TorchScript records the path of every operator, and those
    of the machine that trains are to stay out of the model files."""
    path = os.path.join(here, name + ".py")
    module = types.ModuleType(name)
    with open(path, encoding="utf-8") as source:
        exec(compile(source.read(), f"samples/{os.path.basename(here)}/{name}.py", "exec"), module.__dict__)
    sys.modules[name] = module
    return module


def repeatable(seed: int) -> torch.Generator:
    """One thread and one order of sums, so that the same versions give the same files."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    return torch.Generator().manual_seed(seed)


def train(model: torch.nn.Module, batches, loss_of, epochs: int, steps: int, rate: float) -> None:
    """Steps of AdamW with one cycle of the learning rate; `batches(epoch)` yields what `loss_of` takes."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, epochs * steps)
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for batch in batches(epoch):
            loss = loss_of(*batch)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1:2d} of {epochs}: loss {total / steps:.4f}", flush=True)
    model.eval()


def background(size: int, rng: np.random.Generator) -> np.ndarray:
    """Colour gradients, stripes, blobs and noise: floats (size, size, 3), about in [0, 1]."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size
    colours = rng.uniform(0, 1, (4, 3)).astype(np.float32)
    image = (
        colours[0] * ((1 - x) * (1 - y))[..., None]
        + colours[1] * (x * (1 - y))[..., None]
        + colours[2] * ((1 - x) * y)[..., None]
        + colours[3] * (x * y)[..., None]
    )
    for _ in range(rng.integers(0, 4)):
        colour = rng.uniform(0, 1, 3).astype(np.float32)
        if rng.random() < 0.5:
            angle, width = rng.uniform(0, np.pi), rng.uniform(3, 25)
            shape = np.sin((x * np.cos(angle) + y * np.sin(angle)) * width + rng.uniform(0, 6)) * 0.5 + 0.5
        else:
            distance = np.hypot(x - rng.uniform(), (y - rng.uniform()) * rng.uniform(0.5, 2))
            shape = 1 / (1 + np.exp(np.minimum((distance - rng.uniform(0.05, 0.4)) * rng.uniform(8, 60), 60)))
        alpha = (shape * rng.uniform(0.2, 0.9))[..., None]
        image = image * (1 - alpha) + colour * alpha
    return image + rng.normal(0, rng.uniform(0, 0.06), image.shape)


# TorchScript records the Python stack of every operator. That of a thread begins with its function, which has its path in the repository.
TRACE = """import torch
def trace(model, example, traced):
    with torch.no_grad():
        traced.append(torch.jit.trace(model, example, check_trace=False))
"""


def save(model: torch.nn.Module, example: torch.Tensor, path: str) -> None:
    """Traces a model and writes it."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    scope, traced = {}, []
    exec(compile(TRACE, "samples/sample_tools.py", "exec"), scope)
    thread = threading.Thread(target=scope["trace"], args=(model, example, traced))
    thread.start()
    thread.join()
    torch.jit.save(traced[0], path)
    print(f"{os.path.basename(path)}: {os.path.getsize(path)} bytes")
