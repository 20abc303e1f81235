package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.FeatureLevelNeed;

/**
 * Whether an operation is legal as it stands in a model.
 *
 * @param need the lowest feature level that accepts it, and why; meaningless when illegal
 * @param problem the value found and the rule it breaks, or null when legal
 */
public record Verdict(FeatureLevelNeed need, String problem) {
    public static Verdict legal(FeatureLevelNeed need) {
        return new Verdict(need, null);
    }

    public static Verdict illegal(String problem) {
        return new Verdict(FeatureLevelNeed.NONE, problem);
    }

    public boolean isLegal() {
        return problem == null;
    }
}
