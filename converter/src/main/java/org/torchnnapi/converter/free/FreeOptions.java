package org.torchnnapi.converter.free;

import java.util.Set;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.engine.LoadedModel;

/**
 * How to convert in the converter's own way.
 *
 * @param cost       which parts are worth a start of NNAPI
 * @param target     what the file is for
 * @param compares   whether to look what each release of NNAPI would compute
 * @param preference compilation preference, NNAPI's number
 * @param relaxed    whether NNAPI may compute float32 operations in float16
 * @param kept       names of methods that stay in the module beside the converted one
 * @param fallback   whether the original of the converted method stays too, under the name of {@link LoadedModel#fallbackOf}
 */
public record FreeOptions(SegmentCost cost, Target target, boolean compares, int preference, boolean relaxed, Set<String> kept, boolean fallback) {
    public FreeOptions {
        kept = Set.copyOf(kept);
    }
}
