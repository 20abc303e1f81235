package org.torchnnapi.converter.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How much of a model NNAPI computes.
 *
 * @param segments NNAPI models in the converted module
 * @param operators of PyTorch that they compute
 * @param allOperators of the model, once constants are folded
 * @param multiplyAdds of convolutions and products that they compute
 * @param allMultiplyAdds of the model, as far as shapes follow from those of its inputs
 * @param openProducts convolutions and products besides, whose shapes do not, and which stay TorchScript
 */
public record Coverage(
        int segments, int operators, int allOperators, long multiplyAdds, long allMultiplyAdds, int openProducts) {
    /** Nothing. */
    public static final Coverage NONE = new Coverage(0, 0, 0, 0, 0, 0);

    /** The share of the multiply-adds, of the operators where there are none. */
    public double share() {
        return allMultiplyAdds > 0
                ? (double) multiplyAdds / allMultiplyAdds
                : allOperators > 0 ? (double) operators / allOperators : 0;
    }

    /** In words, such as {@code 12 of 14 operators and 98.0% of the multiply-adds}. */
    public String text() {
        String open = openProducts == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        " whose shapes are known (%d convolution%s or product%s of other shapes not counted)",
                        openProducts,
                        openProducts == 1 ? "" : "s",
                        openProducts == 1 ? "" : "s");
        return String.format(
                Locale.ROOT,
                "%d of %d operators and %.1f%% of the multiply-adds%s",
                operators,
                allOperators,
                100 * share(),
                open);
    }

    /** Both together. */
    public Coverage and(Coverage other) {
        return new Coverage(
                segments + other.segments,
                operators + other.operators,
                allOperators + other.allOperators,
                multiplyAdds + other.multiplyAdds,
                allMultiplyAdds + other.allMultiplyAdds,
                openProducts + other.openProducts);
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("segments", segments);
        map.put("operators", operators);
        map.put("allOperators", allOperators);
        map.put("multiplyAdds", multiplyAdds);
        map.put("allMultiplyAdds", allMultiplyAdds);
        map.put("openProducts", openProducts);
        return map;
    }
}
