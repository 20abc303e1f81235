package org.torchnnapi.kernels.internal;

import java.util.List;
import org.torchnnapi.kernels.ByteEpilogue;

/**
 * A chain as its plan checked it: the output of each stage is the input of the next, which reads its bytes as it
 * declares.
 *
 * @param after what becomes of the last stage's output, its table included; null for nothing more. Those of the other
 *     stages' rules are left to the chain
 */
public record QuantizedChainSpec(List<QuantizedConvSpec> stages, ByteEpilogue after) {
    /** Whether bytes between the stages are looked up in tables. */
    public boolean looksUp() {
        return stages.subList(0, stages.size() - 1).stream()
                .anyMatch(stage -> stage.requantization().table() != null);
    }
}
