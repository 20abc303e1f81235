"""Forms of expressions and statements that programs are made of, in which {} stand for what a program has.

{x} any tensor, {y} another that may fit beside it, {f} one of real numbers, {i} one of whole numbers, {b} a truth value for each element; {d} a dimension of
the last of these that was named, {e} another, {k} an index into it; {n} a small whole number, {c} a real one, {s} sizes of as many elements, {p} an order of
dimensions; {h} part of an index expression.
"""

POINTWISE = """
{x} + {m} | {m} - {x} | {x} > {m} | {x} == {m} | torch.fmod({i}, -{n}) | {i} // -{n} | {i} % -{n} | torch.sub({x}, {y}, alpha={m}) | {i} << {k} | {i} >> {n} | torch.fmin({f}, {y})
{f} // {c} | {x} ** 3 | torch.fmax({f}, {f}) | {x}.clamp(max={m}) | torch.where({b}, {x}, {m}) | torch.logaddexp({f}, {f}) | {x}.short() | {f} / {n} | torch.clamp({x}, min={y})
{x} + {y} | {x} - {y} | {x} * {y} | {x} + {n} | {n} - {x} | {x} * {c} | {f} / ({f}.abs() + {c}) | torch.div({x}, {y}) | torch.maximum({x}, {y})
torch.minimum({x}, {y}) | torch.add({x}, {y}, alpha={n}) | torch.sub({x}, {y}, alpha={n}) | torch.rsub({x}, {y}) | torch.where({b}, {x}, {x})
torch.where({x} > {n}, {x}, {y}) | {x} > {y} | {x} <= {n} | {x} == {y} | {x} != {y} | torch.logical_and({x}, {y}) | torch.logical_not({x}) | ~{b}
{b} & {b} | {b} | {b} ^ {b} | {i} & {n} | {i} | {i} | {i} ^ {i} | {i} % {n} | {i} // {n} | torch.remainder({x}, {n}) | torch.remainder({f}, {c})
torch.fmod({x}, {n}) | torch.fmod({f}, {c}) | torch.div({x}, {n}, rounding_mode='trunc') | torch.div({x}, {n}, rounding_mode='floor') | {x} ** 2
{f}.abs() ** {c} | torch.pow({i}, 2) | torch.relu({x}) | torch.sigmoid({x}) | torch.tanh({x}) | torch.neg({x}) | torch.abs({x}) | torch.sign({x}) | torch.exp({f}.clamp(-3, 3))
torch.log({f}.abs() + {c}) | torch.log1p({f}.abs()) | torch.expm1({f}.clamp(-3, 3)) | torch.sqrt({f}.abs()) | torch.rsqrt({f}.abs() + {c}) | torch.reciprocal({f}.abs() + {c})
torch.sin({x}) | torch.cos({x}) | torch.atan({x}) | torch.asinh({x}) | torch.erf({x}) | torch.floor({f}) | torch.ceil({f}) | torch.round({f}) | torch.trunc({f})
torch.frac({f}) | torch.square({x}) | torch.clamp({x}, {m}, {n}) | torch.clamp({x}, min={m}) | {x}.clamp(max={n}) | F.gelu({f}) | F.silu({f}) | F.hardswish({f})
F.hardsigmoid({f}) | F.hardtanh({f}) | F.relu6({f}) | F.elu({f}) | F.selu({f}) | F.celu({f}) | F.softplus({f}) | F.mish({f}) | F.leaky_relu({f}, {c})
F.softshrink({f}) | F.hardshrink({f}) | F.tanhshrink({f}) | F.softsign({f}) | F.logsigmoid({f}) | F.threshold({f}, {c}, {c}) | torch.lerp({f}, {f}, {c})
torch.addcmul({f}, {f}, {f}, value={c}) | torch.addcdiv({f}, {f}, {f}.abs() + {c}) | torch.masked_fill({x}, {b}, {n}) | torch.masked_fill({x}, {x} > {n}, {m}) | torch.nan_to_num({f})
torch.isnan({f}) | torch.isfinite({f}) | torch.isinf({f}) | torch.atan2({f}, {f}) | torch.hypot({f}, {f}) | torch.copysign({f}, {f}) | torch.heaviside({f}, {f})
torch.sgn({x}) | {x}.to(torch.bool) | {x}.float() | {x}.double() | {x}.half() | {x}.to(torch.bfloat16) | {b}.long() | {b}.int() | {i}.to(torch.int32) | {i}.to(torch.int16)
{i}.to(torch.uint8) | {i}.long() | {x}.type_as({y}) | {x}.to({y}) | {x}.clone() | {x}.contiguous() | {x}.detach() | torch.zeros_like({x}) | torch.ones_like({x})
torch.full_like({x}, {n}) | {x}.new_zeros([{n}, 2]) | {x}.new_ones({x}.shape) | torch.xlogy({f}.abs(), {f}.abs() + {c}) | torch.bitwise_not({i}) | torch.dropout({f}, 0.3, False)
torch.fake_quantize_per_tensor_affine({f}, 0.1, 3, 0, 255) | torch.bucketize({f}, torch.arange(-2., 3.)) | torch.isclose({x}, {y}) | torch.logical_xor({x}, {y})
"""

