package org.torchnnapi.kernels.internal.portable;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.internal.ElementKernels;

/** The element-wise float kernels that run on every JVM. */
public class PortableElementKernels implements ElementKernels {
    @Override
    public void binary(
            BinaryOp op,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            int count,
            Clamp clamp) {
        PortableElementwise.binary(op, a, aOffset, b, bOffset, out, outOffset, count);
        PortableElementwise.limit(out, outOffset, count, clamp);
    }

    @Override
    public void binaryScalar(
            BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp) {
        PortableElementwise.binaryScalar(op, a, aOffset, b, out, outOffset, count);
        PortableElementwise.limit(out, outOffset, count, clamp);
    }

    @Override
    public void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count) {
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = op.apply(in[inOffset + i]);
        }
    }

    @Override
    public void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp) {
        System.arraycopy(in, inOffset, out, outOffset, count);
        PortableElementwise.limit(out, outOffset, count, clamp);
    }

    @Override
    public void widen(short[] in, int inOffset, float[] out, int outOffset, int count) {
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = PortableHalves.widen(in[inOffset + i]);
        }
    }

    @Override
    public void narrow(float[] in, int inOffset, short[] out, int outOffset, int count) {
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = PortableHalves.narrow(in[inOffset + i]);
        }
    }

    @Override
    public void binaryRow(
            BinaryOp op,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            int groups,
            int rows,
            int step,
            int count,
            Clamp clamp) {
        for (int row = 0; row < groups * rows; row++) {
            binary(
                    op,
                    a,
                    aOffset + row * step,
                    b,
                    bOffset + row / rows * count,
                    out,
                    outOffset + row * step,
                    count,
                    clamp);
        }
    }

    @Override
    public void binaryColumn(
            BinaryOp op,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            int rows,
            int count,
            Clamp clamp) {
        for (int row = 0; row < rows; row++) {
            binaryScalar(op, a, aOffset + row * count, b[bOffset + row], out, outOffset + row * count, count, clamp);
        }
    }

    @Override
    public void reduce(
            ReductionKernel op,
            float[] in,
            int inOffset,
            int step,
            float[] out,
            int outOffset,
            int axis,
            int inner,
            int begin,
            int end) {
        for (int o = begin; o < end; o++) {
            int source = inOffset + o * axis * step;
            int target = outOffset + o * inner;
            if (op == ReductionKernel.SUM || op == ReductionKernel.MEAN) {
                if (step == 1) {
                    out[target] = ReduceLoops.sum(in, source, axis);
                } else {
                    ReduceLoops.sums(in, source, step, axis, out, target, inner);
                }
                if (op == ReductionKernel.MEAN) {
                    binaryScalar(BinaryOp.DIV, out, target, axis, out, target, inner, Clamp.NONE);
                }
                continue;
            }
            Arrays.fill(out, target, target + inner, ReduceLoops.neutral(op));
            for (int k = 0; k < axis; k++) {
                binary(ReduceLoops.step(op), out, target, in, source + k * step, out, target, inner, Clamp.NONE);
            }
        }
    }

    @Override
    public void softmax(
            boolean logarithmic,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int axis,
            int inner,
            float beta,
            int begin,
            int end) {
        for (int o = begin; o < end; o++) {
            for (int i = 0; i < inner; i++) {
                int base = o * axis * inner + i;
                if (logarithmic) {
                    ReduceLoops.logSoftmax(in, inOffset + base, out, outOffset + base, axis, inner, beta);
                } else {
                    ReduceLoops.softmax(in, inOffset + base, out, outOffset + base, axis, inner, beta);
                }
            }
        }
    }
}
