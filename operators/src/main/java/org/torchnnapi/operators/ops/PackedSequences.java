package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Sequences of falling lengths, packed: all first steps, then all second steps of those that have one, and so on.
 *
 * @param time steps of the longest
 * @param lengths steps of each
 * @param width numbers in a step
 */
record PackedSequences(int time, int[] lengths, int width) {
    /**
     * Steps that all have as many sequences.
     *
     * @param step the first
     * @param row of the packed data that its first sequence has
     */
    record Segment(int step, int row, int steps, int sequences) {}

    /** Sequences of one length. */
    static PackedSequences ofEqual(int time, int batch, int width) {
        int[] lengths = new int[batch];
        Arrays.fill(lengths, time);
        return new PackedSequences(time, lengths, width);
    }

    /** @throws IllegalArgumentException if the sizes do not fall, or do not fit the data */
    static PackedSequences of(Tensor data, Tensor batchSizes) {
        long[] sizes = Elements.longs(batchSizes);
        int batch = sizes.length == 0 ? 0 : (int) Math.min(sizes[0], data.size(0));
        int[] lengths = new int[batch];
        long total = 0;
        for (int t = 0; t < sizes.length; t++) {
            boolean falls = sizes[t] > 0 && sizes[t] <= (t == 0 ? batch : sizes[t - 1]);
            if (!falls) {
                throw new IllegalArgumentException(
                        "batch sizes: " + sizes[t] + " at step " + t + " (expected: positive and falling)");
            }
            for (int b = 0; b < sizes[t]; b++) {
                lengths[b]++;
            }
            total += sizes[t];
        }
        if (total != data.size(0)) {
            throw new IllegalArgumentException("packed data: " + data + " (expected: " + total + " steps)");
        }
        return new PackedSequences(sizes.length, lengths, total == 0 ? 0 : (int) (data.numel() / total));
    }

    /** Steps of all sequences. */
    int rows() {
        return Arrays.stream(lengths).sum();
    }

    /** How many sequences have each step. */
    int[] batchSizes() {
        int[] sizes = new int[time];
        for (int length : lengths) {
            for (int t = 0; t < length; t++) {
                sizes[t]++;
            }
        }
        return sizes;
    }

    /** The steps in order, cut where sequences end. */
    List<Segment> segments() {
        List<Segment> segments = new ArrayList<>();
        int step = 0;
        int row = 0;
        for (int sequences = lengths.length; sequences > 0; sequences--) {
            int end = lengths[sequences - 1];
            if (end > step) {
                segments.add(new Segment(step, row, end - step, sequences));
                row += (end - step) * sequences;
                step = end;
            }
        }
        return segments;
    }

    /** Packed data as a tensor [time, batch, ..], which has {@code padding} behind the ends. */
    Tensor padded(Tensor packed, int steps, double padding) {
        int[] sizes = new int[packed.rank() + 1];
        sizes[0] = steps;
        sizes[1] = lengths.length;
        System.arraycopy(packed.sizes(), 1, sizes, 2, packed.rank() - 1);
        Tensor padded = TensorFactories.filled(sizes, padding, packed.dtype());
        segments().forEach(segment -> part(padded, segment).copyFrom(rows(packed, segment)));
        return padded;
    }

    /** A [time, batch, ..] tensor without what lies behind the ends. */
    Tensor pack(Tensor padded) {
        int[] sizes = Arrays.copyOfRange(padded.sizes(), 1, padded.rank());
        sizes[0] = rows();
        Tensor packed = Tensors.empty(padded.dtype(), sizes);
        segments().forEach(segment -> rows(packed, segment).copyFrom(part(padded, segment)));
        return packed;
    }

    /** Of a tensor [time, batch, ..]. */
    private static Tensor part(Tensor padded, Segment segment) {
        int[] sizes = padded.sizes().clone();
        sizes[0] = segment.steps();
        sizes[1] = segment.sequences();
        return padded.asStrided(sizes, padded.strides(), padded.offset() + segment.step() * padded.strides()[0]);
    }

