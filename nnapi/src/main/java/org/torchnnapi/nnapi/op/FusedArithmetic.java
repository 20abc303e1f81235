package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;

import org.torchnnapi.nnapi.model.OperationType;

/** An arithmetic operation on two tensors that broadcast, with a fused activation. */
abstract class FusedArithmetic extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("a", "b", "activation");
    static final int A = INPUTS.at("a");
    static final int B = INPUTS.at("b");
    static final int ACTIVATION = INPUTS.at("activation");

    /** Signatures with what all operations of the family demand. */
    static Signatures.Builder described() {
        return Signatures.builder(INPUTS).rank("a", 1, 4).rank("b", 1, 4).range("activation", 0, 3);
    }

    FusedArithmetic(OperationType type, Signatures signatures) {
        super(type, signatures);
    }

    /** The operation on real numbers, in float for floats and in double for what quantized elements stand for. */
    abstract float apply(float a, float b);

    abstract double apply(double a, double b);

    /** The operation on TENSOR_INT32 elements. */
    abstract int apply(int a, int b);

    @Override
    protected void check(ValidationContext operation) {
        if (operation.type(A) == TENSOR_INT32) {
            operation.requireInt(ACTIVATION, 0, 0);
        }
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        FusedActivation activation = operation.activation(ACTIVATION);
        operation.require(
                operation.type(A) != TENSOR_INT32 || activation == FusedActivation.NONE,
                "fused activation",
                activation,
                "NONE for TENSOR_INT32");
        operation.setOutput(OUT, Broadcast.shape(operation, A, B));
    }

    @Override
    public void execute(ExecutionContext operation) {
        if (operation.type(A) == TENSOR_INT32) {
            Broadcast.ints(operation, A, B, OUT, this::apply);
        } else if (operation.type(A).isQuantized()) {
            quantized(operation);
        } else {
            FusedActivation activation = operation.activation(ACTIVATION);
            Broadcast.reals(operation, A, B, OUT, (a, b) -> activation.apply(apply(a, b)));
        }
    }

    /** A sum of two elements in steps of the result. */
    interface Steps {
        long of(int elementA, int elementB);
    }

    /** The operation on stored integers where it has a form of its own, or null. */
    Steps steps(ExecutionContext operation) {
        return null;
    }

    private void quantized(ExecutionContext operation) {
        Steps steps = steps(operation);
        IntView storedA = operation.ints(A);
        IntView storedB = operation.ints(B);
        FusedActivation activation = operation.activation(ACTIVATION);
        FloatView a = operation.floats(A);
        FloatView b = operation.floats(B);
        IntView out = operation.outInts(OUT);
        double scale = operation.outScale(OUT);
        int zeroPoint = operation.outZeroPoint(OUT);
        long low = activation.quantizedLow((float) scale, zeroPoint);
        long high = activation.quantizedHigh((float) scale, zeroPoint);
        Broadcast.forEach(operation.dims(A), operation.dims(B), operation.outDims(OUT), (i, j, k) -> {
            long value = zeroPoint
                    + (steps != null
                            ? steps.of(storedA.get(j), storedB.get(k))
                            : RoundingArithmetic.halfEven(apply(a.getExact(j), b.getExact(k)) / scale));
            out.setSaturated(i, Math.max(low, Math.min(high, value)));
        });
    }
}
