package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.flagOrNull;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;

/** Short-time Fourier transform and its inverse. */
public final class Spectrograms implements OperatorFamily {
    /** What both directions share. */
    private record Framing(int size, int hop, double[] window, double[] imaginaryWindow, boolean normalized) {
        static Framing of(int size, Long hop, Long windowLength, Tensor window, boolean normalized) {
            long step = hop == null ? size / 4 : hop;
            long length = windowLength == null ? size : windowLength;
            if (size < 1 || step < 1 || length < 1 || length > size || window != null && (window.numel() != length)) {
                throw new IllegalArgumentException("stft: n_fft " + size + ", hop_length " + step + ", win_length "
                        + length + " (expected: positive, the window of win_length numbers, at most n_fft)");
            }
            boolean complex = window != null && window.dtype().isComplex();
            return new Framing(
                    size,
                    (int) Math.min(step, Integer.MAX_VALUE),
                    centred(size, (int) length, complex ? ComplexParts.part(window, 0) : window),
                    complex ? centred(size, (int) length, ComplexParts.part(window, 1)) : null,
                    normalized);
        }

        private static double[] centred(int size, int length, Tensor window) {
            double[] full = new double[size];
            int left = (size - length) / 2;
            for (int i = 0; i < length; i++) {
                full[left + i] = window == null ? 1 : window.getDouble(i);
            }
            return full;
        }

        boolean isComplex() {
            return imaginaryWindow != null;
        }

        Framing real() {
            return new Framing(size, hop, window, null, normalized);
        }

        Framing imaginary() {
            return new Framing(size, hop, imaginaryWindow, null, normalized);
        }
    }

    @Override
    public void register(Registrar r) {
        String stft = "(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
                + "bool normalized=False, bool? onesided=None, bool? return_complex=None";
        OperatorKernel transform = a -> {
            Framing framing =
                    Framing.of(int32(a, 1), integerOrNull(a, 2), integerOrNull(a, 3), tensorOrNull(a, 4), flag(a, 5));
            boolean complex =
                    flagOrNull(a, 7) == null ? tensor(a, 0).dtype().isComplex() || framing.isComplex() : flag(a, 7);
            return stft(tensor(a, 0), framing, flagOrNull(a, 6), complex);
        };
        r.op("aten::stft" + stft + ") -> Tensor", transform);
        // PyTorch 2 added the argument; files for earlier releases are written with the operator that those have.
        r.op("aten::stft.aligned" + stft + ", bool? align_to_window) -> Tensor", transform);
        r.op(
                "aten::stft.center"
                        + stft.replace("bool normalized", "bool center=True, str pad_mode=\"reflect\", bool normalized")
                        + ") -> Tensor",
                a -> {
                    Tensor signal = flag(a, 5) ? PadNd.around(tensor(a, 0), int32(a, 1) / 2, text(a, 6)) : tensor(a, 0);
                    return (Tensor) transform.call(new Object[] {signal, a[1], a[2], a[3], a[4], a[7], a[8], a[9]});
                });
        r.op(
                "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
                        + "bool center=True, bool normalized=False, bool? onesided=None, int? length=None, "
                        + "bool return_complex=False) -> Tensor",
                a -> istft(
                        tensor(a, 0),
                        Framing.of(
                                int32(a, 1), integerOrNull(a, 2), integerOrNull(a, 3), tensorOrNull(a, 4), flag(a, 6)),
                        flag(a, 5),
                        flagOrNull(a, 7),
                        integerOrNull(a, 8),
                        flag(a, 9)));
    }

    /** Frames of the signal times the window, transformed: [batch, frequency, frame]. */
    private static Tensor stft(Tensor signal, Framing f, Boolean oneSided, boolean complex) {
        if (signal.rank() < 1 || signal.rank() > 2 || signal.size(-1) < f.size) {
            throw new IllegalArgumentException("stft input: " + signal
                    + " (expected: [length] or [batch, length], at least n_fft = " + f.size + " long)");
        }
        if (signal.dtype().isComplex() || f.isComplex()) {
            if (Boolean.TRUE.equals(oneSided)) {
                throw new IllegalArgumentException("Cannot have onesided output if window or input is complex");
            }
            Tensor both = ofComplex(signal, f);
            return complex ? both : asReal(both, both.dtype().part());
        }
        boolean half = oneSided == null || oneSided;
        int batch = signal.rank() == 1 ? 1 : signal.size(0);
        int length = signal.size(-1);
        int count = (length - f.size) / f.hop + 1;
        double[] in = Elements.doubles(signal);
        double[] frames = new double[Tensors.count(batch, count, f.size)];
        double scale = f.normalized ? 1 / Math.sqrt(f.size) : 1;
        for (int b = 0; b < batch; b++) {
            for (int t = 0; t < count; t++) {
                for (int i = 0; i < f.size; i++) {
                    frames[(b * count + t) * f.size + i] = in[b * length + t * f.hop + i] * f.window[i] * scale;
                }
            }
        }
        DType type = signal.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        Tensor framed = Elements.ofDoubles(DType.FLOAT64, frames, batch, count, f.size);
        Tensor spectrum = half ? FourierTransforms.fromReal(framed) : FourierTransforms.full(framed);
        Tensor re = Elements.cast(ComplexParts.part(spectrum, 0), type).permute(0, 2, 1);
        Tensor im = Elements.cast(ComplexParts.part(spectrum, 1), type).permute(0, 2, 1);
        Tensor out = ComplexParts.join(
                re.copy(MemoryFormat.CONTIGUOUS),
                im.copy(MemoryFormat.CONTIGUOUS),
                type == DType.FLOAT64 ? DType.COMPLEX128 : DType.COMPLEX64);
        if (signal.rank() == 1) {
            out = out.asStrided(new int[] {out.size(1), out.size(2)}, new int[] {out.size(2), 1}, 0);
        }
        return complex ? out : asReal(out, type);
    }

