package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.StridedAxes;
import org.torchnnapi.kernels.TransposeKernel;
import org.torchnnapi.program.ArrayType;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Axes in another order. Between NCHW and NHWC it is no work: what lay as it was declared before then lies otherwise
 * than declared.
 *
 * @param permutation by the axis of the result, that of the input
 */
public record TransposeOp(int[] permutation) implements Op {
    private static final int[] TO_NHWC = {0, 2, 3, 1};
    private static final int[] TO_NCHW = {0, 3, 1, 2};

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        int[] shape = new int[in.rank()];
        boolean[] taken = new boolean[shape.length];
        boolean fits = permutation.length == shape.length;
        for (int i = 0; fits && i < shape.length; i++) {
            fits = permutation[i] >= 0 && permutation[i] < shape.length && !taken[permutation[i]];
            if (fits) {
                taken[permutation[i]] = true;
                shape[i] = in.dimension(permutation[i]);
            }
        }
        if (!fits) {
            throw new IllegalArgumentException(
                    "permutation: " + Arrays.toString(permutation) + " (expected: each axis of " + in + " once)");
        }
        return in.withShape(shape);
    }

    /** How the result lies if its elements stay where they are; null if there is no name for that. */
    private ImageStorage turned(ImageStorage storage) {
        if (Arrays.equals(permutation, TO_NHWC)) {
            return switch (storage) {
                case DECLARED -> ImageStorage.CHANNELS_FIRST;
                case CHANNELS_LAST -> ImageStorage.DECLARED;
                case BLOCKED_NCHW -> ImageStorage.BLOCKED_NHWC;
                default -> null;
            };
        }
        if (Arrays.equals(permutation, TO_NCHW)) {
            return switch (storage) {
                case DECLARED -> ImageStorage.CHANNELS_LAST;
                case CHANNELS_FIRST -> ImageStorage.DECLARED;
                case BLOCKED_NHWC -> ImageStorage.BLOCKED_NCHW;
                default -> null;
            };
        }
        return null;
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        for (ImageStorage storage : ImageStorage.values()) {
            if (output != null && turned(storage) == output) {
                return storage;
            }
        }
        return turned(ImageStorage.DECLARED) != null && output == null ? null : ImageStorage.DECLARED;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        if (inputs.get(0).element().store() == ArrayType.INTS) {
            return LayoutAssignment.declared(1);
        }
        ImageStorage input = turned(actual[0]) == null ? ImageStorage.DECLARED : actual[0];
        ImageStorage output = turned(input);
        return new LayoutAssignment(new ImageStorage[] {input}, output == null ? ImageStorage.DECLARED : output);
    }

    @Override
    public int view(Operands operands) {
        if (operands.out().storage() == turned(operands.in(0).storage())) {
            return 0;
        }
        int last = -1;
        boolean ordered = true;
        for (int axis : permutation) {
            if (operands.in(0).type().dimension(axis) > 1) {
                ordered &= axis > last;
                last = axis;
            }
        }
        return ordered ? 0 : -1;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        if (in.type().element().store() == ArrayType.INTS) {
            return copy(in, out);
        }
        TransposeKernel transpose = TransposeKernel.plan(in.type().shape(), permutation);
        return new Step(transpose.units(), memory -> {
            if (in.isFloat()) {
                float[] from = in.floats(memory);
                float[] to = out.floats(memory);
                return (begin, end) -> transpose.run(from, in.at(memory), to, out.at(memory), begin, end);
            }
            byte[] from = in.bytes(memory);
            byte[] to = out.bytes(memory);
            return (begin, end) -> transpose.run(from, in.at(memory), to, out.at(memory), begin, end);
        });
    }

    /** Of 32-bit numbers, which are few. */
    private Step copy(PlacedValue in, PlacedValue out) {
        int[] steps = StridedAxes.steps(in.type().shape());
        int[] from = new int[steps.length];
        Arrays.setAll(from, axis -> steps[permutation[axis]]);
        return new StridedBlock(
                        out.type().shape(),
                        0,
                        from,
                        0,
                        StridedAxes.steps(out.type().shape()))
                .merged()
                .step(in, out);
    }

    @Override
    public String label() {
        return "transpose";
    }
}
