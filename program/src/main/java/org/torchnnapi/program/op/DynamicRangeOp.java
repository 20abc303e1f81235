package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** The least and the greatest of some floats, and of zero, by runs of them: {@code [runs, 2]}. */
public record DynamicRangeOp() implements Op {
    /** Elements of a run. */
    private static final int RUN = 1 << 15;

    private static final int GREATEST = 255;

    @Override
    public ValueType result(List<ValueType> inputs) {
        return ValueType.floats((Require.floats("input", Require.only(inputs)).count() + RUN - 1) / RUN, 2);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int count = in.type().count();
        return new Step(out.type().dimension(0), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (begin, end) -> {
                for (int run = begin; run < end; run++) {
                    DynamicQuantization.range(
                            from,
                            in.at(memory) + run * RUN,
                            Math.min(RUN, count - run * RUN),
                            to,
                            out.at(memory) + 2 * run);
                }
            };
        });
    }

    /** Requires ranges. */
    static ValueType require(ValueType type) {
        Require.rank("ranges", Require.floats("ranges", type), 2);
        Require.sameShape("ranges", type, new int[] {type.dimension(0), 2});
        return type;
    }

    /** The parameters of unsigned bytes that cover what the ranges do. */
    static DynamicQuantization parameters(PlacedValue ranges, RunMemory memory) {
        float[] values = ranges.floats(memory);
        int at = ranges.at(memory);
        float least = 0;
        float greatest = 0;
        for (int i = 0; i < ranges.type().count(); i += 2) {
            least = Math.min(least, values[at + i]);
            greatest = Math.max(greatest, values[at + i + 1]);
        }
        return DynamicQuantization.of(least, greatest, 0, GREATEST);
    }

    @Override
    public String label() {
        return "range";
    }
}
