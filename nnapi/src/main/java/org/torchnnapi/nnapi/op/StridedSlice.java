package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Every stride-th element from begin to before end along each axis. Negative positions count from the end, positions
 * past the tensor are cut. A bit of a mask stands for an axis: begin and end mask ignore the position, the shrink mask
 * drops an axis along which exactly one element is taken.
 */
final class StridedSlice extends OperationDefinition {
    private static final OperandNames INPUTS =
            OperandNames.of("input", "begin", "end", "strides", "beginMask", "endMask", "shrinkMask");
    private static final int INPUT = INPUTS.at("input");
    private static final int BEGIN = INPUTS.at("begin");
    private static final int END = INPUTS.at("end");
    private static final int STRIDES = INPUTS.at("strides");
    private static final int BEGIN_MASK = INPUTS.at("beginMask");
    private static final int END_MASK = INPUTS.at("endMask");
    private static final int SHRINK_MASK = INPUTS.at("shrinkMask");

    /** The elements taken along one axis: {@code count} from {@code start} on, {@code stride} apart. */
    private record Range(int start, int stride, int count) {}

    StridedSlice() {
        super(
                OperationType.STRIDED_SLICE,
                Signatures.builder(INPUTS)
                        .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, TENSOR_INT32, TENSOR_INT32, TENSOR_INT32, INT32, INT32, INT32)
                        .rank("input", 1, 4)
                        .rank("begin", 1)
                        .rank("end", 1)
                        .rank("strides", 1)
                        .sameQuantization("input", "output")
                        .build());
    }

    private static boolean shrinks(OperationContext operation, int axis) {
        return (operation.intValue(SHRINK_MASK) >> axis & 1) != 0;
    }

    private static Range[] ranges(OperationContext operation) {
        int[] dims = operation.dims(INPUT);
        int[] begin = operation.intArray(BEGIN);
        int[] end = operation.intArray(END);
        int[] strides = operation.intArray(STRIDES);
        Range[] ranges = new Range[dims.length];
        for (int i = 0; i < dims.length; i++) {
            operation.require(strides[i] != 0, "stride of axis " + i, strides[i], "not 0");
            boolean fromStart = (operation.intValue(BEGIN_MASK) >> i & 1) != 0;
            boolean toEnd = (operation.intValue(END_MASK) >> i & 1) != 0;
            ranges[i] = range(dims[i], fromStart, begin[i], toEnd, end[i], strides[i]);
            if (shrinks(operation, i)) {
                operation.require(strides[i] > 0, "stride of axis " + i, strides[i], "> 0, as the axis is dropped");
                operation.require(
                        ranges[i].count == 1, "elements along axis " + i, ranges[i].count, "1, as the axis is dropped");
            }
        }
        return ranges;
    }

    private static Range range(int size, boolean fromStart, int begin, boolean toEnd, int end, int stride) {
        int low = stride > 0 ? 0 : -1;
        int high = stride > 0 ? size : size - 1;
        int start = fromStart ? (stride > 0 ? low : high) : clamp(begin < 0 ? (long) begin + size : begin, low, high);
        int stop = toEnd ? (stride > 0 ? high : low) : clamp(end < 0 ? (long) end + size : end, low, high);
        long span = stride > 0 ? (long) stop - start : (long) start - stop;
        long step = Math.abs((long) stride);
        return new Range(start, stride, span <= 0 ? 0 : (int) ((span + step - 1) / step));
    }

    private static int clamp(long value, int low, int high) {
        return (int) Math.max(low, Math.min(high, value));
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int rank = operation.rank(INPUT);
        operation.requireDims(BEGIN, rank);
        operation.requireDims(END, rank);
        operation.requireDims(STRIDES, rank);
        Range[] ranges = ranges(operation);
        int[] dims = IntStream.range(0, rank)
                .filter(i -> !shrinks(operation, i))
                .map(i -> ranges[i].count)
                .toArray();
        operation.setOutput(OUT, dims.length == 0 ? new int[] {1} : dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        Range[] ranges = ranges(operation);
        int[] strides = Dims.strides(operation.dims(INPUT));
        int[] counts = Arrays.stream(ranges).mapToInt(Range::count).toArray();
        int origin = 0;
        for (int i = 0; i < ranges.length; i++) {
            origin += ranges[i].start * strides[i];
            strides[i] *= ranges[i].stride;
        }
        int[] position = new int[counts.length];
        for (int i = 0; i < operation.outCount(OUT); i++) {
            operation.outInts(OUT).set(i, operation.ints(INPUT).get(origin + Dims.offset(position, strides)));
            Dims.next(position, counts);
        }
    }
}
