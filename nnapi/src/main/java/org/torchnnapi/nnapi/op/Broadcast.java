package org.torchnnapi.nnapi.op;

import java.util.Arrays;
import java.util.function.IntBinaryOperator;

/** Walks two operands broadcast to one shape. */
public final class Broadcast {
    /** Receives the element indexes that belong together. */
    @FunctionalInterface
    public interface Visitor {
        void visit(int out, int a, int b);
    }

    /** A function of two real numbers. */
    @FunctionalInterface
    public interface RealFunction {
        float apply(float a, float b);
    }

    private Broadcast() {}

    /**
     * The broadcast shape of two inputs of rank 1 to 4.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if they do not broadcast
     */
    public static int[] shape(OperationContext operation, int inputA, int inputB) {
        int[] dims = Dims.broadcast(operation.dims(inputA), operation.dims(inputB));
        if (dims == null) {
            throw operation.illegal(
                    "shape of input " + inputB,
                    Arrays.toString(operation.dims(inputB)),
                    "broadcast compatible with " + Arrays.toString(operation.dims(inputA)));
        }
        return dims;
    }

    /**
     * Visits every element of {@code out} in row-major order with the elements of {@code a} and {@code b} it is made
     * from.
     */
    public static void forEach(int[] a, int[] b, int[] out, Visitor visitor) {
        int[] stridesA = Dims.broadcastStrides(a, out);
        int[] stridesB = Dims.broadcastStrides(b, out);
        int[] position = new int[out.length];
        int count = Dims.product(out);
        for (int i = 0; i < count; i++) {
            visitor.visit(i, Dims.offset(position, stridesA), Dims.offset(position, stridesB));
            Dims.next(position, out);
        }
    }

    /** Writes a function of the real numbers of two inputs to an output of their broadcast shape. */
    static void reals(ExecutionContext operation, int inputA, int inputB, int output, RealFunction function) {
        FloatView a = operation.floats(inputA);
        FloatView b = operation.floats(inputB);
        FloatView out = operation.outFloats(output);
        forEach(
                operation.dims(inputA),
                operation.dims(inputB),
                operation.outDims(output),
                (i, j, k) -> out.set(i, function.apply(a.get(j), b.get(k))));
    }

    /** The same with stored integers. */
    static void ints(ExecutionContext operation, int inputA, int inputB, int output, IntBinaryOperator function) {
        IntView a = operation.ints(inputA);
        IntView b = operation.ints(inputB);
        IntView out = operation.outInts(output);
        forEach(
                operation.dims(inputA),
                operation.dims(inputB),
                operation.outDims(output),
                (i, j, k) -> out.set(i, function.applyAsInt(a.get(j), b.get(k))));
    }
}
