package org.torchnnapi.operators.ops;

import static org.torchnnapi.torchscript.ir.OperatorTrait.ELEMENTWISE;
import static org.torchnnapi.torchscript.ir.OperatorTrait.RANDOM;
import static org.torchnnapi.torchscript.ir.OperatorTrait.READS_GEOMETRY;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Operators that are short for a few others: fused forms, forms of other layouts and devices, and what Python writes in
 * a line or two.
 */
public final class Shorthands implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        fused(r);
        quantized(r);
        places(r);
        fourier(r);
        losses(r);
        tensors(r);
    }

    private static void fused(Registrar r) {
        r.composite(
                "aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                "return torch.relu(torch.add(self, other, alpha=alpha))",
                ELEMENTWISE);
        r.composite(
                "aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
                "return torch.relu(torch.add(self, other, alpha))",
                ELEMENTWISE);
        r.composite(
                "aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, "
                        + "bool use_gelu=False) -> Tensor",
                """
            sum = torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha)
            if use_gelu:
              result = torch.gelu(sum)
            else:
              result = torch.relu(sum)
            return result""");
        r.composite("aten::isreal(Tensor self) -> Tensor", """
            if torch.is_complex(self):
              result = torch.eq(torch.imag(self), 0)
            else:
              result = torch.ones_like(self, dtype=11)
            return result""", ELEMENTWISE);
        r.composite(
                "aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor",
                "return torch.copysign(self, torch.scalar_tensor(other, dtype=6))",
                ELEMENTWISE);
        r.composite(
                "aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor",
                "return torch.pow(self, torch.to(exponent, 7))",
                ELEMENTWISE);
        r.composite("aten::sum_to_size(Tensor self, int[] size) -> Tensor", """
            lead = torch.sub(torch.dim(self), torch.len(size))
            dims = annotate(List[int], [])
            for i in range(torch.dim(self)):
              if torch.lt(i, lead):
                _0 = torch.append(dims, i)
              else:
                if torch.ne(torch.size(self, i), size[torch.sub(i, lead)]):
                  _1 = torch.append(dims, i)
                else:
                  _2 = 0
            if torch.gt(torch.len(dims), 0):
              result = torch.reshape(torch.sum(self, dims, True), size)
            else:
              if torch.gt(torch.len(size), 0):
                result = self
              else:
                result = torch.sum(self)
            return result""", OperatorTrait.SHARES);
    }

    /** Products and sums of a quantized tensor and a number, under their other names. */
    private static void quantized(Registrar r) {
        for (String name : new String[] {"mul", "add"}) {
            for (String relu : new String[] {"", "_relu"}) {
                String body = "return ops.quantized." + name + "_scalar" + relu + "(qa, b)";
                r.composite("quantized::" + name + relu + ".Scalar(Tensor qa, Scalar b) -> Tensor qc", body);
                r.composite("quantized::" + name + relu + ".Scalar2(Scalar b, Tensor qa) -> Tensor qc", body);
                // PyTorch's sum with a tensor leaves negative results as they are under both names.
                String withTensor = name.equals("add") ? body.replace(relu + "(", "(") : body;
                r.composite(
                        "quantized::" + name + "_scalar" + relu + ".Tensor(Tensor qa, Tensor b) -> Tensor qc",
                        withTensor.replace("b)", "torch.item(b))"));
            }
        }
        for (int spatial = 1; spatial <= 2; spatial++) {
            r.composite(
                    "quantized::max_pool" + spatial
                            + "d(Tensor qx, int[] kernel_size, int[] stride, int[] padding, int[] dilation, "
                            + "bool ceil_mode) -> Tensor",
                    "return torch.max_pool" + spatial + "d(qx, kernel_size, stride, padding, dilation, ceil_mode)");
        }
    }

    /** What only concerns how or where a tensor is held, which is the same for all here. */
    private static void places(Registrar r) {
        r.composite("aten::to_mkldnn(Tensor self, ScalarType? dtype=None) -> Tensor", """
            if torch.__is__(dtype, None):
              result = self
            else:
              result = torch.to(self, unchecked_cast(int, dtype))
            return result""");
        r.composite("aten::to_dense(Tensor self, ScalarType? dtype=None) -> Tensor", """
            if torch.__is__(dtype, None):
              result = self
            else:
              result = torch.to(self, unchecked_cast(int, dtype))
            return result""", OperatorTrait.SHARES);
        r.composite("aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)", "return self");
        r.composite(
                "aten::cuda(Tensor(a) self) -> Tensor(b|a)",
                "return torch.to(self, torch.device(\"cuda\"), ops.prim.dtype(self))");
        for (String[] names : new String[][] {{"HardSwish", "hardswish"}, {"HardSigmoid", "hardsigmoid"}}) {
            r.composite("prim::MKLDNN" + names[0] + "(Tensor a) -> Tensor", "return torch." + names[1] + "(a)");
            r.composite(
                    "prim::MKLDNN" + names[0] + "_(Tensor(a!) a) -> Tensor(a!)", "return torch." + names[1] + "_(a)");
        }
        r.composite("prim::MKLDNNScalarMul(Tensor self, Scalar other) -> Tensor", "return torch.mul(self, other)");
        r.op("aten::is_pinned(Tensor self, Device? device=None) -> bool", a -> false);
        r.op("aten::is_leaf(Tensor self) -> bool", a -> true);
        r.op("aten::is_inference(Tensor self) -> bool", a -> false);
        r.op("aten::is_distributed(Tensor self) -> bool", a -> false);
        r.op("aten::is_vulkan_available() -> bool", a -> false);
        r.op("aten::_nnpack_available() -> bool", a -> false);
        r.op("aten::get_device(Tensor self) -> int", a -> -1L);
        r.op("aten::output_nr(Tensor self) -> int", a -> 0L);
        r.op("aten::retains_grad(Tensor self) -> bool", a -> false);
        r.composite("aten::data(Tensor self) -> Tensor", "return torch.detach(self)", OperatorTrait.SHARES);
        for (String[] cast : new String[][] {
            {"Byte", "0"}, {"Char", "1"}, {"Short", "2"}, {"Int", "3"}, {"Half", "5"}, {"Double", "7"}
        }) {
            r.composite(
                    "aten::_cast_" + cast[0] + "(Tensor self, bool non_blocking=False) -> Tensor",
                    "return torch.to(self, " + cast[1] + ")",
                    OperatorTrait.SHARES);
        }
        r.composite("aten::_to_cpu(Tensor[] tensors) -> Tensor[]", "return tensors", OperatorTrait.SHARES);
        r.composite("aten::set(Tensor self) -> Tensor", "return torch.empty([0], dtype=ops.prim.dtype(self))");
        r.composite("aten::set.source_Tensor(Tensor self, Tensor source) -> Tensor", "return torch.clone(source)");
        r.composite(
                "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
                "return torch.clone(torch.type_as(torch.expand_as(src, self), self))");
        r.composite(
                "aten::copy.Tensor(Tensor self, Tensor other) -> Tensor",
                "return torch.clone(torch.type_as(torch.expand_as(other, self), self))");
        r.composite("aten::copy.int(Tensor self, int other) -> Tensor", "return torch.full_like(self, other)");
        r.composite("aten::copy.float(Tensor self, float other) -> Tensor", "return torch.full_like(self, other)");
    }

    private static void fourier(Registrar r) {
        String opposite = """
            if torch.__is__(norm, None):
              other = "forward"
            else:
              given = unchecked_cast(str, norm)
              if torch.eq(given, "forward"):
                other = "backward"
              else:
                if torch.eq(given, "backward"):
                  other = "forward"
                else:
                  other = given
            """;
        r.composite(
                "aten::fft_hfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor",
                opposite + "return torch.fft_irfft(torch.conj(self), n, dim, other)");
        r.composite(
                "aten::fft_ihfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor",
                opposite + "return torch.conj_physical(torch.fft_rfft(self, n, dim, other))");
        String dims = """
            if torch.__is__(dim, None):
              if torch.__is__(s, None):
                count = torch.dim(self)
              else:
                count = torch.len(unchecked_cast(List[int], s))
              dims = annotate(List[int], [])
              for i in range(count):
                _0 = torch.append(dims, torch.sub(i, count))
            else:
              dims = unchecked_cast(List[int], dim)
            last = dims[-1]
            rest = torch.slice(dims, 0, -1, 1)
            if torch.__is__(s, None):
              length = annotate(Optional[int], None)
              sizes = annotate(Optional[List[int]], None)
            else:
              given_sizes = unchecked_cast(List[int], s)
              length = annotate(Optional[int], given_sizes[-1])
              sizes = annotate(Optional[List[int]], torch.slice(given_sizes, 0, -1, 1))
            """;
        for (String form : new String[] {
            "2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None)",
            "n(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None)"
        }) {
            String own = form.startsWith("2")
                    ? dims.replace("torch.__is__(dim, None)", "torch.eq(torch.len(dim), 0)")
                            .replace("unchecked_cast(List[int], dim)", "dim")
                    : dims;
            r.composite("aten::fft_hfft" + form + " -> Tensor", own + """
                if torch.gt(torch.len(rest), 0):
                  inner = torch.fft_fftn(self, sizes, rest, norm)
                else:
                  inner = self
                return torch.fft_hfft(inner, length, last, norm)""");
            r.composite("aten::fft_ihfft" + form + " -> Tensor", own + """
                inner = torch.fft_ihfft(self, length, last, norm)
                if torch.gt(torch.len(rest), 0):
                  result = torch.fft_ifftn(inner, sizes, rest, norm)
                else:
                  result = inner
                return result""");
        }
        shift(r.with(OperatorTrait.LINEAR), "fft_fftshift", "torch.floordiv(torch.size(self, d), 2)");
        shift(r.with(OperatorTrait.LINEAR), "fft_ifftshift", "torch.floordiv(torch.add(torch.size(self, d), 1), 2)");
    }

    private static void shift(Registrar r, String name, String by) {
        r.composite("aten::" + name + "(Tensor self, int[1]? dim=None) -> Tensor", String.format("""
            dims = annotate(List[int], [])
            if torch.__is__(dim, None):
              for i in range(torch.dim(self)):
                _0 = torch.append(dims, i)
            else:
              given = unchecked_cast(List[int], dim)
              for j in range(torch.len(given)):
                _1 = torch.append(dims, given[j])
            shifts = annotate(List[int], [])
            for k in range(torch.len(dims)):
              d = dims[k]
              _2 = torch.append(shifts, %s)
            return torch.roll(self, shifts, dims)""", by));
    }

    private static void losses(Registrar r) {
        r.composite(
                "aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
                        + "ignore_index=-100) -> Tensor",
                "return torch.nll_loss_nd(self, target, weight, reduction, ignore_index)");
        for (String name : new String[] {"nll_loss_forward", "nll_loss2d_forward"}) {
            r.composite(
                    "aten::" + name + "(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) "
                            + "-> (Tensor output, Tensor total_weight)",
                    """
                kept = torch.ne(target, ignore_index)
                if torch.__is__(weight, None):
                  weights = torch.to(kept, ops.prim.dtype(self))
                else:
                  w = unchecked_cast(Tensor, weight)
                  which = torch.reshape(kept, [-1])
                  weights = torch.mul(torch.index_select(w, 0, torch.mul(torch.reshape(target, [-1]), which)), which)
                return (torch.nll_loss_nd(self, target, weight, reduction, ignore_index), torch.sum(weights))""");
        }
        r.composite("aten::_aminmax(Tensor self) -> (Tensor, Tensor)", "return (torch.min(self), torch.max(self))");
        r.composite(
                "aten::_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)",
                "return (torch.amin(self, [dim], keepdim), torch.amax(self, [dim], keepdim))");
        r.composite(
                "aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
                "return (torch.log_sigmoid(self), torch.new_empty(self, [0]))");
    }

    private static void tensors(Registrar r) {
        r.composite(
                "aten::_no_grad_uniform_(Tensor(a!) tensor, float a, float b, Generator? generator=None) -> Tensor(a!)",
                "return torch.uniform_(tensor, a, b)",
                RANDOM);
        r.composite(
                "aten::_no_grad_normal_(Tensor(a!) tensor, float mean, float std, Generator? generator=None) -> "
                        + "Tensor(a!)",
                "return torch.normal_(tensor, mean, std)",
                RANDOM);
        r.composite(
                "aten::_no_grad_fill_(Tensor(a!) tensor, float val) -> Tensor(a!)", "return torch.fill_(tensor, val)");
        r.composite("aten::_no_grad_zero_(Tensor(a!) tensor) -> Tensor(a!)", "return torch.zero_(tensor)");
        r.composite("aten::zero(Tensor self) -> Tensor", "return torch.zeros_like(self)");
        r.composite("aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", "return torch.full_like(self, value)");
        r.composite(
                "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor",
                "return torch.clone(torch.type_as(torch.expand_as(value, self), self))");
        r.composite(
                "aten::chalf(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
                "return torch.to(self, 8, False, False, memory_format)",
                ELEMENTWISE);
        r.composite(
                "aten::_shape_as_tensor(Tensor self) -> Tensor",
                "return torch.tensor(torch.size(self), dtype=4)",
                READS_GEOMETRY);
        r.composite("aten::_reshape_from_tensor(Tensor self, Tensor shape) -> Tensor", """
            sizes = annotate(List[int], [])
            for i in range(torch.size(shape, 0)):
              _0 = torch.append(sizes, int(torch.select(shape, 0, i)))
            return torch.reshape(self, sizes)""", OperatorTrait.SHARES);
        r.composite("aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", """
            if torch.__not__(torch.gt(float(p), 0)):
              ops.prim.RaiseException(torch.format("renorm: p {} (expected: > 0)", p))
            else:
              pass
            if torch.__not__(torch.ge(float(maxnorm), 0)):
              ops.prim.RaiseException(torch.format("renorm: maxnorm {} (expected: >= 0)", maxnorm))
            else:
              pass
            if torch.lt(torch.dim(self), 2):
              ops.prim.RaiseException(torch.format("renorm: input of {} dimensions (expected: at least 2)", \
            torch.dim(self)))
            else:
              pass
            dims = annotate(List[int], [])
            own = torch.remainder(torch.add(dim, torch.dim(self)), torch.dim(self))
            for i in range(torch.dim(self)):
              if torch.ne(i, own):
                _0 = torch.append(dims, i)
              else:
                _1 = 0
            norms = torch.linalg_vector_norm(self, p, dims, True)
            factors = torch.div(torch.full_like(norms, maxnorm), torch.add(norms, 9.9999999999999995e-08))
            return torch.mul(torch.contiguous(self), \
            torch.where(torch.gt(norms, maxnorm), factors, torch.ones_like(norms)))""");
        r.composite(
                "aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.) -> Tensor",
                "return torch.pad_sequence(sequences, batch_first, padding_value, \"right\")");
        // PyTorch 2 added the side; files for earlier releases are written with the operator that those have.
        r.composite(
                "aten::pad_sequence.side(Tensor[] sequences, bool batch_first, float padding_value, str "
                        + "padding_side) -> Tensor",
                """
            longest = 0
            for i in range(torch.len(sequences)):
              longest = ops.prim.max(longest, torch.size(sequences[i], 0))
            padded = annotate(List[Tensor], [])
            for j in range(torch.len(sequences)):
              sequence = sequences[j]
              pads = torch.mul([0], torch.mul(torch.sub(torch.dim(sequence), 1), 2))
              missing = torch.sub(longest, torch.size(sequence, 0))
              if torch.eq(padding_side, "left"):
                ends = torch.add(pads, [missing, 0])
              else:
                ends = torch.add(pads, [0, missing])
              _0 = torch.append(padded, torch.constant_pad_nd(sequence, ends, padding_value))
            if batch_first:
              result = torch.stack(padded, 0)
            else:
              result = torch.stack(padded, 1)
            return result""");
        r.composite(
                "aten::max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding) "
                        + "-> Tensor",
                """
            lead = torch.slice(torch.size(self), None, -3, 1)
            count = torch.mul(torch.mul(output_size[0], output_size[1]), output_size[2])
            flat = torch.zeros(torch.add(lead, [count]), dtype=ops.prim.dtype(self))
            spread = torch.scatter(flat, -1, torch.flatten(indices, -3), torch.flatten(self, -3))
            return torch.reshape(spread, torch.add(lead, output_size))""");
        r.composite(
                "aten::repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor",
                "return torch.repeat_interleave(torch.arange(torch.size(repeats, 0), dtype=4), repeats, 0)",
                OperatorTrait.DATA_DEPENDENT);
        r.composite("aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor", """
            dims = annotate(List[int], [])
            own = torch.remainder(torch.add(dim, torch.dim(v)), torch.dim(v))
            for i in range(torch.dim(v)):
              if torch.ne(i, own):
                _0 = torch.append(dims, i)
              else:
                _1 = 0
            if torch.eq(dim, -1):
              result = torch.linalg_vector_norm(v, pow)
            else:
              result = torch.linalg_vector_norm(v, pow, dims, True)
            return result""");
        r.composite("aten::native_norm(Tensor self, Scalar p=2) -> Tensor", "return torch.norm(self, p)");
        r.composite(
                "aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)",
                """
            values, inverse, counts = torch._unique2(self, sorted, return_inverse)
            return (values, inverse)""",
                OperatorTrait.DATA_DEPENDENT);
        r.composite("aten::_pdist_forward(Tensor self, float p=2.) -> Tensor", "return torch.pdist(self, p)");
        r.composite(
                "aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
                "return torch.cdist(x1, x2, p, compute_mode)");
        r.composite("aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor", "return torch.cdist(x1, x2, 2.)");
        r.composite("aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)", """
            norms = torch.norm_except_dim(v, 2, dim)
            return (torch.mul(v, torch.div(g, norms)), norms)""");
        r.composite(
                "aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? "
                        + "device=None, bool? pin_memory=None) "
                        + "-> Tensor",
                """
            half = torch.floordiv(torch.add(n, 1), 2)
            steps = torch.cat([torch.arange(half, dtype=dtype), torch.arange(torch.neg(torch.sub(n, half)), 0, \
            dtype=dtype)])
            return torch.mul(steps, torch.div(1., torch.mul(n, d)))""");
        r.composite(
                "aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? "
                        + "device=None, bool? pin_memory=None) "
                        + "-> Tensor",
                "return torch.mul(torch.arange(torch.add(torch.floordiv(n, 2), 1), dtype=dtype), torch.div(1., "
                        + "torch.mul(n, d)))");
        r.composite("aten::flatten_dense_tensors(Tensor[] tensors) -> Tensor", """
            parts = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              _0 = torch.append(parts, torch.reshape(tensors[i], [-1]))
            return torch.cat(parts)""");
        r.composite("aten::pdist(Tensor self, float p=2.) -> Tensor", """
            if torch.ne(torch.dim(self), 2):
              ops.prim.RaiseException(torch.format("pdist: {} dimensions (expected: 2)", torch.dim(self)))
            else:
              pass
            if torch.lt(p, 0):
              ops.prim.RaiseException(torch.format("pdist: p {} (expected: >= 0)", p))
            else:
              pass
            n = torch.size(self, 0)
            pairs = torch.triu_indices(n, n, 1)
            first = torch.index_select(self, 0, torch.select(pairs, 0, 0))
            second = torch.index_select(self, 0, torch.select(pairs, 0, 1))
            return torch.linalg_vector_norm(torch.sub(first, second), p, [1])""");
        r.composite(
                "aten::split(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]",
                "return torch.split_with_sizes(self, split_sizes, dim)");
        r.composite("aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor", """
            turned = torch.conv1d(torch.permute(self, [1, 2, 0]), torch.permute(weight, [2, 1, 0]), bias, [1], [pad])
            return torch.permute(turned, [2, 0, 1])""");
        r.composite(
                "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, "
                        + "int group, float eps) "
                        + "-> (Tensor, Tensor, Tensor)",
                """
            grouped = torch.reshape(input, [N, group, -1])
            mean = torch.mean(grouped, [2])
            variance = torch.var(grouped, [2], False)
            return (torch.group_norm(input, group, weight, bias, eps), mean, torch.rsqrt(torch.add(variance, eps)))""");
        r.composite(
                "aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? "
                        + "layout=None, Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                """
            count = torch.floor(torch.div(torch.sub(float(end), float(start)), float(step)))
            numbers = torch.arange(torch.add(int(count), 1), dtype=7)
            values = torch.add(torch.mul(numbers, step), start)
            if torch.__is__(dtype, None):
              result = torch.to(values, 6)
            else:
              result = torch.to(values, unchecked_cast(int, dtype))
            return result""");
        r.composite(
                "aten::range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                        + "device=None, bool? pin_memory=None) -> Tensor",
                "return torch.range(start, end, 1, dtype=dtype)");
        r.composite("aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", """
            if torch.ne(torch.numel(index), torch.numel(source)):
              ops.prim.RaiseException(torch.format("put_(): {} elements in the source (expected: {}, as in the \
            index)", torch.numel(source), torch.numel(index)))
            else:
              pass
            flat = torch.reshape(self, [-1])
            places = torch.reshape(index, [-1])
            taken = torch.index_put(flat, annotate(List[Optional[Tensor]], [places]), torch.reshape(source, [-1]), \
            accumulate)
            return torch.reshape(taken, torch.size(self))""");
        r.composite("aten::fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor", """
            copied = torch.clone(self)
            diagonal = torch.diagonal(copied)
            _0 = torch.fill_(diagonal, fill_value)
            return copied""");
    }
}
