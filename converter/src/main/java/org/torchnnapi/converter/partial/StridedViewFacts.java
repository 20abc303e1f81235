package org.torchnnapi.converter.partial;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Value;

/**
 * A view by strides as elements of the tensor it was taken of, by their numbers in row-major order, whatever order they
 * have in memory.
 *
 * @param numbers of the elements, in the view's row-major order
 * @param run how many of them follow each other in both, from a multiple of as many on
 * @param sizes of the view
 * @param all elements of the tensor
 */
record StridedViewFacts(int[] numbers, int run, int[] sizes, int all) {
    /** Elements of memory that are looked through for one of a tensor. */
    private static final int SPREAD = 16;

    /**
     * @param offset where the view begins in the tensor's storage, in elements
     * @return null if the view has elements that the tensor lacks, or the tensor's are far apart
     */
    static StridedViewFacts of(Tensor in, int[] sizes, int[] strides, int offset) {
        int[] memory = places(in);
        int first = Arrays.stream(memory).min().orElse(0);
        int span = Arrays.stream(memory).max().orElse(-1) - first + 1;
        if (span > (long) SPREAD * memory.length) {
            return null;
        }
        int[] held = new int[span];
        Arrays.fill(held, -1);
        for (int i = memory.length - 1; i >= 0; i--) {
            held[memory[i] - first] = i;
        }
        int[] numbers = places(in.asStrided(sizes, strides, offset));
        for (int i = 0; i < numbers.length; i++) {
            int at = numbers[i] - first;
            if (at < 0 || at >= span || held[at] < 0) {
                return null;
            }
            numbers[i] = held[at];
        }
        return new StridedViewFacts(numbers, run(numbers, sizes, memory.length), sizes.clone(), memory.length);
    }

    /** Where a tensor's elements lie, in row-major order. */
    private static int[] places(Tensor t) {
        return LongStream.range(0, t.numel()).mapToInt(t::place).toArray();
    }

    private static int run(int[] numbers, int[] sizes, int all) {
        int run = 1;
        for (int d = sizes.length - 1; d >= 0; d--) {
            int longer = run * sizes[d];
            boolean follow = longer > 0 && all % longer == 0;
            for (int i = 0; follow && i < numbers.length; i++) {
                follow = i % longer == 0 ? numbers[i] % longer == 0 : numbers[i] == numbers[i - 1] + 1;
            }
            if (!follow) {
                break;
            }
            run = longer;
        }
        return run;
    }

    /** The view's elements, picked of {@code in} as rows of those that follow each other. */
    Value picked(AbstractInterpreter interpreter, ResidualGraph residual, Value in, DType dtype) {
        if (run == 1) {
            long[] each = Arrays.stream(numbers).asLongStream().toArray();
            Tensor places = Tensor.of(each, sizes);
            return residual.tensor("aten::take", in, places);
        }
        long[] rows = new long[numbers.length / run];
        Arrays.setAll(rows, i -> numbers[i * run] / run);
        Value table = interpreter.tensor(residual.reshape(in, new int[] {all / run, run}), dtype, all / run, run);
        Value picked = interpreter.tensor(
                residual.indexSelect(table, 0, Tensor.of(rows, rows.length)), dtype, rows.length, run);
        return residual.reshape(picked, sizes);
    }
}
