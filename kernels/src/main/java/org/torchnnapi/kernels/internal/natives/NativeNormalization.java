package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.internal.NormalizationProvider;

/** Normalizations in C, see normalize.c. */
public final class NativeNormalization implements NormalizationProvider {
    @Override
    public void rows(
            boolean each,
            int groups,
            int runs,
            int run,
            float epsilon,
            float[] factors,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        NormalizeCalls.normalizeRows(
                in, inOffset, factors, out, outOffset, each, begin, end, runs, run, groups, epsilon);
    }

    @Override
    public void blocks(
            int size,
            int block,
            int pixels,
            float epsilon,
            float[] factors,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        NormalizeCalls.normalizeBlocks(
                in,
                inOffset,
                factors,
                out,
                outOffset,
                factors.length / 2 / block,
                begin,
                end,
                size,
                pixels,
                block,
                epsilon);
    }
}
