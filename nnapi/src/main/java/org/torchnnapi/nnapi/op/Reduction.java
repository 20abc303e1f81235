package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * A reduction of some axes of a tensor of rank 1 to 4. Negative axes count from the end, an axis may be named twice.
 * Without {@code keepDims} the reduced axes go away; if all do, the result has shape [1].
 */
abstract class Reduction extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "axes", "keepDims");
    static final int INPUT = INPUTS.at("input");
    static final int AXES = INPUTS.at("axes");
    static final int KEEP_DIMS = INPUTS.at("keepDims");

    /** Signatures with what all operations of the family demand. */
    static Signatures.Builder described() {
        return Signatures.builder(INPUTS).rank("input", 1, 4).rank("axes", 1).sameQuantization("input", "output");
    }

    Reduction(OperationType type, Signatures signatures) {
        super(type, signatures);
    }

    /** The reduction of no elements. */
    abstract double identity();

    abstract double combine(double reduced, double element);

    /** What becomes of the reduction of {@code count} elements. */
    double finish(double reduced, int count) {
        return reduced;
    }

    private static boolean[] reduced(OperationContext operation) {
        int rank = operation.rank(INPUT);
        boolean[] reduced = new boolean[rank];
        for (int axis : operation.intArray(AXES)) {
            reduced[operation.axis(axis, rank)] = true;
        }
        return reduced;
    }

    /** The shape with every reduced axis as 1. */
    private static int[] kept(int[] dims, boolean[] reduced) {
        int[] kept = dims.clone();
        for (int i = 0; i < kept.length; i++) {
            kept[i] = reduced[i] ? 1 : kept[i];
        }
        return kept;
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        boolean[] reduced = reduced(operation);
        int[] kept = kept(operation.dims(INPUT), reduced);
        if (operation.intValue(KEEP_DIMS) > 0) {
            operation.setOutput(OUT, kept);
            return;
        }
        int[] dims = IntStream.range(0, kept.length)
                .filter(i -> !reduced[i])
                .map(i -> kept[i])
                .toArray();
        operation.setOutput(OUT, dims.length == 0 ? new int[] {1} : dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int[] kept = kept(dims, reduced(operation));
        int[] strides = Dims.broadcastStrides(kept, dims);
        boolean logical = operation.type(INPUT) == TENSOR_BOOL8;
        FloatView reals = logical ? null : operation.floats(INPUT);
        IntView ints = operation.ints(INPUT);
        // With one scale on both sides a quantized reduction is exact in steps above the zero point.
        boolean steps = operation.type(INPUT).isQuantized()
                && operation.scale(INPUT) == operation.outScale(OUT)
                && operation.zeroPoint(INPUT) == operation.outZeroPoint(OUT);
        int zeroPoint = steps ? operation.zeroPoint(INPUT) : 0;
        double[] results = new double[operation.outCount(OUT)];
        Arrays.fill(results, identity());
        int[] position = new int[dims.length];
        for (int i = 0; i < operation.count(INPUT); i++) {
            int at = Dims.offset(position, strides);
            results[at] =
                    combine(results[at], logical ? ints.get(i) : steps ? ints.get(i) - zeroPoint : reals.getExact(i));
            Dims.next(position, dims);
        }
        int count = operation.count(INPUT) / Math.max(1, results.length);
        for (int i = 0; i < results.length; i++) {
            double result = finish(results[i], count);
            if (logical) {
                operation.outInts(OUT).set(i, (int) result);
            } else if (steps) {
                operation.outInts(OUT).setSaturated(i, RoundingArithmetic.halfEven(result) + zeroPoint);
            } else {
                operation.outFloats(OUT).setExact(i, result);
            }
        }
    }
}
