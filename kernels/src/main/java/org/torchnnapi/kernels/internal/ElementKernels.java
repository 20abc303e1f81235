package org.torchnnapi.kernels.internal;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;

/**
 * Float kernels over runs of elements of one provider. Callers checked the arguments; in and out may be the same run.
 */
public interface ElementKernels {
    /**
     * Bytes from the beginning of a cache line to the first element; those of an object's header where addresses cannot
     * be known.
     */
    default int bytesIntoLine(float[] array) {
        return 16;
    }

    /** The same for an array of bytes. */
    default int bytesIntoLine(byte[] array) {
        return 16;
    }

    /** Of a direct buffer's first byte; 0 where addresses cannot be known. */
    default long address(ByteBuffer direct) {
        return 0;
    }

    /** Gives pages of a mapped file back, where that can be done. */
    default void release(ByteBuffer mapped) {}

    /**
     * Lets the calling thread, and those that it starts from then on, run on some processors alone, where that can be
     * done: bit i of byte j stands for processor 8 j + i.
     *
     * @return whether they do
     */
    default boolean keepTo(byte[] processors) {
        return false;
    }

    void binary(
            BinaryOp op,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            int count,
            Clamp clamp);

    void binaryScalar(BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp);

    /**
     * Groups of rows of a and out of {@code count} elements, which begin {@code step} apart; b one row a group,
     * adjacent.
     */
    void binaryRow(
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
            Clamp clamp);

    /** Rows of a and out of {@code count} elements, b one value a row. */
    void binaryColumn(
            BinaryOp op,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            int rows,
            int count,
            Clamp clamp);

    void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count);

    void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp);

    /** 16-bit floats to floats. */
    void widen(short[] in, int inOffset, float[] out, int outOffset, int count);

    /** Floats to 16-bit floats. */
    void narrow(float[] in, int inOffset, short[] out, int outOffset, int count);

    /**
     * Of {@code [outer][axis][step]}, the first inner of each step, to {@code [outer][inner]}, for the outer indexes
     * [begin, end).
     */
    void reduce(
            ReductionKernel op,
            float[] in,
            int inOffset,
            int step,
            float[] out,
            int outOffset,
            int axis,
            int inner,
            int begin,
            int end);

    /** Along the middle of {@code [outer][axis][inner]}, for the outer indexes [begin, end). */
    void softmax(
            boolean logarithmic,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int axis,
            int inner,
            float beta,
            int begin,
            int end);

    /** {@code out[i] = (mask[i] != 0) == where ? value : in[i]}. */
    default void maskedFill(
            float[] in,
            int inOffset,
            byte[] mask,
            int maskOffset,
            boolean where,
            float value,
            float[] out,
            int outOffset,
            int count) {
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = mask[maskOffset + i] != 0 == where ? value : in[inOffset + i];
        }
    }

    /**
     * {@code out[i] = sum over r < count of weights[r] * in[rows[r] + i]}, added to what is there where {@code adding}.
     */
    default void weightedRows(
            float[] in, int[] rows, float[] weights, int count, float[] out, int outOffset, int size, boolean adding) {
        if (!adding) {
            Arrays.fill(out, outOffset, outOffset + size, 0f);
        }
        for (int r = 0; r < count; r++) {
            for (int i = 0; i < size; i++) {
                out[outOffset + i] += weights[r] * in[rows[r] + i];
            }
        }
    }
}
