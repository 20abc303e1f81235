package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.flagOrNull;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Short-time Fourier transform and its inverse. */
public final class Spectrograms implements OperatorFamily {
    /** What both directions share. */
    private record Framing(int size, int hop, double[] window, boolean normalized) {
        static Framing of(int size, Long hop, Long windowLength, Tensor window, boolean normalized) {
            long step = hop == null ? size / 4 : hop;
            long length = windowLength == null ? size : windowLength;
            if (size < 1 || step < 1 || length < 1 || length > size || window != null && (window.numel() != length || window.dtype().isComplex())) {
                throw new IllegalArgumentException("stft: n_fft " + size + ", hop_length " + step + ", win_length " + length
                    + " (expected: positive, the window of win_length real numbers, at most n_fft)");
            }
            double[] full = new double[size];
            int left = (size - (int) length) / 2;
            for (int i = 0; i < length; i++) {
                full[left + i] = window == null ? 1 : window.getDouble(i);
            }
            return new Framing(size, (int) Math.min(step, Integer.MAX_VALUE), full, normalized);
        }
    }

    @Override
    public void register(Registrar r) {
        String stft = "(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
            + "bool normalized=False, bool? onesided=None, bool? return_complex=None";
        OperatorKernel transform = a -> stft(tensor(a, 0), Framing.of(int32(a, 1), integerOrNull(a, 2), integerOrNull(a, 3), tensorOrNull(a, 4), flag(a, 5)),
            flagOrNull(a, 6), Boolean.TRUE.equals(flagOrNull(a, 7)));
        r.op("aten::stft" + stft + ") -> Tensor", transform);
        // PyTorch 2 added the argument; files for earlier releases are written with the operator that those have.
        r.op("aten::stft.aligned" + stft + ", bool? align_to_window) -> Tensor", transform);
        r.op("aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
            + "bool center=True, bool normalized=False, bool? onesided=None, int? length=None, "
            + "bool return_complex=False) -> Tensor", a -> istft(tensor(a, 0), Framing.of(int32(a, 1), integerOrNull(a, 2), integerOrNull(a, 3), tensorOrNull(a, 4), flag(a, 6)),
            flag(a, 5), flagOrNull(a, 7), integerOrNull(a, 8), flag(a, 9)));
    }

    /** Frames of the signal times the window, transformed: [batch, frequency, frame]. */
    private static Tensor stft(Tensor signal, Framing f, Boolean oneSided, boolean complex) {
        if (signal.rank() < 1 || signal.rank() > 2 || signal.dtype().isComplex() || signal.size(-1) < f.size) {
            throw new IllegalArgumentException("stft input: " + signal + " (expected: [length] or [batch, length] of reals, at least n_fft = "
                + f.size + " long)");
        }
        boolean half = oneSided == null || oneSided;
        int batch = signal.rank() == 1 ? 1 : signal.size(0);
        int length = signal.size(-1);
        int count = (length - f.size) / f.hop + 1;
        double[] in = Elements.doubles(signal);
        double[] frames = new double[Math.multiplyExact(Math.multiplyExact(batch, count), f.size)];
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
        Tensor out = ComplexParts.join(re.copy(MemoryFormat.CONTIGUOUS), im.copy(MemoryFormat.CONTIGUOUS),
            type == DType.FLOAT64 ? DType.COMPLEX128 : DType.COMPLEX64);
        if (signal.rank() == 1) {
            out = out.asStrided(new int[] {out.size(1), out.size(2)}, new int[] {out.size(2), 1}, 0);
        }
        return complex ? out : asReal(out, type);
    }

    /** Real and imaginary parts as a last dimension of 2, on the same memory. */
    private static Tensor asReal(Tensor complex, DType type) {
        int[] sizes = java.util.Arrays.copyOf(complex.sizes(), complex.rank() + 1);
        sizes[complex.rank()] = 2;
        return Tensor.of(type, complex.storage().array(), sizes);
    }