    /** The transform is linear in the signal and in the window: that of real and imaginary parts, put together. */
    private static Tensor ofComplex(Tensor signal, Framing f) {
        Complex i = new Complex(0, 1);
        if (signal.dtype().isComplex()) {
            Tensor imaginary = BinaryOps.multiply(ofComplex(ComplexParts.part(signal, 1), f), i);
            return BinaryOps.add(ofComplex(ComplexParts.part(signal, 0), f), imaginary, 1L);
        }
        Tensor real = stft(signal, f.real(), false, true);
        return f.isComplex()
                ? BinaryOps.add(real, BinaryOps.multiply(stft(signal, f.imaginary(), false, true), i), 1L)
                : real;
    }

    /** Real and imaginary parts as a last dimension of 2, on the same memory. */
    private static Tensor asReal(Tensor complex, DType type) {
        int[] sizes = Arrays.copyOf(complex.sizes(), complex.rank() + 1);
        sizes[complex.rank()] = 2;
        return Tensor.of(type, complex.storage().array(), sizes);
    }

    /**
     * Overlap and add, divided by the sum of squared windows; with {@code center} the half frames at both ends are cut
     * off.
     */
    private static Tensor istft(
            Tensor given, Framing f, boolean center, Boolean oneSided, Long wantedLength, boolean complex) {
        boolean isComplex = given.dtype().isComplex();
        int rank = isComplex ? given.rank() : given.rank() - 1;
        if (rank < 2 || rank > 3 || !isComplex && given.size(-1) != 2) {
            throw new IllegalArgumentException("istft input: " + given
                    + " (expected: [frequency, frame] or [batch, frequency, frame] of complex)");
        }
        if (given.numel() == 0) {
            throw new IllegalArgumentException(
                    "istft input: sizes " + Arrays.toString(given.sizes()) + " (expected: elements)");
        }
        Tensor re = isComplex ? ComplexParts.part(given, 0) : parts(given, 0);
        Tensor im = isComplex ? ComplexParts.part(given, 1) : parts(given, 1);
        int frequencies = re.size(-2);
        int count = re.size(-1);
        int batch = rank == 2 ? 1 : re.size(0);
        boolean half = oneSided != null ? oneSided : frequencies != f.size;
        if (frequencies != (half ? f.size / 2 + 1 : f.size)) {
            throw new IllegalArgumentException(
                    "istft input: " + frequencies + " frequencies (expected: those of n_fft = " + f.size + ")");
        }
        if (complex) {
            if (half) {
                throw new IllegalArgumentException("cannot have onesided output if window or input is complex");
            }
            Tensor spectrum = spectrum(re, im, batch, frequencies);
            Tensor signal = FourierTransforms.inverse(spectrum);
            Tensor real = overlapAdd(ComplexParts.part(signal, 0), f.real(), center, wantedLength, rank == 2);
            Tensor imaginary = overlapAdd(ComplexParts.part(signal, 1), f.real(), center, wantedLength, rank == 2);
            Tensor sum = ComplexParts.join(real, imaginary, DType.COMPLEX128);
            if (f.isComplex()) {
                Complex i = new Complex(0, 1);
                Tensor other = ComplexParts.join(
                        overlapAdd(ComplexParts.part(signal, 0), f.imaginary(), center, wantedLength, rank == 2),
                        overlapAdd(ComplexParts.part(signal, 1), f.imaginary(), center, wantedLength, rank == 2),
                        DType.COMPLEX128);
                sum = BinaryOps.add(sum, BinaryOps.multiply(other, i), 1L);
            }
            return Elements.cast(
                    BinaryOps.divide(sum, envelope(f, count, center, sum.size(-1)), null),
                    re.dtype().complex());
        }
        if (f.isComplex()) {
            throw new IllegalArgumentException("Complex windows are incompatible with return_complex=False");
        }
        // A real signal's spectrum mirrors itself, so its first half says all.
        Tensor frames = FourierTransforms.toReal(spectrum(re, im, batch, f.size / 2 + 1), f.size);
        Tensor sum = overlapAdd(frames, f, center, wantedLength, rank == 2);
        return Elements.cast(BinaryOps.divide(sum, envelope(f, count, center, sum.size(-1)), null), re.dtype());
    }

