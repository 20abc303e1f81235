package org.torchnnapi.operators.support;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.Tensor;

/**
 * Rows of small integers, each followed by its scale and offset, as PyTorch packs embedding tables: {@code real = scale
 * * integer + offset}. Rows of 8 bits have both in float32, those of 4 and 2 bits in float16 and several elements a
 * byte, the first in the low bits.
 */
public final class FusedRows {
    private static final float EPSILON = 1e-8f;

    private final ByteBuffer bytes;
    private final int count;
    private final int rowBytes;
    private final int bits;

    private FusedRows(byte[] bytes, int count, int rowBytes, int bits) {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.count = count;
        this.rowBytes = rowBytes;
        this.bits = bits;
    }

    /**
     * @param fused uint8, rows in its last dimension
     * @throws IllegalArgumentException if it is of another type, or its rows have no room for a scale and an offset
     */
    public static FusedRows of(Tensor fused, int bits) {
        if (fused.dtype() != DType.UINT8 || fused.rank() < 1 || fused.size(-1) < parameterBytes(bits)) {
            throw new IllegalArgumentException(
                    "weight: " + fused + " (expected: uint8, rows of " + parameterBytes(bits) + " bytes and more)");
        }
        Tensor dense = fused.contiguous();
        byte[] bytes =
                Arrays.copyOfRange(dense.storage().byteArray(), dense.offset(), dense.offset() + (int) dense.numel());
        return new FusedRows(bytes, bytes.length / fused.size(-1), fused.size(-1), bits);
    }

    /** Rows of integers that are quantized already, one a byte; {@code offsets} are real. */
    public static FusedRows of(byte[] integers, int from, int width, float[] scales, float[] offsets, int bits) {
        int own = requireWholeBytes(width, bits);
        int rowBytes = own + parameterBytes(bits);
        FusedRows rows = new FusedRows(new byte[Tensors.count(scales.length, rowBytes)], scales.length, rowBytes, bits);
        for (int row = 0; row < scales.length; row++) {
            for (int i = 0; i < width; i++) {
                rows.put(row, i, integers[from + row * width + i]);
            }
            rows.put(row, scales[row], offsets[row]);
        }
        return rows;
    }

    /**
     * Quantizes rows of real numbers, each by its own range.
     *
     * @param range least and greatest number of a row, or null for those that it has
     * @return uint8, rows that are {@link #of} that many bits
     */
    public static Tensor quantize(Tensor weight, int bits, UnaryOperator<float[]> range) {
        float[] values = Elements.floats(weight);
        int width = weight.size(-1);
        int rowBytes = requireWholeBytes(width, bits) + parameterBytes(bits);
        int[] sizes = weight.sizes().clone();
        sizes[sizes.length - 1] = rowBytes;
        byte[] bytes = new byte[Tensors.count(sizes)];
        FusedRows rows = new FusedRows(bytes, bytes.length / rowBytes, rowBytes, bits);
        for (int row = 0; row < rows.count; row++) {
            float[] own = Arrays.copyOfRange(values, row * width, (row + 1) * width);
            rows.quantize(row, own, range == null ? range(own) : range.apply(own));
        }
        return Tensor.of(DType.UINT8, bytes, sizes);
    }

    private void quantize(int row, float[] values, float[] range) {
        int greatest = (1 << bits) - 1;
        float least = range[0];
        if (bits == Byte.SIZE) {
            float inverse = greatest / (range[1] - least + EPSILON);
            for (int i = 0; i < values.length; i++) {
                put(row, i, (int) Math.rint((values[i] - least) * inverse));
            }
            put(row, (range[1] - least) / greatest, least);
            return;
        }
        least = half(least);
        float scale = halfScale(range[1] - least, greatest);
        float inverse = scale == 0 ? 1 : 1 / scale;
        if (scale == 0 || Float.isInfinite(inverse)) {
            scale = 1;
            inverse = 1;
        }
        for (int i = 0; i < values.length; i++) {
            put(row, i, (int) Math.max(0, Math.min(greatest, Math.rint((values[i] - least) * inverse))));
        }
        put(row, scale, least);
    }

    private static float halfScale(float range, int greatest) {
        return range == 0 ? 1 : half(range / greatest);
    }

    private static float half(float x) {
        return Half.toFloat(Half.fromFloat(x));
    }

    /** Of no numbers, nothing: {0, 0}. */
    private static float[] range(float[] values) {
        if (values.length == 0) {
            return new float[2];
        }
        float least = values[0];
        float greatest = values[0];
        for (float value : values) {
            least = Math.min(least, value);
            greatest = Math.max(greatest, value);
        }
        return new float[] {least, greatest};
    }

