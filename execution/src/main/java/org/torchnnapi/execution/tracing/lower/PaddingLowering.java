package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Padding by a constant, or by elements at and behind the edges. */
final class PaddingLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add(
                "aten::constant_pad_nd",
                (lowered, node, a) -> pad(lowered, Args.tensor(a, 0), Args.ints(a, 1), Args.real(a, 2)));
        r.add("aten::pad", (lowered, node, a) -> {
            if (!"constant".equals(a[2])) {
                return ofElements(lowered, Args.tensor(a, 0), Args.ints(a, 1), (String) a[2]);
            }
            return pad(lowered, Args.tensor(a, 0), Args.ints(a, 1), a[3] == null ? 0 : Args.real(a, 3));
        });
        for (int d = 1; d <= 3; d++) {
            int sides = 2 * d;
            r.add(
                    "aten::reflection_pad" + d + "d",
                    (lowered, node, a) -> ofElements(lowered, Args.tensor(a, 0), sides(a, sides), "reflect"));
            r.add(
                    "aten::replication_pad" + d + "d",
                    (lowered, node, a) -> ofElements(lowered, Args.tensor(a, 0), sides(a, sides), "replicate"));
        }
    }

    private static int[] sides(Object[] a, int count) {
        int[] padding = Args.ints(a, 1);
        Support.require(padding.length == count, "two numbers a dimension");
        return padding;
    }

    private static int padded(int size, int before, int after) {
        long padded = (long) size + before + after;
        Support.require(padded == (int) padded, "a size that fits 32 bits");
        return (int) padded;
    }

    /** @param padding numbers before and behind, of the last dimension first */
    private static Tensor ofElements(Lowered lowered, Tensor t, int[] padding, String mode) {
        int rank = t.rank();
        Support.require(padding.length % 2 == 0 && padding.length <= 2 * rank, "two numbers a dimension");
        int[][] sources = new int[rank][];
        for (int i = 0; i < padding.length / 2; i++) {
            int size = t.size(rank - 1 - i);
            int before = padding[2 * i];
            int padded = padded(size, before, padding[2 * i + 1]);
            int limit = mode.equals("reflect") ? size - 1 : mode.equals("circular") ? size : Integer.MAX_VALUE;
            Support.require(
                    before <= limit && padding[2 * i + 1] <= limit && padded >= 1,
                    "padding smaller than the dimension");
            Tensors.requireRoom("places of " + padded + " elements along a dimension", (long) padded * Integer.BYTES);
            sources[rank - 1 - i] = new int[padded];
            // Going around, negative padding first cuts off what then is not met again.
            int cut = mode.equals("circular") ? Math.max(-before, 0) : 0;
            int kept = mode.equals("circular") ? size - cut - Math.max(-padding[2 * i + 1], 0) : size;
            Support.require(kept > 0, "padding that leaves something");
            for (int k = 0; k < padded; k++) {
                sources[rank - 1 - i][k] = cut + source(k - before - cut, kept, mode);
            }
        }
        return ArrangementLowering.pick(lowered, t, sources, ArrangementLowering.dense(t, sources));
    }

    /** The place inside for one that may be before or behind. */
    private static int source(int place, int size, String mode) {
        return switch (mode) {
            case "reflect" -> place < 0 ? -place : place >= size ? 2 * (size - 1) - place : place;
            case "replicate" -> Math.max(0, Math.min(place, size - 1));
            case "circular" -> Math.floorMod(place, size);
            default -> throw new NotLoweredException(mode + " (expected: reflect, replicate or circular)");
        };
    }

    /** @param padding numbers before and behind, of the last dimension first */
    private static Tensor pad(Lowered lowered, Tensor t, int[] padding, double value) {
        int rank = t.rank();
        Support.require(padding.length % 2 == 0 && padding.length <= 2 * rank, "two numbers a dimension");
        int[] before = new int[rank];
        int[] after = new int[rank];
        int[] sizes = t.sizes().clone();
        for (int i = 0; i < padding.length / 2; i++) {
            int d = rank - 1 - i;
            before[d] = padding[2 * i];
            after[d] = padding[2 * i + 1];
            sizes[d] = padded(sizes[d], before[d], after[d]);
        }
        float filler = (float) value;
        if (t.dtype() != DType.FLOAT32) {
            Support.require(Support.isBytes(t), "float32 or bytes");
            Tensor one = QuantizedMath.quantize(Tensor.of(new float[] {filler}), t.quantization(), t.dtype());
            filler = QuantizedMath.ints(one)[0];
        }
        return lowered.compute(
                new PadOp(before, after, filler),
                Lowered.tensor(t.dtype(), t.quantization(), MemoryOrder.suggested(t), sizes),
                t);
    }
}
