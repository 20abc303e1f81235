package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.tensor.platform.Strings;

/**
 * What operators of complex numbers are in operators of their real and imaginary parts. Fourier transforms are products
 * with matrices, whose rows are what the transform makes of the unit vectors; those of a signal's frames are
 * convolutions with as many filters.
 */
public final class ComplexForms implements OperatorFamily {
    /** Numbers of a matrix; beyond, the fast transform is better. */
    private static final String MAX_ENTRIES = "4194304";

    private static final String HOP = """
            if torch.__is__(hop_length, None):
              hop = torch.floordiv(n_fft, 4)
            else:
              hop = unchecked_cast(int, hop_length)
            """;

    @Override
    public void register(Registrar r) {
        arithmetic(r);
        functions(r);
        transforms(r);
        spectrograms(r);
    }

    private static void arithmetic(Registrar r) {
        for (String name : new String[] {"add", "sub"}) {
            String signed = name.equals("add") ? "alpha" : "torch.neg(alpha)";
            r.complex(
                    "aten::" + name + ".Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                    """
            if torch.is_complex(self):
              if torch.is_complex(other):
                re = torch.OP(torch.real(self), torch.real(other), alpha=alpha)
                im = torch.OP(torch.imag(self), torch.imag(other), alpha=alpha)
              else:
                re = torch.OP(torch.real(self), other, alpha=alpha)
                im = torch.expand(torch.imag(self), torch.size(re))
            else:
              re = torch.OP(self, torch.real(other), alpha=alpha)
              im = torch.expand(torch.mul(torch.imag(other), SIGNED), torch.size(re))
            return torch.complex(re, im)""".replace("OP", name).replace("SIGNED", signed));
            r.complex(
                    "aten::" + name + ".Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
                    "return torch.complex(torch." + name + "(torch.real(self), other, alpha), torch.imag(self))");
        }
        product(r, "mul.Tensor(Tensor self, Tensor other)", "torch.mul(A, B)", "other");
        product(r, "matmul(Tensor self, Tensor other)", "torch.matmul(A, B)", "other");
        product(r, "mm(Tensor self, Tensor mat2)", "torch.mm(A, B)", "mat2");
        product(r, "bmm(Tensor self, Tensor mat2)", "torch.bmm(A, B)", "mat2");
        r.complex("aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", """
            if torch.eq(torch.len(tensors), 2):
              self, other = tensors[0], tensors[1]
            PRODUCT
              result = torch.complex(re, im)
            else:
              result = torch.einsum(equation, tensors)
            return result""".replace(
                        "PRODUCT", Strings.indent(parts("torch.einsum(equation, [A, B])", "other"), 2)));
        for (String name : new String[] {"mul", "div"}) {
            r.complex(
                    "aten::" + name + ".Scalar(Tensor self, Scalar other) -> Tensor",
                    "return torch.complex(torch.OP(torch.real(self), other), torch.OP(torch.imag(self), other))"
                            .replace("OP", name));
        }
        r.complex("aten::div.Tensor(Tensor self, Tensor other) -> Tensor", """
            if torch.is_complex(other):
              c, d = torch.real(other), torch.imag(other)
              length = torch.add(torch.mul(c, c), torch.mul(d, d))
              if torch.is_complex(self):
                a, b = torch.real(self), torch.imag(self)
                x = torch.add(torch.mul(a, c), torch.mul(b, d))
                y = torch.sub(torch.mul(b, c), torch.mul(a, d))
              else:
                x, y = torch.mul(self, c), torch.neg(torch.mul(self, d))
              re, im = torch.div(x, length), torch.div(y, length)
            else:
              re, im = torch.div(torch.real(self), other), torch.div(torch.imag(self), other)
            return torch.complex(re, im)""");
    }

    /** @param text of a product of A and B */
    private static void product(Registrar r, String schema, String text, String other) {
        r.complex("aten::" + schema + " -> Tensor", parts(text, other) + "\nreturn torch.complex(re, im)");
    }

    private static String parts(String text, String other) {
        String body = """
            if torch.is_complex(self):
              if torch.is_complex(other):
                re = torch.sub(RR, II)
                im = torch.add(RI, IR)
              else:
                re, im = RO, IO
            else:
              re, im = OR, OI""";
        String[][] operands = {
            {"R", "torch.real(self)", "torch.real(other)"},
            {"I", "torch.imag(self)", "torch.imag(other)"},
            {"O", "self", "other"}
        };
        for (String[] a : operands) {
            for (String[] b : operands) {
                body = body.replaceAll(
                        "\\b" + a[0] + b[0] + "\\b", text.replace("A", a[1]).replace("B", b[2]));
            }
        }
        return body.replaceAll("\\bother\\b", other);
    }

    private static void functions(Registrar r) {
        for (String name : new String[] {"conj", "_conj", "conj_physical"}) {
            r.complex(
                    "aten::" + name + "(Tensor self) -> Tensor",
                    "return torch.complex(torch.real(self), torch.neg(torch.imag(self)))");
        }
        r.complex(
                "aten::view_as_real(Tensor self) -> Tensor",
                "return torch.stack([torch.real(self), torch.imag(self)], -1)");
        r.complex(
                "aten::view_as_complex(Tensor self) -> Tensor",
                "return torch.complex(torch.select(self, -1, 0), torch.select(self, -1, 1))");
        r.complex(
                "aten::polar(Tensor abs, Tensor angle) -> Tensor",
                "return torch.complex(torch.mul(abs, torch.cos(angle)), torch.mul(abs, torch.sin(angle)))");
        // Of numbers that become real the real parts stay.
        r.complex(
                "aten::to.dtype(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
                        + "MemoryFormat? memory_format=None) -> Tensor",
                """
            if torch.eq(dtype, 9):
              if torch.is_complex(self):
                result = torch.complex(torch.real(self), torch.imag(self))
              else:
                re = torch.to(self, 6)
                result = torch.complex(re, torch.zeros_like(re))
            else:
              if torch.__and__(torch.is_complex(self), torch.eq(dtype, 6)):
                result = torch.to(torch.real(self), 6)
              else:
                result = torch.to(self, dtype, non_blocking, copy, memory_format)
            return result""");
        r.complex("aten::exp(Tensor self) -> Tensor", """
            length, turn = torch.exp(torch.real(self)), torch.imag(self)
            return torch.complex(torch.mul(length, torch.cos(turn)), torch.mul(length, torch.sin(turn)))""");
        r.complex("aten::abs(Tensor self) -> Tensor", """
            re, im = torch.real(self), torch.imag(self)
            return torch.sqrt(torch.add(torch.mul(re, re), torch.mul(im, im)))""");
        r.complex("aten::angle(Tensor self) -> Tensor", "return torch.atan2(torch.imag(self), torch.real(self))");
    }

    private static void transforms(Registrar r) {
        String linear = """
            matrix = torch.fft_NAME(unit, n, -1, norm)
            if torch.is_complex(self):
              product = torch.matmul(rows, matrix)
            else:
              product = torch.complex(torch.matmul(rows, torch.real(matrix)), torch.matmul(rows, torch.imag(matrix)))
            result = torch.transpose(product, dim, -1)""";
        along(r, "fft", "size", "length", linear);
        along(r, "ifft", "size", "length", linear);
        along(r, "rfft", "size", "torch.add(torch.floordiv(length, 2), 1)", linear);
        // Not linear over complex numbers: what it makes of their parts is added.
        along(r, "irfft", "torch.mul(torch.sub(size, 1), 2)", "length", """
            none = torch.zeros_like(unit)
            re = torch.matmul(torch.real(rows), torch.fft_irfft(torch.complex(unit, none), n, -1, norm))
            if torch.is_complex(self):
              im = torch.matmul(torch.imag(rows), torch.fft_irfft(torch.complex(none, unit), n, -1, norm))
              sum = torch.add(re, im)
            else:
              sum = re
            result = torch.transpose(sum, dim, -1)""");
        // The real side is the last dimension.
        over(r, "fft", "result = self", "torch.len(dims)", "result");
        over(r, "ifft", "result = self", "torch.len(dims)", "result");
        over(
                r,
                "rfft",
                "result = torch.fft_rfft(self, lengths[-1], dims[-1], norm)",
                "torch.sub(torch.len(dims), 1)",
                "result");
        over(
                r,
                "irfft",
                "result = self",
                "torch.sub(torch.len(dims), 1)",
                "torch.fft_irfft(result, lengths[-1], dims[-1], norm)");
    }

    /**
     * @param length of the transform where none is given
     * @param kept elements of a row of the matrix
     * @param work makes {@code result} of {@code rows} and the unit vectors
     */
    private static void along(Registrar r, String name, String length, String kept, String work) {
        r.complex("aten::fft_" + name + "(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", """
            size = torch.size(self, dim)
            if torch.__is__(n, None):
              length = LENGTH
            else:
              length = unchecked_cast(int, n)
            typed = torch.__or__(torch.is_complex(self), torch.eq(ops.prim.dtype(self), 6))
            if torch.__and__(typed, torch.le(torch.mul(size, KEPT), MAX)):
              rows = torch.transpose(self, dim, -1)
              unit = torch.eye(size, dtype=6)
            WORK
            else:
              result = torch.fft_NAME(self, n, dim, norm)
            return result""".replace(
                        "WORK", Strings.indent(work, 2))
                .replace("LENGTH", length)
                .replace("KEPT", kept)
                .replace("MAX", MAX_ENTRIES)
                .replace("NAME", name));
    }

    /**
     * Along several dimensions, one after the other.
     *
     * @param first before the others
     * @param count of dimensions that are transformed as complex numbers, the first ones
     * @param last what is made of the {@code result} of these
     */
    private static void over(Registrar r, String name, String first, String count, String last) {
        r.complex(
                "aten::fft_" + name + "n(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                """
            if torch.__is__(s, None):
              given = annotate(List[int], [])
              count = torch.dim(self)
            else:
              given = unchecked_cast(List[int], s)
              count = torch.len(given)
            if torch.__is__(dim, None):
              dims = annotate(List[int], [])
              for i in range(count):
                _0 = torch.append(dims, torch.sub(i, count))
            else:
              dims = unchecked_cast(List[int], dim)
            lengths = annotate(List[int], [])
            for i in range(torch.len(dims)):
              if torch.eq(torch.len(given), 0):
                length = -1
              else:
                length = given[i]
              if torch.eq(length, -1):
                size = torch.size(self, dims[i])
                if torch.eq(i, REAL):
                  whole = torch.mul(torch.sub(size, 1), 2)
                else:
                  whole = size
              else:
                whole = length
              _1 = torch.append(lengths, whole)
            FIRST
            for i in range(COUNT):
              result = torch.fft_EACH(result, lengths[i], dims[i], norm)
            return LAST""".replace("REAL", name.equals("irfft") ? "torch.sub(torch.len(dims), 1)" : "-1")
                        .replace("FIRST", first)
                        .replace("COUNT", count)
                        .replace("EACH", name.replace("r", ""))
                        .replace("LAST", last));
        r.complex(
                "aten::fft_" + name + "2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                "return torch.fft_" + name + "n(self, s, dim, norm)");
    }

    private static void spectrograms(Registrar r) {
        // Each unit vector is one frame long.
        r.complex(
                "aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
                        + "bool normalized=False, bool? onesided=None, bool? return_complex=None) -> Tensor",
                HOP + """
            if torch.__and__(torch.eq(ops.prim.dtype(self), 6), torch.le(torch.mul(n_fft, n_fft), MAX)):
              unit = torch.eye(n_fft, dtype=6)
              filters = torch.stft(unit, n_fft, hop_length, win_length, window, normalized, onesided, True)
              weights = torch.permute(filters, [1, 2, 0])
              signal = torch.reshape(self, [-1, 1, torch.size(self, -1)])
              shape = torch.add(torch.slice(torch.size(self), 0, -1), [torch.size(filters, 1), -1])
              re = torch.reshape(torch.conv1d(signal, torch.contiguous(torch.real(weights)), None, [hop]), shape)
              im = torch.reshape(torch.conv1d(signal, torch.contiguous(torch.imag(weights)), None, [hop]), shape)
              like = torch.stft(unit, n_fft, hop_length, win_length, window, normalized, onesided, return_complex)
              if torch.is_complex(like):
                result = torch.complex(re, im)
              else:
                result = torch.stack([re, im], -1)
            else:
              result = torch.stft(self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex)
            return result""".replace("MAX", MAX_ENTRIES));
        // Frames transformed back, windowed, and added where they overlap, over the sum of the windows' squares.
        r.complex(
                "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
                        + "bool center=True, bool normalized=False, bool? onesided=None, int? length=None, "
                        + "bool return_complex=False) -> Tensor",
                HOP + """
            if torch.__is__(onesided, None):
              half = True
            else:
              half = unchecked_cast(bool, onesided)
            plain = torch.__and__(torch.__and__(half, torch.__not__(return_complex)), torch.is_complex(self))
            if torch.__and__(plain, torch.le(torch.mul(n_fft, n_fft), MAX)):
              if torch.__is__(win_length, None):
                width = n_fft
              else:
                width = unchecked_cast(int, win_length)
              if torch.__is__(window, None):
                given = torch.ones([width], dtype=6)
              else:
                given = torch.to(unchecked_cast(Tensor, window), 6)
              left = torch.floordiv(torch.sub(n_fft, width), 2)
              framed = torch.constant_pad_nd(given, [left, torch.sub(torch.sub(n_fft, width), left)])
              if normalized:
                scaled = torch.mul(framed, torch.sqrt(n_fft))
              else:
                scaled = framed
              unit = torch.eye(torch.size(self, -2), dtype=6)
              none = torch.zeros_like(unit)
              real = torch.mul(torch.fft_irfft(torch.complex(unit, none), n_fft), scaled)
              imag = torch.mul(torch.fft_irfft(torch.complex(none, unit), n_fft), scaled)
              frames = [-1, torch.size(self, -2), torch.size(self, -1)]
              x, y = torch.reshape(torch.real(self), frames), torch.reshape(torch.imag(self), frames)
              re = torch.conv_transpose1d(x, torch.unsqueeze(real, 1), None, [hop])
              im = torch.conv_transpose1d(y, torch.unsqueeze(imag, 1), None, [hop])
              squares = torch.reshape(torch.mul(framed, framed), [1, 1, n_fft])
              ones = torch.ones([1, 1, torch.size(self, -1)], dtype=6)
              sums = torch.conv_transpose1d(ones, squares, None, [hop])
              all = torch.div(torch.add(re, im), sums)
              whole = torch.size(all, -1)
              if center:
                start = torch.floordiv(n_fft, 2)
              else:
                start = 0
              shape = torch.add(torch.slice(torch.size(self), 0, -2), [-1])
              if torch.__is__(length, None):
                part = torch.slice(all, 2, start, torch.sub(whole, start))
              else:
                end = torch.add(start, unchecked_cast(int, length))
                part = torch.slice(all, 2, start, ops.prim.min(whole, end))
                if torch.gt(end, whole):
                  part = torch.constant_pad_nd(part, [0, torch.sub(end, whole)])
                else:
                  part = part
              result = torch.reshape(part, shape)
            else:
              result = torch.istft(self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, \
            return_complex)
            return result""".replace("MAX", MAX_ENTRIES));
    }
}
