"""Writes values as `torch-nnapi conformance captured` reads them, and reads them: a byte for the kind, the rest little endian."""

import struct

import torch

CODES = {
    torch.uint8: 0,
    torch.int8: 1,
    torch.int16: 2,
    torch.int32: 3,
    torch.int64: 4,
    torch.float16: 5,
    torch.float32: 6,
    torch.float64: 7,
    torch.complex32: 8,
    torch.complex64: 9,
    torch.complex128: 10,
    torch.bool: 11,
    torch.qint8: 12,
    torch.quint8: 13,
    torch.qint32: 14,
    torch.bfloat16: 15,
}
# What quantized tensors are written as.
INTEGERS = {torch.qint8: torch.int8, torch.quint8: torch.uint8, torch.qint32: torch.int32}


def text(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")
    return struct.pack("<i", len(data)) + data


def tensor(t: torch.Tensor) -> bytes:
    if t.layout != torch.strided or t.dtype not in CODES:
        return b"O" + text("sparse tensor" if t.layout != torch.strided else str(t.dtype))
    t = t.detach().resolve_conj().resolve_neg()
    plain = t.is_contiguous()
    memory = (
        1
        if not plain and t.dim() == 4 and t.is_contiguous(memory_format=torch.channels_last)
        else 2
        if not plain and t.dim() == 5 and t.is_contiguous(memory_format=torch.channels_last_3d)
        else 0
    )
    out = b"T" + struct.pack("<bbb", CODES[t.dtype], memory, t.dim()) + struct.pack(f"<{t.dim()}q", *t.shape)
    if t.is_quantized:
        if t.qscheme() == torch.per_tensor_affine:
            out += b"\0" + struct.pack("<dq", t.q_scale(), t.q_zero_point())
        else:
            real = t.qscheme() == torch.per_channel_affine_float_qparams
            scales, zeros = t.q_per_channel_scales().tolist(), t.q_per_channel_zero_points().tolist()
            out += struct.pack("<bqq", 2 if real else 1, t.q_per_channel_axis(), len(scales)) + struct.pack(
                f"<{len(scales)}d", *scales
            )
            out += struct.pack(f"<{len(zeros)}d", *zeros)
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
    if isinstance(v, (list, dict)) and (declared is None or declared.kind() in ("AnyType", "UnionType")):
        # Containers that are declared to be anything take the type that PyTorch's binding finds.
        found = torch._C._jit_try_infer_type(v)
        declared = found.type() if found.success() else None
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
        return (
            b"L"
            + text(item.annotation_str if item else "Any")
            + struct.pack("<i", len(v))
            + b"".join(value(x, item) for x in v)
        )
    if isinstance(v, tuple):
        items = (
            declared.elements()
            if declared is not None and declared.kind() == "TupleType" and len(declared.elements()) == len(v)
            else [None] * len(v)
        )
        return b"U" + struct.pack("<i", len(v)) + b"".join(value(x, item) for x, item in zip(v, items))
    if isinstance(v, dict):
        known = declared is not None and declared.kind() == "DictType"
        key, item = (declared.getKeyType(), declared.getValueType()) if known else (None, None)
        pairs = b"".join(value(k, key) + value(x, item) for k, x in v.items())
        return (
            b"M"
            + text(key.annotation_str if known else "Any")
            + text(item.annotation_str if known else "Any")
            + struct.pack("<i", len(v))
            + pairs
        )
    return b"O" + text(str(v))


def outcome(status: str, frame: bytes) -> bytes:
    return status.encode() + struct.pack("<i", len(frame)) + frame


class Opaque:
    """A value that has no written form; its text."""

    def __init__(self, told: str):
        self.text = told


class Reader:
    """Values from bytes, one after the other."""

    def __init__(self, data: bytes):
        self.data, self.place = data, 0

    def bytes(self, count: int) -> bytes:
        if count < 0 or self.place + count > len(self.data):
            raise ValueError(f"{count} bytes at {self.place} of {len(self.data)} (expected: no more than there are)")
        self.place += count
        return self.data[self.place - count : self.place]

    def numbers(self, form: str) -> tuple:
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))

    def text(self) -> str:
        return self.bytes(self.numbers("i")[0]).decode("utf-8", "surrogatepass")

    def value(self):
        kind = self.bytes(1).decode("ascii")
        if kind == "N":
            return None
        if kind == "?":
            return self.bytes(1) != b"\0"
        if kind in "ID":
            return self.numbers("q" if kind == "I" else "d")[0]
        if kind == "C":
            return complex(*self.numbers("dd"))
        if kind in "SVO":
            return {"S": str, "V": torch.device, "O": Opaque}[kind](self.text())
        if kind == "L":
            self.text()
            return [self.value() for _ in range(self.numbers("i")[0])]
        if kind == "U":
            return tuple(self.value() for _ in range(self.numbers("i")[0]))
        if kind == "M":
            self.text(), self.text()
            return {self.value(): self.value() for _ in range(self.numbers("i")[0])}
        if kind == "T":
            return self.tensor()
        raise ValueError(f"kind {kind!r} at {self.place - 1} (expected: one that values are written with)")

    def tensor(self) -> torch.Tensor:
        code, memory, rank = self.numbers("bbb")
        shape = self.numbers(f"{rank}q")
        dtype = next(known for known, number in CODES.items() if number == code)
        rule = self.quantization() if dtype in INTEGERS else None
        data = bytearray(self.bytes(self.numbers("q")[0]))
        stored = INTEGERS.get(dtype, dtype)
        plain = (torch.frombuffer(data, dtype=stored) if data else torch.empty(0, dtype=stored)).reshape(shape)
        made = plain if rule is None else rule(plain)
        return made.contiguous(
            memory_format=(torch.contiguous_format, torch.channels_last, torch.channels_last_3d)[memory]
        )

    def quantization(self):
        """What makes a quantized tensor of integers."""
        (scheme,) = self.numbers("b")
        if scheme == 0:
            scale, zero = self.numbers("dq")
            return lambda plain: torch._make_per_tensor_quantized_tensor(plain, scale, zero)
        axis, count = self.numbers("qq")
        scales = torch.tensor(self.numbers(f"{count}d"), dtype=torch.float64)
        zeros = torch.tensor(self.numbers(f"{count}d"), dtype=torch.float64 if scheme == 2 else torch.int64)
        return lambda plain: torch._make_per_channel_quantized_tensor(plain, scales, zeros, axis)

    def outcomes(self) -> list:
        """Status and value of each call; of one that failed, the error's text."""
        found = []
        while self.place < len(self.data):
            status = self.bytes(1).decode("ascii")
            frame = self.bytes(self.numbers("i")[0])
            found.append((status, Reader(frame).value() if status == "k" else frame.decode("utf-8", "replace")))
        return found