SHAPED = """
{x}.transpose({d}, {e}) | {x}.permute({p}) | {x}.unsqueeze({d}) | {x}.squeeze({d}) | {x}.squeeze() | {x}.reshape({s}) | {x}.view({s}) | {x}.flatten() | {x}.reshape(-1)
{x}.flatten({d}) | {x}[{h}] | {x}[{h}] | {x}[{h}, {h}] | {x}[..., {h}] | {x}.select({d}, {k}) | {x}.narrow({d}, 0, {n}) | {x}.expand([{n}] + {x}.shape)
{x}.repeat([{n}] + [1] * {x}.dim()) | torch.cat([{x}, {y}], {d}) | torch.cat([{x}, {x}], {d}) | torch.stack([{x}, {x}], {d}) | torch.stack([{x}, {y}]) | torch.chunk({x}, {n}, {d})[0]
torch.split({x}, {n}, {d})[-1] | {x}.unbind({d})[{k}] | torch.flip({x}, [{d}]) | torch.roll({x}, {n}, {d}) | F.pad({x}, [{n}, {m}]) | F.pad({x}, [1, 0, {m}, {n}], 'constant', {c})
{x}.index_select({d}, torch.tensor([0, {k}])) | torch.gather({x}, {d}, torch.zeros_like({x}).long()) | {x}[torch.tensor([0, 0])] | {x}[:, torch.tensor([0])] | {x}[None]
{x}[{b}] | {x}.masked_select({b}) | torch.nonzero({x}) | {x}.T | {x}.mT | torch.movedim({x}, {d}, {e}) | torch.tile({x}, [1, 2]) | torch.tril({x}) | torch.triu({x}, {m}) | torch.diagonal({x})
torch.hstack([{x}, {y}]) | torch.vstack([{x}, {y}]) | torch.rot90({x}) | {x}.repeat_interleave({n}, {d}) | {x}.unfold({d}, 2, 1) | {x}.take(torch.tensor([0, 1])) | torch.meshgrid([{x}, {x}])[0]
torch.broadcast_tensors({x}, {y})[0] | torch.atleast_2d({x}) | {x}.view_as({x}) | {x}.expand_as({y}) | torch.swapaxes({x}, {d}, {e}) | {x}.unflatten({d}, [1, -1]) | torch.constant_pad_nd({x}, [{n}, 0], {n})
F.one_hot({i}.long() % 5, 5) | {x}.scatter({d}, torch.zeros_like({x}).long(), {n}) | {x}.index_fill({d}, torch.tensor([0]), {n}) | {x}.index_add({d}, torch.tensor([0]), {x}.narrow({d}, 0, 1))
torch.index_put({x}, [torch.tensor([0])], {x}[0]) | {x}.scatter_add({d}, torch.zeros_like({x}).long(), {x}) | torch.tensor_split({x}, 2, {d})[1] | torch.as_strided({x}, [2, 2], [2, 1])
torch.select_scatter({x}, {x}.select({d}, 0), {d}, {k}) | torch.slice_scatter({x}, {x}.narrow({d}, 0, 1), {d}, 0, 1)
"""