    /**
     * A range in whose steps the numbers are met best: its ends move inwards by the steps of {@code bins}, always the
     * better one, until {@code ratio} of the range is cut away, and the best of what was tried before it got worse is
     * kept.
     */
    public static float[] optimizedRange(float[] values, int bins, double ratio, int bits) {
        if (bins < 1 || bits < 1 || bits > Byte.SIZE) {
            throw new IllegalArgumentException("bins: " + bins + ", bits: " + bits + " (expected: >= 1, and 1 to 8)");
        }
        float[] best = range(values);
        float low = best[0];
        float high = best[1];
        float step = (high - low) / bins;
        float narrowest = (int) (bins * (1.0 - (float) ratio)) * step;
        float loss = loss(values, low, high, bits);
        float bestLoss = loss;
        while (low + narrowest < high) {
            float fromBelow = loss(values, low + step, high, bits);
            float fromAbove = loss(values, low, high - step, bits);
            if (loss < fromBelow && loss < fromAbove && loss < bestLoss) {
                bestLoss = loss;
                best = new float[] {low, high};
            }
            float before = low;
            float after = high;
            if (fromBelow < fromAbove) {
                low += step;
                loss = fromBelow;
            } else {
                high -= step;
                loss = fromAbove;
            }
            if (low == before && high == after) {
                throw new IllegalArgumentException(
                        "range: " + low + " to " + high + " (expected: wide enough for " + bins + " steps)");
            }
        }
        return best;
    }

    /** The Euclidean distance between numbers and what is left of them. */
    private static float loss(float[] values, float least, float greatest, int bits) {
        float from = half(least);
        int steps = (1 << bits) - 1;
        float scale = halfScale(greatest - from, steps);
        float inverse = scale == 0 ? 1 : 1 / scale;
        float sum = 0;
        for (float value : values) {
            float integer = (float) Math.max(0, Math.min(steps, Math.rint((value - from) * inverse)));
            float distance = value - (integer * scale + from);
            sum += distance * distance;
        }
        return (float) Math.sqrt(sum);
    }

    /** Elements of a row. */
    public int width() {
        return (rowBytes - parameterBytes(bits)) * (Byte.SIZE / bits);
    }

    /**
     * Adds a row times a factor, each element rounded once.
     *
     * @throws IllegalArgumentException if there is no such row
     */
    public void add(long row, float factor, float[] out, int at) {
        if (row < 0 || row >= count) {
            throw new IllegalArgumentException("index: " + row + " (expected: within the " + count + " rows)");
        }
        int r = (int) row;
        double scale = factor * scale(r);
        float offset = factor * offset(r);
        for (int i = 0; i < width(); i++) {
            out[at + i] = (float) (scale * integer(r, i) + (out[at + i] + offset));
        }
    }

    /** The real numbers, in a tensor whose rows are those of {@code fusedSizes}. */
    public Tensor dequantized(int[] fusedSizes) {
        int[] sizes = fusedSizes.clone();
        sizes[sizes.length - 1] = width();
        Tensor out = Tensors.empty(DType.FLOAT32, sizes);
        float[] y = out.storage().floatArray();
        for (int row = 0; row < count; row++) {
            float scale = scale(row);
            float offset = offset(row);
            for (int i = 0; i < width(); i++) {
                y[row * width() + i] = scale * integer(row, i) + offset;
            }
        }
        return out;
    }

    private int integer(int row, int i) {
        int perByte = Byte.SIZE / bits;
        return bytes.get(row * rowBytes + i / perByte) >> i % perByte * bits & (1 << bits) - 1;
    }

    private void put(int row, int i, int integer) {
        int perByte = Byte.SIZE / bits;
        int at = row * rowBytes + i / perByte;
        bytes.put(at, (byte) (bytes.get(at) | (integer & (1 << bits) - 1) << i % perByte * bits));
    }

    private void put(int row, float scale, float offset) {
        int at = (row + 1) * rowBytes - parameterBytes(bits);
        if (bits == Byte.SIZE) {
            bytes.putFloat(at, scale).putFloat(at + Float.BYTES, offset);
        } else {
            bytes.putShort(at, Half.fromFloat(scale)).putShort(at + Short.BYTES, Half.fromFloat(offset));
        }
    }

    private float scale(int row) {
        int at = (row + 1) * rowBytes - parameterBytes(bits);
        return bits == Byte.SIZE ? bytes.getFloat(at) : Half.toFloat(bytes.getShort(at));
    }

    private float offset(int row) {
        int at = (row + 1) * rowBytes - parameterBytes(bits) / 2;
        return bits == Byte.SIZE ? bytes.getFloat(at) : Half.toFloat(bytes.getShort(at));
    }

    private static int parameterBytes(int bits) {
        return bits == Byte.SIZE ? 2 * Float.BYTES : 2 * Short.BYTES;
    }

    /**
     * Bytes of the elements of a row.
     *
     * @throws IllegalArgumentException if the last byte would not be full
     */
    public static int requireWholeBytes(int width, int bits) {
        int perByte = Byte.SIZE / bits;
        if (width % perByte != 0) {
            throw new IllegalArgumentException("columns: " + width + " (expected: a multiple of " + perByte
                    + ", which share a byte of " + bits + "-bit elements)");
        }
        return width / perByte;
    }
}
