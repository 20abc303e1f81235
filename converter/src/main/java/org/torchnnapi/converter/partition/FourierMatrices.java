package org.torchnnapi.converter.partition;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Fourier transforms of known sizes as products with matrices, and those of frames of a signal as convolutions with as
 * many filters. A matrix's rows are what the transform makes of the unit vectors.
 */
final class FourierMatrices {
    /** Numbers of a matrix; beyond, the fast transform is better and stays. */
    private static final long MAX_ENTRIES = 1L << 22;

    private static final double LEAST_WINDOW = 1e-11;

    private final GraphCalls calls;
    private final PartialEvaluation.Facts facts;

    FourierMatrices(GraphCalls calls, PartialEvaluation.Facts facts) {
        this.calls = calls;
        this.facts = facts;
    }

    /** What replaces a transform, or null for other nodes and for those whose arguments are not known. */
    ComplexNumbers.Parts made(Node node, Function<Value, ComplexNumbers.Parts> parts) {
        TensorFacts from = facts.of(node.input(0));
        String kind = node.kind();
        for (int i = 1; i < node.inputs().size(); i++) {
            if (!Literals.of(node.input(i)).isPresent()) {
                return null;
            }
        }
        if (from == null || from.dtype() != DType.FLOAT32 && from.dtype() != DType.COMPLEX64) {
            return null;
        }
        switch (kind) {
            case "aten::fft_fft":
            case "aten::fft_ifft":
            case "aten::fft_rfft":
            case "aten::fft_irfft":
                return along(
                        parts.apply(node.input(0)),
                        from,
                        kind,
                        literal(node, 1),
                        ((Number) literal(node, 2)).intValue(),
                        literal(node, 3));
            case "aten::fft_fft2":
            case "aten::fft_ifft2":
            case "aten::fft_rfft2":
            case "aten::fft_irfft2":
            case "aten::fft_fftn":
            case "aten::fft_ifftn":
            case "aten::fft_rfftn":
            case "aten::fft_irfftn":
                return over(node, parts.apply(node.input(0)), from);
            case "aten::stft":
                return frames(node, from);
            case "aten::istft":
                return signal(node, parts.apply(node.input(0)), from);
            default:
                return null;
        }
    }

    private static Object literal(Node node, int index) {
        return Literals.of(node.input(index)).get().value();
    }

    private static long[] integers(Object list) {
        return list == null
                ? null
                : ((ScriptList) list)
                        .items().stream()
                                .mapToLong(item -> ((Number) item).longValue())
                                .toArray();
    }

    /** Along several dimensions, one after the other: the real side is the last. */
    private ComplexNumbers.Parts over(Node node, ComplexNumbers.Parts x, TensorFacts from) {
        String name = node.kind().substring(0, node.kind().length() - 1);
        boolean toReal = name.endsWith("irfft");
        boolean fromReal = !toReal && name.endsWith("rfft");
        String plain = name.endsWith("ifft") || toReal ? "aten::fft_ifft" : "aten::fft_fft";
        long[] lengths = integers(literal(node, 1));
        long[] dimensions = integers(literal(node, 2));
        if (dimensions == null) {
            int count = lengths == null ? from.rank() : lengths.length;
            dimensions = new long[count];
            for (int i = 0; i < count; i++) {
                dimensions[i] = i - count;
            }
        }
        ComplexNumbers.Parts made = x;
        int[] shape = from.shape();
        int last = dimensions.length - 1;
        for (int i = 0; i <= last && made != null; i++) {
            int at = fromReal ? last - i : i;
            int dimension = Math.floorMod((int) dimensions[at], from.rank());
            Object length = lengths == null || lengths[at] == -1 ? null : (Object) lengths[at];
            String kind = at == last ? name : plain;
            made = along(made, new TensorFacts(from.dtype(), shape, null), kind, length, dimension, literal(node, 3));
            shape[dimension] = length(kind, shape[dimension], length);
        }
        return made;
    }

    private static int length(String kind, int from, Object length) {
        int n = length != null
                ? Math.toIntExact((Long) length)
                : kind.equals("aten::fft_irfft") ? 2 * (from - 1) : from;
        return kind.equals("aten::fft_rfft") ? n / 2 + 1 : n;
    }

