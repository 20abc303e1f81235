"""Writes values as `torch-nnapi conformance captured` reads them: a byte for the kind, the rest little endian."""
import struct

import torch

CODES = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6, torch.float64: 7,
         torch.complex32: 8, torch.complex64: 9, torch.complex128: 10, torch.bool: 11, torch.qint8: 12, torch.quint8: 13, torch.qint32: 14, torch.bfloat16: 15}


def text(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")
    return struct.pack("<i", len(data)) + data


def tensor(t: torch.Tensor) -> bytes:
    if t.layout != torch.strided or t.dtype not in CODES:
        return b"O" + text("sparse tensor" if t.layout != torch.strided else str(t.dtype))
    t = t.detach().resolve_conj().resolve_neg()
    plain = t.is_contiguous()
    memory = 1 if not plain and t.dim() == 4 and t.is_contiguous(memory_format=torch.channels_last) else \
        2 if not plain and t.dim() == 5 and t.is_contiguous(memory_format=torch.channels_last_3d) else 0
    out = b"T" + struct.pack("<bbb", CODES[t.dtype], memory, t.dim()) + struct.pack(f"<{t.dim()}q", *t.shape)
    if t.is_quantized:
        if t.qscheme() == torch.per_tensor_affine:
            out += b"\0" + struct.pack("<dq", t.q_scale(), t.q_zero_point())
        else:
            real = t.qscheme() == torch.per_channel_affine_float_qparams
            scales, zeros = t.q_per_channel_scales().tolist(), t.q_per_channel_zero_points().tolist()
            out += struct.pack("<bqq", 2 if real else 1, t.q_per_channel_axis(), len(scales)) + struct.pack(f"<{len(scales)}d", *scales)
            out += struct.pack(f"<{len(zeros)}{'d' if real else 'q'}", *zeros)
        t = t.int_repr()
    t = t.contiguous()
    if t.dtype == torch.complex32:  # which NumPy lacks
        t = torch.view_as_real(t)
    data = t.view(torch.int16).numpy().tobytes() if t.dtype == torch.bfloat16 else t.numpy().tobytes()
    return out + struct.pack("<q", len(data)) + data


def value(v, declared=None) -> bytes:
    """Types of items are told where the type that a schema declares is given."""
    if declared is not None and declared.kind() == "OptionalType":
        declared = declared.getElementType()
    if isinstance(v, int) and declared is not None and declared.kind() == "FloatType":
        v = float(v)
    if v is None:
        return b"N"
    if isinstance(v, torch.Tensor):
        return tensor(v)
    if isinstance(v, bool):
        return b"?" + bytes([v])
    if isinstance(v, int):
        return b"I" + struct.pack("<q", v)
    if isinstance(v, float):
        return b"D" + struct.pack("<d", v)
    if isinstance(v, complex):
        return b"C" + struct.pack("<dd", v.real, v.imag)
    if isinstance(v, str):
        return b"S" + text(v)
    if isinstance(v, torch.dtype):
        return b"I" + struct.pack("<q", CODES[v])
    if isinstance(v, list):
        item = declared.getElementType() if declared is not None and declared.kind() == "ListType" else None
        return b"L" + text(item.annotation_str if item else "Any") + struct.pack("<i", len(v)) + b"".join(value(x, item) for x in v)
    if isinstance(v, tuple):
        items = declared.elements() if declared is not None and declared.kind() == "TupleType" and len(declared.elements()) == len(v) else [None] * len(v)
        return b"U" + struct.pack("<i", len(v)) + b"".join(value(x, item) for x, item in zip(v, items))
    if isinstance(v, dict):
        known = declared is not None and declared.kind() == "DictType"
        key, item = (declared.getKeyType(), declared.getValueType()) if known else (None, None)
        pairs = b"".join(value(k, key) + value(x, item) for k, x in v.items())
        return b"M" + text(key.annotation_str if known else "Any") + text(item.annotation_str if known else "Any") + struct.pack("<i", len(v)) + pairs
    return b"O" + text(str(v))


def outcome(status: str, frame: bytes) -> bytes:
    return status.encode() + struct.pack("<i", len(frame)) + frame
