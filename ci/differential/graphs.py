"""Random programs: tensors of a few shapes, operators, views that are written to, branches and loops."""
import random

import torch

from source import module as source_module

UNARY = ["torch.relu({a})", "torch.sigmoid({a})", "torch.tanh({a})", "torch.neg({a})", "torch.abs({a})", "torch.exp(torch.clamp({a}, -3., 3.))", "torch.gelu({a})",
         "torch.nn.functional.silu({a})", "torch.nn.functional.hardswish({a})", "torch.nn.functional.softplus({a})", "torch.sqrt(torch.abs({a}) + 0.1)",
         "torch.clamp({a}, -{f}, {f})", "torch.nn.functional.leaky_relu({a}, {f})", "torch.nn.functional.elu({a})", "{a} * {f}", "{a} + {i}", "{f} - {a}",
         "{a} / {f}", "torch.round({a})", "torch.floor({a})", "torch.sin({a})", "torch.erf({a})", "torch.log1p(torch.abs({a}))", "torch.square({a})",
         "torch.softmax({a}, {d})", "torch.log_softmax({a}, {d})", "torch.cumsum({a}, {d})", "torch.flip({a}, [{d}])", "torch.roll({a}, {i}, {d})",
         "torch.sort({a}, {d})[0]", "torch.dropout({a}, 0.3, False)", "{a}.to(torch.float64).to(torch.float32)", "torch.where({a} > 0., {a}, torch.zeros_like({a}))",
         "torch.masked_fill({a}, {a} < 0., {f})", "torch.nan_to_num({a})", "torch.nn.functional.layer_norm({a}, [{a}.size(-1)])", "{a}.clone()", "{a}.contiguous()"]
BINARY = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "torch.maximum({a}, {b})", "torch.minimum({a}, {b})", "{a} / (torch.abs({b}) + 0.5)",
          "torch.add({a}, {b}, alpha={i})", "torch.where({a} > {b}, {a}, {b})", "torch.atan2({a}, torch.abs({b}) + 0.5)", "torch.lerp({a}, {b}, {f})",
          "torch.cat([{a}, {b}], {d}).narrow({d}, 0, {a}.size({d}))", "torch.stack([{a}, {b}], 0).mean(0)", "torch.addcmul({a}, {b}, {b}, value={f})",
          "torch.matmul({a}, {b}.transpose(-1, -2)).sum(-1, True) + {a}"]
RESHAPING = ["{a}.sum({d}, True).expand_as({a})", "{a}.mean({d}, True) + {a}", "{a}.amax({d}, True) - {a}", "{a}.transpose(0, {d}).transpose(0, {d})",
             "{a}.unsqueeze({d}).squeeze({d})", "{a}.reshape([-1]).view({a}.size())", "{a}.flatten().reshape({a}.shape)", "torch.std({a}, {d}, True, True) + {a}",
             "{a}.permute({p}).contiguous().permute({q})", "torch.cat(torch.chunk({a}, 2, {d}), {d})", "torch.nn.functional.pad({a}, [1, 1])[..., 1:-1]",
             "{a}.index_select({d}, torch.arange({a}.size({d})).flip(0))", "{a}.norm(2, {d}, True) + {a}", "torch.var({a}, {d}, False, True) * {a}",
             "torch.topk({a}, {a}.size({d}), {d})[0]", "{a}[..., ::2].repeat_interleave(2, -1)[..., :{a}.size(-1)]", "torch.stack({a}.unbind({d}), {d})"]
WRITES = ["{a}.select({d}, 0).add_({f})", "{a}.narrow({d}, 0, 1).mul_({f})", "{a}.clamp_(-{f}, {f})", "{a}.relu_()", "{a}.add_({b})", "{a}[..., 0].zero_()",
          "{a}[{a} < 0.] = {f}", "{a}.transpose(0, {d}).sub_({f})", "{a}.copy_({b})", "{a}.view(-1)[0].fill_({f})"]


class Program:
    def __init__(self, chooser: random.Random):
        self.chooser = chooser
        rank = chooser.randint(2, 4)
        self.shape = [chooser.randint(2, 5) for _ in range(rank)]
        self.inputs = chooser.randint(1, 3)
        self.names = [f"x{i}" for i in range(self.inputs)]
        # What a caller gave is written to only through copies.
        self.own = []
        self.lines = []

    def fill(self, form: str, target: str = "") -> str:
        rank = len(self.shape)
        order = self.chooser.sample(range(rank), rank)
        return form.format(a=target or self.chooser.choice(self.names), b=self.chooser.choice(self.names), d=self.chooser.randrange(rank),
                           f=round(self.chooser.uniform(0.2, 2), 3), i=self.chooser.randint(1, 3), p=order, q=[order.index(d) for d in range(rank)])

    def statement(self, indent: str, fresh: bool = True):
        kind = self.chooser.random()
        if kind < 0.15 and self.own:
            self.lines.append(indent + self.fill(self.chooser.choice(WRITES), self.chooser.choice(self.own)))
            return
        form = self.chooser.choice(UNARY if kind < 0.5 else BINARY if kind < 0.75 else RESHAPING)
        if fresh:
            name = f"v{len(self.lines)}"
            self.lines.append(f"{indent}{name} = {self.fill(form)} + 0.")
            self.names.append(name)
            self.own.append(name)
        else:
            name = self.chooser.choice(self.own)
            self.lines.append(f"{indent}{name} = {self.fill(form)}")

    def source(self) -> str:
        for _ in range(self.chooser.randint(3, 9)):
            kind = self.chooser.random()
            if kind < 0.12 and self.own:
                # Sums that are zero but for rounding decide nothing here.
                self.lines.append(f"    if float({self.chooser.choice(self.names)}.sum()) > 0.1:")
                self.statement("        ", fresh=False)
                self.lines.append("    else:")
                self.statement("        ", fresh=False)
            elif kind < 0.22 and self.own:
                self.lines.append(f"    for i in range({self.chooser.randint(0, 3)}):")
                self.statement("        ", fresh=False)
            else:
                self.statement("    ")
        results = self.chooser.sample(self.names, k=min(len(self.names), self.chooser.randint(1, 3)))
        declared = ", ".join(f"x{i}: Tensor" for i in range(self.inputs))
        return f"def forward(self, {declared}):\n" + "\n".join(self.lines) + f"\n    return [{', '.join(results)}]\n"


def modules(count: int, seed: int):
    made = 0
    number = 0
    while made < count:
        number += 1
        program = Program(random.Random(seed * 1000003 + number))
        source = program.source()
        torch.manual_seed(seed + number)
        given = tuple(torch.randn(program.shape) for _ in range(program.inputs))
        try:
            module = source_module(source)
            answer = module(*[t.clone() for t in given])
        except Exception:
            continue
        if all(torch.isfinite(t).all() and t.abs().max() < 1e6 for t in answer):
            made += 1
            yield f"graph-{seed}-{number}", module, given, False, 0