    private ComplexNumbers.Parts along(
            ComplexNumbers.Parts x, TensorFacts from, String kind, Object n, int given, Object norm) {
        int dimension = Math.floorMod(given, from.rank());
        int size = from.size(dimension);
        if ((long) size * length(kind, size, n) > MAX_ENTRIES) {
            return null;
        }
        Tensor unit = unit(size);
        boolean fromReal = x.imaginary() == null;
        Tensor none = Tensor.zeros(DType.FLOAT32, size, size);
        Tensor ofReal = (Tensor) apply(kind, fromReal ? unit : apply("aten::complex", unit, none), n, -1L, norm);
        Value re = calls.call("aten::transpose.int", x.real(), dimension, -1);
        if (fromReal) {
            return new ComplexNumbers.Parts(
                    back(product(re, part(ofReal, 0)), dimension), back(product(re, part(ofReal, 1)), dimension));
        }
        Tensor ofImaginary = (Tensor) apply(kind, apply("aten::complex", none, unit), n, -1L, norm);
        Value im = calls.call("aten::transpose.int", x.imaginary(), dimension, -1);
        Value real = sum(product(re, part(ofReal, 0)), product(im, part(ofImaginary, 0)));
        return new ComplexNumbers.Parts(
                back(real, dimension),
                kind.equals("aten::fft_irfft")
                        ? null
                        : back(sum(product(re, part(ofReal, 1)), product(im, part(ofImaginary, 1))), dimension));
    }

    private static Object apply(String overload, Object... arguments) {
        return OperatorRegistry.standard().find(overload).kernel().call(arguments);
    }

    private static Tensor unit(int size) {
        float[] values = new float[size * size];
        for (int i = 0; i < size; i++) {
            values[i * size + i] = 1;
        }
        return Tensor.of(values, size, size);
    }

    /** A copy of the real or the imaginary part. */
    private static Tensor part(Tensor complex, int part) {
        return complex.dtype().isComplex()
                ? ((Tensor) apply(part == 0 ? "aten::real" : "aten::imag", complex)).contiguous()
                : complex;
    }

    private Value product(Value rows, Tensor matrix) {
        return calls.call("aten::matmul", rows, matrix);
    }

    private Value sum(Value a, Value b) {
        return calls.call("aten::add.Tensor", a, b, 1);
    }

    private Value back(Value value, int dimension) {
        return calls.call("aten::transpose.int", value, dimension, -1);
    }

    private static boolean isReal(Object window) {
        return window == null || ((Tensor) window).dtype() == DType.FLOAT32;
    }

    /** Frames of a signal [(batch,) length]: filters that are the window times waves, [(batch,) frequency, frame]. */
    private ComplexNumbers.Parts frames(Node node, TensorFacts from) {
        int n = ((Number) literal(node, 1)).intValue();
        int hop = literal(node, 2) == null ? n / 4 : ((Number) literal(node, 2)).intValue();
        if (from.dtype() != DType.FLOAT32
                || !isReal(literal(node, 4))
                || (long) n * n > MAX_ENTRIES
                || node.inputs().size() != 8) {
            return null;
        }
        Object[] arguments = new Object[8];
        arguments[0] = unit(n);
        for (int i = 1; i < arguments.length; i++) {
            arguments[i] = literal(node, i);
        }
        arguments[7] = true;
        // Each unit vector is one frame long.
        Tensor filters = (Tensor) apply("aten::stft", arguments);
        int count = filters.size(1);
        int length = from.size(from.rank() - 1);
        int times = (length - n) / hop + 1;
        int batch = Math.toIntExact(from.count() / length);
        Value signal = calls.call("aten::reshape", node.input(0), new int[] {batch, 1, length});
        Value[] made = new Value[2];
        int[] shape = from.rank() == 1 ? new int[] {count, times} : new int[] {batch, count, times};
        for (int p = 0; p < 2; p++) {
            Tensor weights = part(filters, p)
                    .asStrided(new int[] {n, count}, new int[] {count, 1}, 0)
                    .permute(1, 0)
                    .contiguous();
            Value convolved = calls.call(
                    "aten::conv1d",
                    signal,
                    weights.asStrided(new int[] {count, 1, n}, new int[] {n, n, 1}, 0),
                    null,
                    new int[] {hop},
                    new int[] {0},
                    new int[] {1},
                    1);
            made[p] = calls.call("aten::reshape", convolved, shape);
        }
        boolean complex = Boolean.TRUE.equals(literal(node, 7));
        return complex
                ? new ComplexNumbers.Parts(made[0], made[1])
                : new ComplexNumbers.Parts(calls.call("aten::stack", calls.list(Arrays.asList(made)), -1), null);
    }