REDUCING = """
{x}.sum() | {x}.sum({d}) | {x}.sum([{d}], True) | {f}.mean() | {f}.mean({d}) | {f}.mean([{d}, {e}], True) | {x}.amax({d}) | {x}.amin({d}, True) | {x}.max() | {x}.min()
{x}.max({d})[0] | {x}.max({d})[1] | {x}.min({d})[1] | {x}.argmax({d}) | {x}.argmin() | {x}.argmax() | {f}.std({d}) | {f}.var({d}, False, True) | torch.var_mean({f}, {d})[1] | {f}.norm()
{f}.norm(2, {d}, True) | {x}.prod({d}) | {x}.any() | {x}.any({d}) | {x}.all({d}) | torch.logsumexp({f}, {d}) | torch.softmax({f}, {d}) | torch.log_softmax({f}, {d}) | torch.cumsum({x}, {d})
torch.cumprod({f}, {d}) | torch.cummax({x}, {d})[0] | {x}.sort({d})[0] | {x}.sort({d}, True)[1] | torch.msort({x}) | torch.topk({x}, 1, {d})[0] | torch.topk({x}, 2, {d})[0] | {x}.median({d})[0]
torch.kthvalue({x}, 1, {d})[0] | torch.count_nonzero({x}, {d}) | F.normalize({f}, 2., {d}) | F.layer_norm({f}, [{f}.size(-1)]) | torch.aminmax({x})[1] | F.softmin({f}, {d}) | torch.nansum({f}) | torch.diff({x})
F.cosine_similarity({f}, {f}, {d}) | torch.cdist({f}, {f}) | torch.histc({f}, 4, -2, 2) | torch.unique({x}) | torch.bincount({i}.flatten().abs() % 7) | torch.searchsorted(torch.arange(-3., 4.), {f}) | torch.cumsum({b}, {d})
"""

PRODUCTS = """
torch.matmul({f}, {f}) | torch.matmul({f}, {f}.transpose(-1, -2)) | {f} @ {f}.t() | torch.mm({f}, {f}.t()) | torch.bmm({f}, {f}.transpose(1, 2)) | torch.einsum('ij,kj->ik', {f}, {f}) | torch.outer({f}.flatten(), {f}.flatten())
torch.einsum('bij,bkj->bik', {f}, {f}) | torch.einsum('...i,...i->...', {f}, {f}) | torch.addmm({f}, {f}, {f}.t()) | torch.baddbmm({f}, {f}, {f}.transpose(1, 2)) | torch.dot({f}.flatten(), {f}.flatten()) | torch.mv({f}, {f}[0])
F.linear({f}, {f}) | torch.tensordot({f}, {f}, 1) | torch.kron({f}, {f}) | torch.einsum('ii->i', {f}) | torch.einsum('bii->bi', {f}) | torch.inner({f}, {f}) | F.bilinear({f}, {f}, torch.ones([2, {f}.size(-1), {f}.size(-1)]))
"""

PICTURES = """
F.max_pool2d({f}, 2) | F.max_pool2d({f}, 3, 2, 1) | F.max_pool2d({f}, 2, ceil_mode=True) | F.avg_pool2d({f}, 2) | F.avg_pool2d({f}, 2, padding=1, ceil_mode=True) | F.avg_pool2d({f}, 3, 2, 1, count_include_pad=False)
F.avg_pool2d({f}, 3, 2, 1, True, True, 5) | F.adaptive_avg_pool2d({f}, 1) | F.adaptive_avg_pool2d({f}, [2, 3]) | F.adaptive_max_pool2d({f}, 2) | F.interpolate({f}, scale_factor=2.) | F.interpolate({f}, size=[5, 4], mode='bilinear')
F.interpolate({f}, scale_factor=1.7, mode='bilinear', align_corners=True) | F.pixel_shuffle({f}, 2) | F.unfold({f}, 2) | F.pad({f}, [1, 1, 1, 1], 'reflect') | F.pad({f}, [1, 0, 0, 1], 'replicate') | F.instance_norm({f})
F.local_response_norm({f}, 3) | F.max_pool1d({f}, 2) | F.avg_pool1d({f}, 2) | F.max_pool3d({f}, 2) | F.avg_pool3d({f}, 2) | F.grid_sample({f}, torch.zeros([{f}.size(0), 3, 2, 2])) | F.lp_pool2d({f}, 2., 2)
F.group_norm({f}, 1) | F.channel_shuffle({f}, 2) | F.max_pool2d({f}, 2, return_indices=True)[1] | F.upsample({f}, scale_factor=2) | F.interpolate({f}, size=[6], mode='linear') | F.pixel_unshuffle({f}, 2)
"""