    /** Overlap and add, divided by the sum of squared windows; with {@code center} the half frames at both ends are cut off. */
    private static Tensor istft(Tensor given, Framing f, boolean center, Boolean oneSided, Long wantedLength, boolean complex) {
        boolean isComplex = given.dtype().isComplex();
        int rank = isComplex ? given.rank() : given.rank() - 1;
        if (rank < 2 || rank > 3 || !isComplex && given.size(-1) != 2) {
            throw new IllegalArgumentException("istft input: " + given + " (expected: [frequency, frame] or [batch, frequency, frame] of complex)");
        }
        Tensor re = isComplex ? ComplexParts.part(given, 0) : parts(given, 0);
        Tensor im = isComplex ? ComplexParts.part(given, 1) : parts(given, 1);
        int frequencies = re.size(-2);
        int count = re.size(-1);
        int batch = rank == 2 ? 1 : re.size(0);
        boolean half = oneSided != null ? oneSided : frequencies != f.size;
        if (frequencies != (half ? f.size / 2 + 1 : f.size)) {
            throw new IllegalArgumentException("istft input: " + frequencies + " frequencies (expected: those of n_fft = " + f.size + ")");
        }
        if (complex) {
            if (half) {
                throw new IllegalArgumentException("cannot have onesided output if window or input is complex");
            }
            Tensor spectrum = spectrum(re, im, batch, frequencies);
            Tensor signal = FourierTransforms.inverse(spectrum);
            Tensor real = overlapAdd(ComplexParts.part(signal, 0), f, center, wantedLength, rank == 2, re.dtype());
            Tensor imaginary = overlapAdd(ComplexParts.part(signal, 1), f, center, wantedLength, rank == 2, re.dtype());
            return ComplexParts.join(real, imaginary, ComplexMath.complexOf(re.dtype()));
        }
        // A real signal's spectrum mirrors itself, so its first half says all.
        Tensor frames = FourierTransforms.toReal(spectrum(re, im, batch, f.size / 2 + 1), f.size);
        return overlapAdd(frames, f, center, wantedLength, rank == 2, re.dtype());
    }

    /** @param frames [batch, frame, n_fft] */
    private static Tensor overlapAdd(Tensor frames, Framing f, boolean center, Long wantedLength, boolean single, DType type) {
        int batch = frames.size(0);
        int count = frames.size(1);
        double[] in = Elements.doubles(frames);
        double scale = f.normalized ? Math.sqrt(f.size) : 1;
        int whole = Math.addExact(f.size, Math.multiplyExact(f.hop, count - 1));
        double[] envelope = new double[whole];
        double[] sum = new double[Math.multiplyExact(batch, whole)];
        for (int t = 0; t < count; t++) {
            for (int i = 0; i < f.size; i++) {
                envelope[t * f.hop + i] += f.window[i] * f.window[i];
                for (int b = 0; b < batch; b++) {
                    sum[b * whole + t * f.hop + i] += in[(b * count + t) * f.size + i] * f.window[i] * scale;
                }
            }
        }
        int start = center ? f.size / 2 : 0;
        int end = wantedLength != null ? (int) Math.min(start + wantedLength, Integer.MAX_VALUE) : center ? whole - f.size / 2 : whole;
        int length = Math.max(end - start, 0);
        double[] out = new double[Math.multiplyExact(batch, length)];
        for (int b = 0; b < batch; b++) {
            for (int i = 0; i < length && start + i < whole; i++) {
                if (Math.abs(envelope[start + i]) <= 1e-11) {
                    throw new IllegalArgumentException("window overlap add min: 1");
                }
                out[b * length + i] = sum[b * whole + start + i] / envelope[start + i];
            }
        }
        return single ? Elements.ofDoubles(type, out, length) : Elements.ofDoubles(type, out, batch, length);
    }

    /** The first frequencies of each frame: [batch, frame, frequency]. */
    private static Tensor spectrum(Tensor re, Tensor im, int batch, int frequencies) {
        int count = re.size(-1);
        int[] sizes = {batch, frequencies, count};
        int[] strides = {re.size(-2) * count, count, 1};
        Tensor r = Elements.cast(re.contiguous(), DType.FLOAT64).asStrided(sizes, strides, 0).permute(0, 2, 1).copy(MemoryFormat.CONTIGUOUS);
        Tensor i = Elements.cast(im.contiguous(), DType.FLOAT64).asStrided(sizes, strides, 0).permute(0, 2, 1).copy(MemoryFormat.CONTIGUOUS);
        return ComplexParts.join(r, i, DType.COMPLEX128);
    }

    private static Tensor parts(Tensor pairs, int which) {
        int rank = pairs.rank() - 1;
        int[] sizes = java.util.Arrays.copyOf(pairs.sizes(), rank);
        int[] strides = java.util.Arrays.copyOf(pairs.strides(), rank);
        return pairs.asStrided(sizes, strides, pairs.offset() + which * pairs.strides()[rank]).copy(MemoryFormat.CONTIGUOUS);
    }
}
