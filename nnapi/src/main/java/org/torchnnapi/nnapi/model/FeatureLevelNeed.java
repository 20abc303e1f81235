package org.torchnnapi.nnapi.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The lowest feature level that accepts a model or an operation.
 *
 * @param reasons what needs this level: operations, operand types, signatures; empty at {@link FeatureLevel#V1_0}
 */
public record FeatureLevelNeed(FeatureLevel level, List<String> reasons) {
    /** What every release accepts. */
    public static final FeatureLevelNeed NONE = new FeatureLevelNeed(FeatureLevel.V1_0, List.of());

    /** A model may have thousands of reasons; a reader needs some. */
    private static final int MAX_REASONS = 16;

    public FeatureLevelNeed {
        reasons = List.copyOf(reasons);
    }

    /** @param reason what came with the level, as a part of a sentence */
    public static FeatureLevelNeed of(FeatureLevel level, String reason) {
        return level == FeatureLevel.V1_0 ? NONE : new FeatureLevelNeed(level, List.of(reason));
    }

    /** The need of both together: the higher level with its reasons. */
    public FeatureLevelNeed and(FeatureLevelNeed other) {
        int order = level.compareTo(other.level);
        if (order != 0) {
            return order > 0 ? this : other;
        }
        if (reasons.size() >= MAX_REASONS || reasons.containsAll(other.reasons)) {
            return this;
        }
        List<String> both = new ArrayList<>(reasons);
        for (String reason : other.reasons) {
            if (!both.contains(reason)) {
                both.add(reason);
            }
        }
        return new FeatureLevelNeed(level, both.subList(0, Math.min(both.size(), MAX_REASONS)));
    }

    @Override
    public String toString() {
        return reasons.isEmpty() ? level.toString() : level + " (" + String.join("; ", reasons) + ")";
    }
}
