"""Whether values are the same: whole numbers, text and structure exactly, real numbers within what their types allow."""

import math

import torch

TOLERANCE = {"atol": 2e-5, "rtol": 2e-4}
# Two units in the last place of types whose steps are coarse.
RTOLS = {torch.float16: 2.0**-9, torch.bfloat16: 2.0**-6}


def compare(wanted, got, place: str, share: float = 1):
    """What is wrong, in one line, or None; of what real numbers may differ by, only this share is allowed."""
    if isinstance(wanted, Exception) or isinstance(got, Exception):
        if isinstance(wanted, Exception) and isinstance(got, Exception):
            return None
        return f"{place}: expected {one_line(wanted)}, actual {one_line(got)}"
    if isinstance(wanted, torch.Tensor):
        return tensors(wanted, got, place, share) if isinstance(got, torch.Tensor) else f"{place}: expected a tensor"
    if isinstance(wanted, (list, tuple)):
        if not isinstance(got, type(wanted)) and not isinstance(wanted, tuple) or len(wanted) != len(got):
            return f"{place}: expected {len(wanted)} items, actual {one_line(got)}"
        found = (compare(w, v, f"{place}[{i}]", share) for i, (w, v) in enumerate(zip(wanted, got)))
        return next((wrong for wrong in found if wrong), None)
    if isinstance(wanted, dict):
        if not isinstance(got, dict) or list(wanted) != list(got):
            return f"{place}: expected keys {list(wanted)}, actual {one_line(got)}"
        found = (compare(w, got[k], f"{place}[{k}]", share) for k, w in wanted.items())
        return next((wrong for wrong in found if wrong), None)
    if isinstance(wanted, float) and isinstance(got, float):
        near = math.isclose(wanted, got, rel_tol=TOLERANCE["rtol"] * share, abs_tol=TOLERANCE["atol"] * share)
        same = near or math.isnan(wanted) and math.isnan(got)
    else:
        same = type(wanted) is type(got) and wanted == got
    return None if same else f"{place}: expected {wanted}, actual {got}"


def one_line(v) -> str:
    return (f"{type(v).__name__}: " if isinstance(v, Exception) else "") + " | ".join(str(v).split("\n"))[-200:]


def tensors(wanted: torch.Tensor, got: torch.Tensor, place: str, share: float):
    if wanted.dtype != got.dtype or wanted.shape != got.shape:
        return f"{place}: expected {wanted.dtype}{list(wanted.shape)}, actual {got.dtype}{list(got.shape)}"
    if wanted.is_quantized:
        return compare(wanted.int_repr(), got.int_repr(), place, share)
    if wanted.is_floating_point() or wanted.is_complex():
        # Of coarse types the last unit alone is half of what is allowed.
        relative = RTOLS.get(wanted.dtype) or TOLERANCE["rtol"] * share
        wide = torch.complex128 if wanted.is_complex() else torch.float64
        same = torch.isclose(
            got.to(wide), wanted.to(wide), rtol=relative, atol=TOLERANCE["atol"] * share, equal_nan=True
        )
    else:
        same = wanted == got
    if bool(same.all()):
        return None
    first = int((~same).reshape(-1).to(torch.int64).argmax())
    w, v = wanted.reshape(-1)[first].item(), got.reshape(-1)[first].item()
    return f"{place}: {int((~same).sum())} of {same.numel()} elements differ, first element {first}: expected {w}, actual {v}"
