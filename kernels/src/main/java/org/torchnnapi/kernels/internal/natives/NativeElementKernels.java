package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.CacheLines;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.internal.ElementKernels;
import org.torchnnapi.kernels.internal.portable.PortableElementKernels;

/** The float kernels over runs of elements in C. */
public final class NativeElementKernels implements ElementKernels {
    /** Elements that a loop in Java has done before a call of C returns; what is exact gives the same in both. */
    private static final int FEW = 32;

    private static final ElementKernels FOR_FEW = new PortableElementKernels();
    /** What the addresses of arrays are asked with; one for each thread, so that asking makes no garbage. */
    private static final class Line {
        static final ThreadLocal<Line> OF_THREAD = ThreadLocal.withInitial(Line::new);

        private final int[] bytes = new int[1];

        int bytes(Object array) {
            LineCalls.bytesIntoLine(array, bytes, CacheLines.BYTES);
            return bytes[0];
        }
    }

    @Override
    public String toString() {
        return "native (" + NativeLibrary.ISA + ", C)";
    }

    @Override
    public long address(ByteBuffer direct) {
        return NativeLibrary.address(direct);
    }

    @Override
    public void release(ByteBuffer mapped) {
        NativeLibrary.releasePages(NativeLibrary.address(mapped), mapped.capacity());
    }

    @Override
    public boolean keepTo(byte[] processors) {
        return NativeLibrary.keepTo(processors, processors.length) >= 0;
    }

    @Override
    public int bytesIntoLine(float[] array) {
        return Line.OF_THREAD.get().bytes(array);
    }

    @Override
    public int bytesIntoLine(byte[] array) {
        return Line.OF_THREAD.get().bytes(array);
    }

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
        if (count <= FEW) {
            FOR_FEW.binary(op, a, aOffset, b, bOffset, out, outOffset, count, clamp);
            return;
        }
        rows(Operand.EACH, op, a, aOffset, b, bOffset, out, outOffset, 1, count, clamp);
    }

    @Override
    public void binaryScalar(
            BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp) {
        ElementwiseCalls.binary(
                a,
                aOffset,
                null,
                0,
                out,
                outOffset,
                op,
                Operand.GIVEN,
                count,
                1,
                0,
                count,
                clamp.min(),
                clamp.max(),
                b);
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
        ElementwiseCalls.binary(
                a,
                aOffset,
                b,
                bOffset,
                out,
                outOffset,
                op,
                Operand.ONE_ROW,
                count,
                rows,
                groups,
                step,
                clamp.min(),
                clamp.max(),
                0);
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
        rows(Operand.ONE_VALUE, op, a, aOffset, b, bOffset, out, outOffset, rows, count, clamp);
    }

    private static void rows(
            int operand,
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
        ElementwiseCalls.binary(
                a,
                aOffset,
                b,
                bOffset,
                out,
                outOffset,
                op,
                operand,
                count,
                rows,
                0,
                count,
                clamp.min(),
                clamp.max(),
                0);
    }

    @Override
    public void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count) {
        ElementwiseCalls.unary(in, inOffset, out, outOffset, op, count);
    }

    @Override
    public void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp) {
        if (count <= FEW) {
            FOR_FEW.clamp(in, inOffset, out, outOffset, count, clamp);
            return;
        }
        ElementwiseCalls.clamp(in, inOffset, out, outOffset, count, clamp.min(), clamp.max());
    }

    @Override
    public void widen(short[] in, int inOffset, float[] out, int outOffset, int count) {
        HalvesCalls.widenHalves(in, inOffset, out, outOffset, count);
    }

    @Override
    public void narrow(float[] in, int inOffset, short[] out, int outOffset, int count) {
        HalvesCalls.narrowFloats(in, inOffset, out, outOffset, count);
    }

    @Override
    public void maskedFill(
            float[] in,
            int inOffset,
            byte[] mask,
            int maskOffset,
            boolean where,
            float value,
            float[] out,
            int outOffset,
            int count) {
        ElementwiseCalls.maskedFill(in, inOffset, mask, maskOffset, out, outOffset, where, count, value);
    }

    @Override
    public void weightedRows(
            float[] in, int[] rows, float[] weights, int count, float[] out, int outOffset, int size, boolean adding) {
        RowsCalls.weightedRows(rows, in, weights, out, outOffset, adding, size, count);
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
        ReduceCalls.reduceFloats(in, inOffset, out, outOffset, op, begin, end, axis, inner, step);
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
        ReduceCalls.softmax(in, inOffset, out, outOffset, logarithmic, begin, end, axis, inner, beta);
    }
}
