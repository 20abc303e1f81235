package org.torchnnapi.kernels.internal.natives;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.torchnnapi.kernels.internal.ProcessorException;

/** Kinds of x86 processors, each with all that those before it have. */
enum X86Level {
    /** What every one of 64 bits has, for which the library has nothing. */
    SSE2(0),
    SSE41(X86Level.FEATURE_SSE41),
    AVX2(X86Level.FEATURE_SSE41 | X86Level.FEATURE_AVX2),
    /** With dot products of 256 bits. */
    AVXVNNI(X86Level.FEATURE_SSE41 | X86Level.FEATURE_AVX2 | X86Level.FEATURE_AVXVNNI),
    /** What the processor has. */
    AVX512(-1);

    /** Bits of features.c. */
    static final int FEATURE_AVX2 = 1;

    static final int FEATURE_AVX512 = 2;
    static final int FEATURE_VNNI = 4;
    static final int FEATURE_AVXVNNI = 8;
    static final int FEATURE_SSE41 = 16;
    static final int FEATURE_VBMI = 32;

    /** System property that names the most that is used of the processor, in small letters. */
    static final String LIMIT = "torchnnapi.kernels.processor";

    private final int features;

    X86Level(int features) {
        this.features = features;
    }

    /** The bits of features.c that it may have. */
    int features() {
        return features;
    }

    /** The most that is used of the processor. */
    static X86Level most() {
        String limit = System.getProperty(LIMIT, "");
        for (X86Level level : values()) {
            if (level.label().equals(limit)) {
                return level;
            }
        }
        if (!limit.isEmpty()) {
            throw new ProcessorException(LIMIT + ": " + limit + " (expected: one of "
                    + Arrays.stream(values()).map(X86Level::label).collect(Collectors.joining(", ")) + ")");
        }
        return AVX512;
    }

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