    /** The sum of squared windows, which overlapping frames are divided by: complex where windows are. */
    private static Tensor envelope(Framing f, int count, boolean center, int length) {
        int whole = Math.addExact(f.size, Math.multiplyExact(f.hop, count - 1));
        double[] re = new double[whole];
        double[] im = new double[whole];
        for (int t = 0; t < count; t++) {
            for (int i = 0; i < f.size; i++) {
                double x = f.window[i];
                double y = f.isComplex() ? f.imaginaryWindow[i] : 0;
                re[t * f.hop + i] += x * x - y * y;
                im[t * f.hop + i] += 2 * x * y;
            }
        }
        int start = center ? f.size / 2 : 0;
        double[] real = new double[length];
        double[] imaginary = new double[length];
        for (int i = 0; i < length; i++) {
            // Behind the last frame there is nothing to divide.
            real[i] = start + i < whole ? re[start + i] : 1;
            imaginary[i] = start + i < whole ? im[start + i] : 0;
            if (Math.hypot(real[i], imaginary[i]) <= 1e-11) {
                throw new IllegalArgumentException("window overlap add min: 1");
            }
        }
        Tensor all = Elements.ofDoubles(DType.FLOAT64, real, length);
        return f.isComplex()
                ? ComplexParts.join(all, Elements.ofDoubles(DType.FLOAT64, imaginary, length), DType.COMPLEX128)
                : all;
    }

    /** @param frames [batch, frame, n_fft] */
    private static Tensor overlapAdd(Tensor frames, Framing f, boolean center, Long wantedLength, boolean single) {
        int batch = frames.size(0);
        int count = frames.size(1);
        double[] in = Elements.doubles(frames);
        double scale = f.normalized ? Math.sqrt(f.size) : 1;
        int whole = Math.addExact(f.size, Math.multiplyExact(f.hop, count - 1));
        double[] sum = new double[Tensors.count(batch, whole)];
        for (int t = 0; t < count; t++) {
            for (int i = 0; i < f.size; i++) {
                for (int b = 0; b < batch; b++) {
                    sum[b * whole + t * f.hop + i] += in[(b * count + t) * f.size + i] * f.window[i] * scale;
                }
            }
        }
        int start = center ? f.size / 2 : 0;
        int end = wantedLength != null
                ? (int) Math.min(start + wantedLength, Integer.MAX_VALUE)
                : center ? whole - f.size / 2 : whole;
        int length = Math.max(end - start, 0);
        double[] out = new double[Tensors.count(batch, length)];
        for (int b = 0; b < batch; b++) {
            for (int i = 0; i < length && start + i < whole; i++) {
                out[b * length + i] = sum[b * whole + start + i];
            }
        }
        return single
                ? Elements.ofDoubles(DType.FLOAT64, out, length)
                : Elements.ofDoubles(DType.FLOAT64, out, batch, length);
    }

    /** The first frequencies of each frame: [batch, frame, frequency]. */
    private static Tensor spectrum(Tensor re, Tensor im, int batch, int frequencies) {
        int count = re.size(-1);
        int[] sizes = {batch, frequencies, count};
        int[] strides = {re.size(-2) * count, count, 1};
        Tensor r = Elements.cast(re.contiguous(), DType.FLOAT64)
                .asStrided(sizes, strides, 0)
                .permute(0, 2, 1)
                .copy(MemoryFormat.CONTIGUOUS);
        Tensor i = Elements.cast(im.contiguous(), DType.FLOAT64)
                .asStrided(sizes, strides, 0)
                .permute(0, 2, 1)
                .copy(MemoryFormat.CONTIGUOUS);
        return ComplexParts.join(r, i, DType.COMPLEX128);
    }

    private static Tensor parts(Tensor pairs, int which) {
        int rank = pairs.rank() - 1;
        int[] sizes = Arrays.copyOf(pairs.sizes(), rank);
        int[] strides = Arrays.copyOf(pairs.strides(), rank);
        return pairs.asStrided(sizes, strides, pairs.offset() + which * pairs.strides()[rank])
                .copy(MemoryFormat.CONTIGUOUS);
    }
}
