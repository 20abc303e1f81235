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
    private static final NativeCall BINARY = NativeCall.of("binary");
    /** Elements that a loop in Java has done before a call of C returns; what is exact gives the same in both. */
    private static final int FEW = 32;

    private static final ElementKernels FOR_FEW = new PortableElementKernels();
    /** Where the second operand lies, as in elementwise.c. */
    private static final int EACH = 0;

    private static final int ONE_ROW = 1;
    private static final int ONE_VALUE = 2;

    /** In classes of their own, so that each is looked up when it is first used. */
    private static final class UnaryHolder {
        static final NativeCall UNARY = NativeCall.of("unary");
        static final int LIMIT = UnaryOp.values().length;
    }

    private static final class HalvesHolder {
        static final NativeCall WIDEN = NativeCall.of("widen_halves");
        static final NativeCall NARROW = NativeCall.of("narrow_floats");
    }

    private static final class MaskedFillHolder {
        static final NativeCall MASKED_FILL = NativeCall.of("masked_fill");
    }

    private static final class RowsHolder {
        static final NativeCall WEIGHTED_ROWS = NativeCall.of("weighted_rows");
    }

    private static final class ReduceHolder {
        static final NativeCall REDUCE = NativeCall.of("reduce_floats");
    }

    private static final class SoftmaxHolder {
        static final NativeCall SOFTMAX = NativeCall.of("softmax");
    }

    /** What the addresses of arrays are asked with; one for each thread, so that asking makes no garbage. */
    private static final class Line {
        static final NativeCall BYTES_INTO_LINE = NativeCall.of("bytes_into_line");
        static final ThreadLocal<Line> OF_THREAD = ThreadLocal.withInitial(Line::new);

        private final int[] bytes = new int[1];

        int bytes(Object array) {
            BYTES_INTO_LINE.run(null, array, 0, null, 0, bytes, 0, 0, CacheLines.BYTES, 0, 0, 0, 0, 0, 0);
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
        rows(EACH, op, a, aOffset, b, bOffset, out, outOffset, 1, count, clamp);
    }

    @Override
    public void binaryScalar(
            BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp) {
        BINARY.run(
                null,
                a,
                aOffset,
                null,
                0,
                out,
                outOffset,
                op.ordinal(),
                count,
                1,
                3,
                Float.floatToRawIntBits(b),
                count,
                clamp.min(),
                clamp.max());
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
        BINARY.run(
                null,
                a,
                aOffset,
                b,
                bOffset,
                out,
                outOffset,
                op.ordinal(),
                count,
                rows,
                ONE_ROW,
                groups,
                step,
                clamp.min(),
                clamp.max());
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
        rows(ONE_VALUE, op, a, aOffset, b, bOffset, out, outOffset, rows, count, clamp);
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
        BINARY.run(
                null,
                a,
                aOffset,
                b,
                bOffset,
                out,
                outOffset,
                op.ordinal(),
                count,
                rows,
                operand,
                0,
                count,
                clamp.min(),
                clamp.max());
    }

    @Override
    public void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count) {
        UnaryHolder.UNARY.run(null, in, inOffset, null, 0, out, outOffset, op.ordinal(), count, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp) {
        if (count <= FEW) {
            FOR_FEW.clamp(in, inOffset, out, outOffset, count, clamp);
            return;
        }
        UnaryHolder.UNARY.run(
                null,
                in,
                inOffset,
                null,
                0,
                out,
                outOffset,
                UnaryHolder.LIMIT,
                count,
                0,
                0,
                0,
                0,
                clamp.min(),
                clamp.max());
    }

    @Override
    public void widen(short[] in, int inOffset, float[] out, int outOffset, int count) {
        HalvesHolder.WIDEN.run(null, in, inOffset, null, 0, out, outOffset, 0, count, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public void narrow(float[] in, int inOffset, short[] out, int outOffset, int count) {
        HalvesHolder.NARROW.run(null, in, inOffset, null, 0, out, outOffset, 0, count, 0, 0, 0, 0, 0, 0);
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
        MaskedFillHolder.MASKED_FILL.run(
                null, in, inOffset, mask, maskOffset, out, outOffset, where ? 1 : 0, count, 0, 0, 0, 0, value, 0);
    }

    @Override
    public void weightedRows(
            float[] in, int[] rows, float[] weights, int count, float[] out, int outOffset, int size, boolean adding) {
        RowsHolder.WEIGHTED_ROWS.run(
                rows, in, 0, weights, 0, out, outOffset, adding ? 1 : 0, size, count, 0, 0, 0, 0, 0);
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
        ReduceHolder.REDUCE.run(
                null, in, inOffset, null, 0, out, outOffset, op.ordinal(), begin, end, axis, inner, step, 0, 0);
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
        SoftmaxHolder.SOFTMAX.run(
                null, in, inOffset, null, 0, out, outOffset, logarithmic ? 1 : 0, begin, end, axis, inner, 0, beta, 0);
    }
}
