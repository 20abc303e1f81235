package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.textOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Fourier;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** {@code torch.fft}: discrete Fourier transforms along one dimension or several. */
public final class FourierTransforms implements OperatorFamily {
    /** What goes in and comes out: complex numbers, or real ones whose spectrum has only its first half. */
    private enum Kind {
        COMPLEX,
        FROM_REAL,
        TO_REAL
    }

    private static final long MAX_LENGTH = 1 << 26;

    @Override
    public void register(Registrar r) {
        one(r, "fft_fft", Kind.COMPLEX, false);
        one(r, "fft_ifft", Kind.COMPLEX, true);
        one(r, "fft_rfft", Kind.FROM_REAL, false);
        one(r, "fft_irfft", Kind.TO_REAL, true);
        two(r, "fft_fft2", Kind.COMPLEX, false);
        two(r, "fft_ifft2", Kind.COMPLEX, true);
        two(r, "fft_rfft2", Kind.FROM_REAL, false);
        two(r, "fft_irfft2", Kind.TO_REAL, true);
        several(r, "fft_fftn", Kind.COMPLEX, false);
        several(r, "fft_ifftn", Kind.COMPLEX, true);
        several(r, "fft_rfftn", Kind.FROM_REAL, false);
        several(r, "fft_irfftn", Kind.TO_REAL, true);
    }

    private static void one(Registrar r, String name, Kind kind, boolean inverse) {
        r.op(
                "aten::" + name + "(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor",
                a -> along(
                        tensor(a, 0),
                        integerOrNull(a, 1),
                        Shape.wrap(integer(a, 2), tensor(a, 0).rank()),
                        kind,
                        inverse,
                        textOrNull(a, 3)));
    }

    private static void two(Registrar r, String name, Kind kind, boolean inverse) {
        r.op(
                "aten::" + name + "(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                a -> over(tensor(a, 0), ReduceOps.dims(a, 1), ReduceOps.dims(a, 2), kind, inverse, textOrNull(a, 3)));
    }

    private static void several(Registrar r, String name, Kind kind, boolean inverse) {
        r.op(
                "aten::" + name + "(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                a -> over(tensor(a, 0), ReduceOps.dims(a, 1), ReduceOps.dims(a, 2), kind, inverse, textOrNull(a, 3)));
    }

    /** Real transforms have their real side in the last dimension of the list. */
    private static Tensor over(Tensor t, long[] lengths, long[] dims, Kind kind, boolean inverse, String norm) {
        long[] all = dims;
        if (all == null) {
            int count = lengths == null ? t.rank() : lengths.length;
            all = new long[count];
            for (int i = 0; i < count; i++) {
                all[i] = t.rank() - count + i;
            }
        }
        if (all.length == 0 || lengths != null && lengths.length != all.length) {
            throw new IllegalArgumentException("When given, dim and shape arguments must have the same length");
        }
        Tensor out = t;
        int last = all.length - 1;
        for (int i = 0; i <= last; i++) {
            // The real end comes first in the forward direction and last in the inverse one.
            int at = kind == Kind.FROM_REAL ? last - i : i;
            Kind own = at == last ? kind : Kind.COMPLEX;
            Long length = lengths == null || lengths[at] == -1 ? null : (Long) lengths[at];
            out = along(out, length, Shape.wrap(all[at], t.rank()), own, inverse, norm);
        }
        return out;
    }

    static Tensor along(Tensor t, Long wanted, int dim, Kind kind, boolean inverse, String norm) {
        if (t.rank() == 0 || kind == Kind.FROM_REAL && t.dtype().isComplex()) {
            throw new IllegalArgumentException(
                    "fft input: " + t + " (expected: at least one dimension, and reals for rfft)");
        }
        boolean single = t.dtype() != DType.FLOAT64 && t.dtype() != DType.COMPLEX128;
        ReducedRows re = ReducedRows.along(t.dtype().isComplex() ? ComplexParts.part(t, 0) : t, dim);
        double[] real = re.doubles();
        double[] imaginary = t.dtype().isComplex()
                ? ReducedRows.along(ComplexParts.part(t, 1), dim).doubles()
                : null;
        int given = re.length();
        long length = wanted != null ? wanted : kind == Kind.TO_REAL ? 2L * (given - 1) : given;
        if (length < 1 || length > MAX_LENGTH) {
            throw new IllegalArgumentException("Invalid number of data points (" + length + ") specified");
        }
        int n = (int) length;
        int kept = kind == Kind.FROM_REAL ? n / 2 + 1 : n;
        double[] outRe = new double[Tensors.count(re.count(), kept)];
        double[] outIm = new double[outRe.length];
        double scale = scale(n, inverse, norm);
        double[] x = new double[n];
        double[] y = new double[n];
        int taken = Math.min(given, kind == Kind.TO_REAL ? n / 2 + 1 : n);
        for (int row = 0; row < re.count(); row++) {
            Arrays.fill(x, 0);
            Arrays.fill(y, 0);
            System.arraycopy(real, row * given, x, 0, taken);
            if (imaginary != null) {
                System.arraycopy(imaginary, row * given, y, 0, taken);
            }
            if (kind == Kind.TO_REAL) {
                y[0] = 0;
                for (int k = n / 2 + 1; k < n; k++) {
                    x[k] = x[n - k];
                    y[k] = -y[n - k];
                }
                if (n % 2 == 0) {
                    y[n / 2] = 0;
                }
            }
            Fourier.transform(x, y, inverse);
            for (int k = 0; k < kept; k++) {
                outRe[row * kept + k] = x[k] * scale;
                outIm[row * kept + k] = y[k] * scale;
            }
        }
        int[] sizes = Arrays.copyOf(re.squeezed(), re.squeezed().length + 1);
        sizes[sizes.length - 1] = kept;
        DType part = single ? DType.FLOAT32 : DType.FLOAT64;
        Tensor realPart = ReducedRows.scatterBack(Elements.ofDoubles(part, outRe, sizes), dim);
        if (kind == Kind.TO_REAL) {
            return realPart;
        }
        return ComplexParts.join(
                realPart,
                ReducedRows.scatterBack(Elements.ofDoubles(part, outIm, sizes), dim),
                single ? DType.COMPLEX64 : DType.COMPLEX128);
    }

    static Tensor fromReal(Tensor frames) {
        return along(frames, null, frames.rank() - 1, Kind.FROM_REAL, false, null);
    }

    static Tensor full(Tensor frames) {
        return along(frames, null, frames.rank() - 1, Kind.COMPLEX, false, null);
    }

    static Tensor toReal(Tensor spectrum, int length) {
        return along(spectrum, (long) length, spectrum.rank() - 1, Kind.TO_REAL, true, null);
    }

    static Tensor inverse(Tensor spectrum) {
        return along(spectrum, null, spectrum.rank() - 1, Kind.COMPLEX, true, null);
    }

    private static double scale(int n, boolean inverse, String norm) {
        String name = norm == null ? "backward" : norm;
        return switch (name) {
            case "ortho" -> 1 / Math.sqrt(n);
            case "backward" -> inverse ? 1.0 / n : 1;
            case "forward" -> inverse ? 1 : 1.0 / n;
            default -> throw new IllegalArgumentException("Invalid normalization mode: \"" + name + "\"");
        };
    }
}
