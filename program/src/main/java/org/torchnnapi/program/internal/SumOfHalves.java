package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** The images whose halves a {@link HalvedConvolution} made. */
record SumOfHalves() implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return HalvedConvolution.sum(inputs.get(0));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return null;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.all(1, actual[0]);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int size = out.imageSize();
        return Step.elementwise(out.size(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (begin, count) -> {
                for (int at = begin, some; at < begin + count; at += some) {
                    int image = at / size;
                    some = Math.min(begin + count, (image + 1) * size) - at;
                    int first = in.at(memory) + image * size + at;
                    ElementwiseOps.binary(
                            BinaryOp.ADD, from, first, from, first + size, to, out.at(memory) + at, some, Clamp.NONE);
                }
            };
        });
    }

    @Override
    public String label() {
        return "split-k sum";
    }
}
