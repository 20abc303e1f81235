package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.StridedAxes;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Along each axis the elements at given places, in that order and as often as they are given: padding by what is at or
 * behind the edges, rolling, flipping, repeating.
 *
 * @param sources by axis the places, or null for all as they are
 */
public record ConstantGather(int[][] sources) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        if (sources.length != in.rank()) {
            throw new IllegalArgumentException(
                    "places: of " + sources.length + " axes (expected: of those of " + in + ")");
        }
        int[] shape = in.shape().clone();
        for (int axis = 0; axis < shape.length; axis++) {
            if (sources[axis] == null) {
                continue;
            }
            for (int source : sources[axis]) {
                if (source < 0 || source >= in.dimension(axis)) {
                    throw new IllegalArgumentException("place along axis " + axis + ": " + source
                            + " (expected: within the " + in.dimension(axis) + " there are)");
                }
            }
            shape[axis] = sources[axis].length;
        }
        return in.withShape(shape);
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output != null && suits(output) ? output : null;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.all(1, suits(actual[0]) ? actual[0] : ImageStorage.DECLARED);
    }

    private boolean suits(ImageStorage storage) {
        return storage == ImageStorage.DECLARED || sources[ImageStorage.channelAxis(storage.order())] == null;
    }

    /** Places that follow one another, or {@code count} times the same where {@code step} is 0. */
    private record Run(int source, int target, int count, int step) {}

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        ImageStorage storage = in.storage();
        int[] dims = axes(storage.lying(in.type().shape()));
        int[] made = axes(storage.lying(out.type().shape()));
        int[][] tables = new int[dims.length][];
        int last = 0;
        for (int axis = 0; axis < sources.length; axis++) {
            if (sources[axis] != null) {
                int lying = storage.lyingAxis(axis);
                tables[lying] = sources[axis];
                last = Math.max(last, lying);
            }
        }
        int[] steps = StridedAxes.steps(dims);
        int inner = steps[last];
        int row = made[last] * inner;
        Run[] runs = runs(tables[last] == null ? all(dims[last]) : tables[last], inner);
        int end = last;
        return new Step(out.size() / row, memory -> {
            Object from = in.array(memory);
            Object to = out.array(memory);
            return (first, behind) -> {
                for (int r = first; r < behind; r++) {
                    int source = in.at(memory) + source(r, made, tables, steps, end);
                    copy(runs, inner, from, source, to, out.at(memory) + r * row);
                }
            };
        });
    }

    /** A number is a row of one. */
    private static int[] axes(int... sizes) {
        return sizes.length == 0 ? new int[] {1} : sizes;
    }

    private static int[] all(int count) {
        int[] all = new int[count];
        Arrays.setAll(all, i -> i);
        return all;
    }

    private static Run[] runs(int[] table, int inner) {
        Run[] runs = new Run[table.length];
        int n = 0;
        for (int i = 0, end; i < table.length; i = end) {
            // Repeated single elements are filled in; what repeats more is copied again and again.
            int step = inner == 1 && i + 1 < table.length && table[i + 1] == table[i] ? 0 : 1;
            end = i + 1;
            while (end < table.length && table[end] == table[end - 1] + step) {
                end++;
            }
            runs[n++] = new Run(table[i] * inner, i * inner, (end - i) * inner, step);
        }
        return Arrays.copyOf(runs, n);
    }

    /** Where in the input a row of the result comes from. */
    private static int source(int row, int[] made, int[][] tables, int[] steps, int end) {
        int at = 0;
        int rest = row;
        for (int axis = end - 1; axis >= 0; axis--) {
            int place = rest % made[axis];
            rest /= made[axis];
            at += (tables[axis] == null ? place : tables[axis][place]) * steps[axis];
        }
        return at;
    }

    private static void copy(Run[] runs, int inner, Object from, int source, Object to, int target) {
        for (Run run : runs) {
            if (run.step == 1 || inner > 1) {
                System.arraycopy(from, source + run.source, to, target + run.target, run.count);
            } else if (from instanceof float[] floats) {
                Arrays.fill(
                        (float[]) to,
                        target + run.target,
                        target + run.target + run.count,
                        floats[source + run.source]);
            } else if (from instanceof int[] ints) {
                Arrays.fill(
                        (int[]) to, target + run.target, target + run.target + run.count, ints[source + run.source]);
            } else {
                Arrays.fill(
                        (byte[]) to,
                        target + run.target,
                        target + run.target + run.count,
                        ((byte[]) from)[source + run.source]);
            }
        }
    }

    @Override
    public String label() {
        return "constant gather";
    }
}