# By the tensor's rank, beside modules that take a whole tensor: {0} is its last size, {1} that at dimension 1; behind a blank, which of several results is taken.
LAYERS = {
    0: [
        "nn.ReLU()",
        "nn.PReLU()",
        "nn.GELU()",
        "nn.Hardswish()",
        "nn.Identity()",
        "nn.Dropout(0.5)",
        "nn.Softmax(-1)",
        "nn.Sequential(nn.Linear({0}, {n}), nn.ReLU(), nn.Linear({n}, 3))",
    ],
    1: ["nn.Linear({0}, {n})", "nn.LayerNorm({0})", "nn.Sequential(nn.Linear({0}, {n}), nn.ReLU())"],
    2: [
        "nn.LSTM({0}, {n}) [0]",
        "nn.Sequential(nn.Linear({0}, {n}), nn.BatchNorm1d({n}), nn.ReLU6())",
        "nn.GRU({0}, 2, bidirectional=True) [1]",
        "nn.Linear({0}, {n})",
        "nn.BatchNorm1d({1})",
        "nn.LayerNorm({0})",
        "nn.Linear({0}, {0}, bias=False)",
        "nn.GLU(1)",
    ],
    3: [
        "nn.Linear({0}, {n})",
        "nn.LSTM({0}, {n}, {m2}) [0]",
        "nn.GRU({0}, {n}, batch_first=True) [1]",
        "nn.RNN({0}, 3, bidirectional=True) [0]",
        "nn.TransformerEncoderLayer({0}, 1, 8)",
        "nn.Sequential(nn.Conv1d({1}, {n}, 3, padding=1), nn.BatchNorm1d({n}), nn.ReLU())",
        "nn.Conv1d({1}, {n}, 3, padding=1)",
        "nn.Conv1d({1}, {n}, 2, {m2})",
        "nn.LayerNorm({0})",
        "nn.BatchNorm1d({1}, affine=False)",
        "nn.ConvTranspose1d({1}, 3, 2)",
        "nn.InstanceNorm1d({1})",
        "nn.GroupNorm(1, {1})",
        "nn.Conv1d({1}, {1}, 3, groups={1})",
    ],
    4: [
        "nn.Conv2d({1}, {n}, 3, padding=1)",
        "nn.Sequential(nn.Conv2d({1}, {n}, 3, padding=1), nn.BatchNorm2d({n}), nn.ReLU())",
        "nn.Sequential(nn.Conv2d({1}, {n}, 1), nn.SiLU(), nn.Conv2d({n}, {n}, 3, padding=1, groups={n}), nn.Hardsigmoid())",
        "nn.Conv2d({1}, {n}, (1, 2), {m2})",
        "nn.Conv2d({1}, {1}, 3, 1, 1, groups={1})",
        "nn.Conv2d({1}, 4, 2, 2, bias=False)",
        "nn.BatchNorm2d({1})",
        "nn.BatchNorm2d({1}, affine=False)",
        "nn.ConvTranspose2d({1}, 3, 2, 2)",
        "nn.GroupNorm(1, {1})",
        "nn.MaxPool2d(2)",
        "nn.AvgPool2d(3, 1, 1)",
        "nn.AdaptiveAvgPool2d(2)",
        "nn.Conv2d({1}, 4, 3, padding=2, dilation=2)",
        "nn.InstanceNorm2d({1}, affine=True)",
        "nn.Upsample(scale_factor=2)",
        "nn.ZeroPad2d(1)",
        "nn.Conv2d({1}, 4, 3, padding='same', padding_mode='reflect')",
        "nn.ConvTranspose2d({1}, 3, 3, 2, 1, 1)",
    ],
    5: [
        "nn.Conv3d({1}, {n}, 2)",
        "nn.Conv3d({1}, 3, 3, padding=1)",
        "nn.BatchNorm3d({1})",
        "nn.MaxPool3d(2)",
        "nn.ConvTranspose3d({1}, 2, 2)",
    ],
}

