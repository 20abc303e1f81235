package org.torchnnapi.converter.free;

import java.util.Set;
import org.torchnnapi.converter.level.Target;

/**
 * How to convert in the converter's own way.
 *
 * @param cost       which parts are worth a start of NNAPI
 * @param target     what the file is for
 * @param compares   whether to look what each release of NNAPI would compute
 * @param preference compilation preference, NNAPI's number
 * @param relaxed    whether NNAPI may compute float32 operations in float16
 * @param kept       names of methods that stay in the module beside the converted one
 * @param fallback   whether the original of the converted method stays too, as {@link #fallbackOf}
 */
public record FreeOptions(SegmentCost cost, Target target, boolean compares, int preference, boolean relaxed, Set<String> kept, boolean fallback) {
    private static final String FALLBACK = "_cpu";

    public FreeOptions {
        kept = Set.copyOf(kept);
    }

    /** The name of the method that computes what a converted one does, on the processor: {@code forward_cpu} for {@code forward}. */
    public static String fallbackOf(String method) {
        return method + FALLBACK;
    }
}