    /** Of packed data, as [steps, sequences, ..]. */
    private static Tensor rows(Tensor packed, Segment segment) {
        int[] sizes = new int[packed.rank() + 1];
        int[] strides = new int[sizes.length];
        sizes[0] = segment.steps();
        sizes[1] = segment.sequences();
        strides[0] = segment.sequences() * packed.strides()[0];
        System.arraycopy(packed.sizes(), 1, sizes, 2, packed.rank() - 1);
        System.arraycopy(packed.strides(), 0, strides, 1, packed.rank());
        return packed.asStrided(sizes, strides, packed.offset() + segment.row() * packed.strides()[0]);
    }

    /** The operators that pack and unpack. */
    public static final class Operators implements OperatorFamily {
        @Override
        public void register(Registrar r) {
            r.op(
                    "aten::_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)",
                    a -> packPadded(tensor(a, 0), tensor(a, 1), flag(a, 2)));
            r.op(
                    "aten::_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar "
                            + "padding_value, "
                            + "int total_length) -> (Tensor, Tensor)",
                    a -> padPacked(tensor(a, 0), tensor(a, 1), flag(a, 2), real(a, 3), int32(a, 4)),
                    OperatorTrait.DATA_DEPENDENT);
        }

        private static Object packPadded(Tensor input, Tensor lengths, boolean batchFirst) {
            Tensor timeFirst = batchFirst ? swapped(input) : input;
            int[] own = new int[(int) lengths.numel()];
            for (int b = 0; b < own.length; b++) {
                long length = lengths.getLong(b);
                boolean fits = length > 0 && length <= timeFirst.size(0) && (b == 0 || length <= own[b - 1]);
                if (!fits) {
                    throw new IllegalArgumentException(
                            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True; "
                                    + "each of 1 to " + timeFirst.size(0) + ", found " + length);
                }
                own[b] = (int) length;
            }
            if (own.length == 0 || own.length != timeFirst.size(1)) {
                throw new IllegalArgumentException("Expected `len(lengths)` to be equal to batch_size, but got "
                        + own.length + " (batch_size=" + timeFirst.size(1) + ")");
            }
            Tensor inside =
                    timeFirst.asStrided(withTime(timeFirst.sizes(), own[0]), timeFirst.strides(), timeFirst.offset());
            long[] sizes = new long[own[0]];
            for (int t = 0; t < sizes.length; t++) {
                int step = t;
                sizes[t] = Arrays.stream(own).filter(length -> length > step).count();
            }
            return new Object[] {
                new PackedSequences(own[0], own, 0).pack(inside), Elements.ofLongs(DType.INT64, sizes, sizes.length)
            };
        }

        private static Object padPacked(
                Tensor data, Tensor batchSizes, boolean batchFirst, double padding, int totalLength) {
            PackedSequences sequences = of(data, batchSizes);
            if (totalLength > 0 && totalLength < sequences.time()) {
                throw new IllegalArgumentException(
                        "Expected total_length to be at least the length of the longest sequence in input, but got "
                                + "total_length=" + totalLength + " and max sequence length being " + sequences.time());
            }
            int time = Math.max(totalLength, sequences.time());
            Tensor padded = sequences.padded(data, time, padding);
            long[] lengths = Arrays.stream(sequences.lengths()).asLongStream().toArray();
            return new Object[] {
                batchFirst ? swapped(padded) : padded, Elements.ofLongs(DType.INT64, lengths, lengths.length)
            };
        }

        private static Tensor swapped(Tensor t) {
            int[] order = new int[t.rank()];
            Arrays.setAll(order, d -> d == 0 ? 1 : d == 1 ? 0 : d);
            return t.permute(order);
        }

        private static int[] withTime(int[] sizes, int time) {
            int[] out = sizes.clone();
            out[0] = time;
            return out;
        }
    }
}
