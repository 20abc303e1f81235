//@ classes VectorElementwise:
package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import org.torchnnapi.kernels.BinaryOp;

/** Element-wise functions of two runs of floats, or of a run and a number: one straight loop each. */
final class VectorElementwise {
    private VectorElementwise() {
    }

    static void binary(
            BinaryOp op, float[] a, int aOffset, float[] b, int bOffset, float[] out, int outOffset, int count) {
        int body = FLOATS.loopBound(count);
        switch (op) {
            //@ each op in ADD -> add, SUB -> sub, MUL -> mul, DIV -> div, MAX -> max, MIN -> min
            case ${op}(a, aOffset, b, bOffset, out, outOffset, body);
            //@ end
            case PRELU -> prelu(a, aOffset, b, bOffset, out, outOffset, body);
        }
        for (int i = body; i < count; i++) {
            out[outOffset + i] = op.apply(a[aOffset + i], b[bOffset + i]);
        }
    }

    static void binaryScalar(BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count) {
        int body = FLOATS.loopBound(count);
        switch (op) {
            //@ each op in ADD -> add, SUB -> sub, MUL -> mul, DIV -> div, MAX -> max, MIN -> min
            case ${op}(a, aOffset, b, out, outOffset, body);
            //@ end
            case PRELU -> prelu(a, aOffset, b, out, outOffset, body);
        }
        for (int i = body; i < count; i++) {
            out[outOffset + i] = op.apply(a[aOffset + i], b);
        }
    }
    //@ each op in add, sub, mul, div, max, min

    private static void $op(float[] a, int aOffset, float[] b, int bOffset, float[] out, int outOffset, int count) {
        for (int i = 0; i < count; i += V) {
            FloatVector.fromArray(FLOATS, a, aOffset + i).$op(FloatVector.fromArray(FLOATS, b, bOffset + i))
                .intoArray(out, outOffset + i);
        }
    }

    private static void $op(float[] a, int aOffset, float b, float[] out, int outOffset, int count) {
        FloatVector right = FloatVector.broadcast(FLOATS, b);
        for (int i = 0; i < count; i += V) {
            FloatVector.fromArray(FLOATS, a, aOffset + i).$op(right).intoArray(out, outOffset + i);
        }
    }
    //@ end

    private static void prelu(float[] a, int aOffset, float[] b, int bOffset, float[] out, int outOffset, int count) {
        for (int i = 0; i < count; i += V) {
            FloatVector x = FloatVector.fromArray(FLOATS, a, aOffset + i);
            x.mul(FloatVector.fromArray(FLOATS, b, bOffset + i), x.compare(VectorOperators.LT, 0))
                .intoArray(out, outOffset + i);
        }
    }

    private static void prelu(float[] a, int aOffset, float b, float[] out, int outOffset, int count) {
        for (int i = 0; i < count; i += V) {
            FloatVector x = FloatVector.fromArray(FLOATS, a, aOffset + i);
            x.mul(b, x.compare(VectorOperators.LT, 0)).intoArray(out, outOffset + i);
        }
    }
}
