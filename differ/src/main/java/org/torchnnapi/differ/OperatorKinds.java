package org.torchnnapi.differ;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What kinds of operators do the same job in PyTorch, in its quantized and packed forms, and in NNAPI. */
final class OperatorKinds {
    private static final Set<String> ACTIVATIONS = Set.of("relu", "relu6", "hardtanh", "clamp", "relu1", "threshold");
    /**
     * Change what a tensor is written in or by what it is reached, not what it says; names without underscores behind
     * them.
     */
    private static final Set<String> NEUTRAL = Set.of(
            "quantize_per_tensor",
            "dequantize",
            "quantize",
            "contiguous",
            "to",
            "detach",
            "clone",
            "cast",
            "__getitem",
            "empty_like",
            "zeros_like");

    private static final Map<String, String> SYNONYMS = Map.ofEntries(
            Map.entry("fully_connected", "linear"),
            Map.entry("addmm", "linear"),
            Map.entry("concatenation", "cat"),
            Map.entry("logistic", "sigmoid"),
            Map.entry("average_pool_2d", "average"),
            Map.entry("avg_pool2d", "average"),
            Map.entry("adaptive_avg_pool2d", "average"),
            Map.entry("mean", "average"),
            Map.entry("max_pool_2d", "max_pool"),
            Map.entry("max_pool2d", "max_pool"),
            Map.entry("batch_matmul", "matmul"),
            Map.entry("bmm", "matmul"),
            Map.entry("resize_nearest_neighbor", "nearest"),
            Map.entry("upsample_nearest2d", "nearest"),
            Map.entry("resize_bilinear", "bilinear"),
            Map.entry("upsample_bilinear2d", "bilinear"),
            Map.entry("hard_swish", "hardswish"));

    private OperatorKinds() {}

    static String of(String operator) {
        String name = operator.substring(operator.lastIndexOf(':') + 1).toLowerCase(Locale.ROOT);
        while (name.endsWith("_")) {
            name = name.substring(0, name.length() - 1);
        }
        if (name.endsWith("_relu") && !ACTIVATIONS.contains(name)) {
            name = name.substring(0, name.length() - "_relu".length());
        }
        if (name.contains("conv")) {
            return "convolution";
        }
        if (name.startsWith("linear") || name.startsWith("fully")) {
            return "linear";
        }
        return SYNONYMS.getOrDefault(name, name);
    }

    static boolean isActivation(String operator) {
        return ACTIVATIONS.contains(of(operator));
    }

    static boolean isNeutral(String operator) {
        return NEUTRAL.contains(of(operator));
    }
}
