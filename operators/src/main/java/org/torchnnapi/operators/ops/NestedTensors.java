package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.NestedTensor;

/** Sequences without their padding, as {@code nn.TransformerEncoder} makes them for inference, and back. */
public final class NestedTensors implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("prim::is_nested(Tensor a) -> bool", a -> a[0] instanceof NestedTensor, OperatorTrait.READS_GEOMETRY);
        r.op(
                "aten::_nested_tensor_from_mask_left_aligned(Tensor t, Tensor mask) -> bool",
                a -> isLeftAligned(mask(tensor(a, 0), tensor(a, 1))));
        r.op("aten::_nested_tensor_from_mask(Tensor t, Tensor mask, bool mask_check=True) -> Tensor", a -> {
            Tensor mask = mask(tensor(a, 0), tensor(a, 1));
            if (flag(a, 2) && !isLeftAligned(mask)) {
                throw new IllegalArgumentException("mask: " + mask
                        + " with gaps (expected: left-aligned, the steps of each sequence before its padding)");
            }
            return new NestedTensor(tensor(a, 0), leading(mask));
        });
        r.op("aten::to_padded_tensor(Tensor self, float padding, int[]? output_size=None) -> Tensor", a -> {
            if (!(a[0] instanceof NestedTensor nested)) {
                throw new IllegalArgumentException("to_padded_tensor: " + a[0] + " (expected: a nested tensor)");
            }
            return padded(nested, real(a, 1), a[2] == null ? null : ints(a, 2));
        });
    }

    private static Tensor mask(Tensor t, Tensor mask) {
        if (t.rank() != 3
                || mask.dtype() != DType.BOOL
                || mask.rank() != 2
                || mask.size(0) != t.size(0)
                || mask.size(1) != t.size(1)) {
            throw new IllegalArgumentException(
                    "mask: " + mask + " of " + t + " (expected: bool [sequences, steps] of [sequences, steps, width])");
        }
        return mask;
    }

    /** As many true ones in each row, at its beginning. */
    private static Tensor leading(Tensor mask) {
        int steps = mask.size(1);
        long[] marks = Elements.longs(mask);
        byte[] leading = new byte[marks.length];
        for (int row = 0; row < marks.length; row += steps) {
            int length = (int) Arrays.stream(marks, row, row + steps).sum();
            Arrays.fill(leading, row, row + length, (byte) 1);
        }
        return Tensor.of(DType.BOOL, leading, mask.sizes());
    }

    private static boolean isLeftAligned(Tensor mask) {
        return Arrays.equals(Elements.longs(mask), Elements.longs(leading(mask)));
    }

    /** As long as the longest sequence, or of given sizes. */
    private static Tensor padded(NestedTensor nested, double padding, int[] wanted) {
        int[] all = nested.padded().sizes();
        long[] visible = Elements.longs(nested.visible());
        int longest = 0;
        for (int i = 0; i < visible.length; i++) {
            longest = visible[i] == 0 ? longest : Math.max(longest, i % all[1] + 1);
        }
        int[] sizes = wanted == null ? new int[] {all[0], longest, all[2]} : wanted;
        if (sizes.length != 3 || sizes[0] < all[0] || sizes[1] < longest || sizes[2] < all[2]) {
            throw new IllegalArgumentException("output_size: " + Arrays.toString(sizes) + " (expected: at least ["
                    + all[0] + ", " + longest + ", " + all[2] + "])");
        }
        Tensor out = TensorFactories.filled(sizes, padding, nested.padded().dtype());
        for (int sequence = 0; sequence < all[0]; sequence++) {
            int length = (int) Arrays.stream(visible, sequence * all[1], (sequence + 1) * all[1])
                    .sum();
            int[] part = {length, all[2]};
            rows(out, sequence, part).copyFrom(rows(nested.padded(), sequence, part));
        }
        return out;
    }

    private static Tensor rows(Tensor t, int sequence, int[] sizes) {
        return t.asStrided(sizes, new int[] {t.strides()[1], t.strides()[2]}, t.offset() + sequence * t.strides()[0]);
    }
}
