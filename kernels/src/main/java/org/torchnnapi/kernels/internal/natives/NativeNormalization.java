package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.internal.NormalizationProvider;

/** Normalizations in C, see normalize.c. */
public final class NativeNormalization implements NormalizationProvider {
    private static final NativeCall ROWS = NativeCall.of("normalize_rows");
    private static final NativeCall BLOCKS = NativeCall.of("normalize_blocks");

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
        ROWS.run(
                null,
                in,
                inOffset,
                factors,
                0,
                out,
                outOffset,
                each ? 0 : 1,
                begin,
                end,
                runs,
                run,
                groups,
                epsilon,
                0);
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
        BLOCKS.run(
                null,
                in,
                inOffset,
                factors,
                0,
                out,
                outOffset,
                factors.length / 2 / block,
                begin,
                end,
                size,
                pixels,
                block,
                epsilon,
                0);
    }
}
