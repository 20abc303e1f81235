package org.torchnnapi.nnapi.op;

/** Elements put before and after a tensor along each axis, by counts {@code [rank, 2]}. */
final class Padding {
    private Padding() {}

    /** The padded shape. */
    static int[] shape(OperationContext operation, int input, int counts) {
        operation.requireDims(counts, operation.rank(input), 2);
        int[] paddings = operation.intArray(counts);
        int[] dims = operation.dims(input).clone();
        for (int i = 0; i < dims.length; i++) {
            int head = paddings[2 * i];
            int tail = paddings[2 * i + 1];
            operation.require(head >= 0 && tail >= 0, "padding of axis " + i, head + ", " + tail, ">= 0");
            operation.require(
                    (long) dims[i] + head + tail <= Integer.MAX_VALUE,
                    "padding of axis " + i,
                    head + ", " + tail,
                    "a padded size of 32 bits");
            dims[i] += head + tail;
        }
        return dims;
    }

    /** Fills the output with {@code value}, stored as it is, and puts the input into it. */
    static void execute(ExecutionContext operation, int input, int counts, int output, int value) {
        IntView from = operation.ints(input);
        IntView to = operation.outInts(output);
        for (int i = 0; i < operation.outCount(output); i++) {
            to.set(i, value);
        }
        int[] paddings = operation.intArray(counts);
        int[] dims = operation.dims(input);
        int[] strides = Dims.strides(operation.outDims(output));
        int origin = 0;
        for (int i = 0; i < dims.length; i++) {
            origin += paddings[2 * i] * strides[i];
        }
        int[] position = new int[dims.length];
        for (int i = 0; i < operation.count(input); i++) {
            to.set(origin + Dims.offset(position, strides), from.get(i));
            Dims.next(position, dims);
        }
    }
}