# Writes in place; {w} is what may be written to.
WRITES = """
{w}.add_({m}) | {w}.mul_({m}) | {w}[{h}] = {m} | {w}[{h}] -= {y} | {w}.fill_({m}) | {w}.unbind({d})[{k}].copy_({y}) | {w}[{w} != {w}] = {n} | {w}[{h}].copy_({w}[{h}]) | {w}.view_as({w})[{h}] = {y}
{w}.add_({y}) | {w}.add_({n}) | {w}.mul_({c}) | {w}.mul_({n}) | {w}.sub_({y}) | {w}.zero_() | {w}.fill_({n}) | {w}.clamp_({m}, {n}) | {w}.relu_() | {w}.neg_() | {w}.abs_() | {w}.copy_({y}) | {w}.copy_({w} * 2)
{w}[{h}] = {n} | {w}[{h}] += {n} | {w}[{h}] = {w}[{h}] | {w}[..., {h}] = {y} | {w}[..., {h}] *= {n} | {w}.select({d}, {k}).add_({n}) | {w}.narrow({d}, 0, 1).mul_({n}) | {w}.transpose({d}, {e}).sub_({n}) | {w}.view(-1)[{k}] = {n}
{w}.view({s}).add_(1) | {w}[{w} > {n}] = {m} | {w}.masked_fill_({w} < {n}, {m}) | {w} += {y} | {w} *= {n} | {w} -= {x} | {w}.unbind({d})[{k}].add_(1) | {w}.chunk(2, {d})[0].zero_() | {w}.index_fill_({d}, torch.tensor([{k}]), {n})
{w}.index_add_({d}, torch.tensor([0]), {w}.narrow({d}, 0, 1)) | {w}.scatter_({d}, torch.zeros_like({w}).long(), {n}) | {w}.t_() | {w}.unsqueeze_(0) | {w}.squeeze_() | {w}.transpose_({d}, {e}) | {w}.fill_diagonal_({n}) | {w}.lt_({n})
{w}.sigmoid_() | {w}.tanh_() | {w}.floor_() | {w}.div_({n}) | {w}.remainder_({n}) | {w}.pow_(2) | {w}.addcmul_({y}, {y}) | {w}.lerp_({y}, 0.5) | {w}.squeeze({d}).add_(1) | {w}.expand_as({w}).add_(1) | {w}.contiguous().add_(1)
{w}.reshape(-1).add_(1) | {w}.flatten().mul_(2) | {w}.type_as({w}).neg_() | {w}.to({w}.dtype).add_(1) | {w}.detach().mul_(2) | {w}.diagonal().add_(1) | {w}.permute({p}).add_(1) | {w}.split(1, {d})[-1].mul_(2) | {w}.T.add_(1)
torch.broadcast_tensors({w}, {w})[0].add_(1) | {w}.index_put_([torch.tensor([{k}])], {w}[0]) | {w}.masked_scatter_({w} > 0, {w} * 2) | {w}.index_copy_({d}, torch.tensor([0]), {w}.narrow({d}, 0, 1)) | F.relu({w}, inplace=True) | {w}.swapaxes({d}, {e}).add_(1)
torch.einsum('ij->ji', {w}).add_(1) | {w}.cumsum_({d}) | {w}.exp_() | {w}.logical_not_() | {w}.bitwise_and_(3) | {w}.tril_() | {w}.clamp_min_({m}) | {w}[{h}].zero_() | {w}[{h}, {h}] = {n} | {w}[torch.tensor([{k}])] = {n}
"""


def forms(text: str) -> list:
    """A form at each place between bars; bars of Python's own have operands of one kind beside them."""
    found = []
    for line in text.strip().splitlines():
        for part in line.split(" | "):
            found.append(part.strip())
    joined = []
    for part in found:
        if joined and joined[-1] in ("{b}", "{i}") and part in ("{b}", "{i}"):
            joined[-1] += " | " + part
        else:
            joined.append(part)
    return [f for f in joined if f not in ("{b}", "{i}", "{i} | {i} ^ {i}")]


POINTWISE, SHAPED, REDUCING, PRODUCTS, PICTURES, WRITES = map(
    forms, (POINTWISE, SHAPED, REDUCING, PRODUCTS, PICTURES, WRITES)
)