    /** Frames transformed back, windowed, and added where they overlap, over the sum of the windows' squares. */
    private ComplexNumbers.Parts signal(Node node, ComplexNumbers.Parts x, TensorFacts from) {
        int n = ((Number) literal(node, 1)).intValue();
        int hop = literal(node, 2) == null ? n / 4 : ((Number) literal(node, 2)).intValue();
        boolean halves = literal(node, 7) == null || (Boolean) literal(node, 7);
        if (x.imaginary() == null
                || !isReal(literal(node, 4))
                || Boolean.TRUE.equals(literal(node, 9))
                || (long) n * n > MAX_ENTRIES
                || !halves) {
            return null;
        }
        int count = from.size(from.rank() - 2);
        int times = from.size(from.rank() - 1);
        int batch = from.rank() == 2 ? 1 : from.size(0);
        double[] window = window(
                n, Optional.ofNullable((Long) literal(node, 3)).orElse((long) n).intValue(), (Tensor) literal(node, 4));
        double scale = (Boolean) literal(node, 6) ? Math.sqrt(n) : 1;
        Value[] made = new Value[2];
        for (int p = 0; p < 2; p++) {
            Tensor none = Tensor.zeros(DType.FLOAT32, count, count);
            Tensor rows = (Tensor) apply(
                    "aten::fft_irfft",
                    p == 0 ? apply("aten::complex", unit(count), none) : apply("aten::complex", none, unit(count)),
                    (long) n,
                    -1L,
                    null);
            float[] weights = rows.contiguous().toFloatArray();
            for (int i = 0; i < weights.length; i++) {
                weights[i] = (float) (weights[i] * window[i % n] * scale);
            }
            made[p] = calls.call(
                    "aten::conv_transpose1d",
                    calls.call("aten::reshape", p == 0 ? x.real() : x.imaginary(), new int[] {batch, count, times}),
                    Tensor.of(weights, count, 1, n),
                    null,
                    new int[] {hop},
                    new int[] {0},
                    new int[] {0},
                    1,
                    new int[] {1});
        }
        int whole = n + hop * (times - 1);
        boolean centred = (Boolean) literal(node, 5);
        int start = centred ? n / 2 : 0;
        Integer length = literal(node, 8) == null ? null : ((Number) literal(node, 8)).intValue();
        int end = Math.min(whole, length != null ? start + length : whole - start);
        float[] squares = new float[n];
        for (int i = 0; i < n; i++) {
            squares[i] = (float) (window[i] * window[i]);
        }
        if (leastSum(squares, hop, times, start, end) < LEAST_WINDOW) {
            return null;
        }
        // Of open sizes it is another one in each run.
        Value sums = calls.call(
                "aten::conv_transpose1d",
                calls.call("aten::ones", new int[] {1, 1, times}, DType.FLOAT32.code(), null, null, null),
                Tensor.of(squares, 1, 1, n),
                null,
                new int[] {hop},
                new int[] {0},
                new int[] {0},
                1,
                new int[] {1});
        Value all = calls.call("aten::div.Tensor", sum(made[0], made[1]), sums);
        Value result = calls.call("aten::slice.Tensor", all, 2, start, end, 1);
        int size = length == null ? end - start : length;
        if (size > end - start) {
            result = calls.call("aten::constant_pad_nd", result, new int[] {0, size - (end - start)}, 0);
        }
        return new ComplexNumbers.Parts(
                calls.call("aten::reshape", result, from.rank() == 2 ? new int[] {size} : new int[] {batch, size}),
                null);
    }

    /** Of the sums of what overlaps from a start to an end. */
    private static double leastSum(float[] squares, int hop, int times, int start, int end) {
        double least = Double.MAX_VALUE;
        for (int i = start; i < end; i++) {
            double sum = 0;
            for (int t = Math.max(0, (i - squares.length) / hop); t < times && t * hop <= i; t++) {
                sum += i - t * hop < squares.length ? squares[i - t * hop] : 0;
            }
            least = Math.min(least, sum);
        }
        return least;
    }

    /** In the middle of a frame. */
    private static double[] window(int n, int length, Tensor given) {
        double[] full = new double[n];
        int left = (n - length) / 2;
        for (int i = 0; i < length; i++) {
            full[left + i] = given == null ? 1 : given.getDouble(i);
        }
        return full;
    }
}
