package org.torchnnapi.converter.report;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How much of a model NNAPI computes.
 *
 * @param segments        NNAPI models in the converted module
 * @param operators       of PyTorch that they compute
 * @param allOperators    of the model, once constants are folded
 * @param multiplyAdds    of convolutions and products that they compute
 * @param allMultiplyAdds of the model
 */
public record Coverage(int segments, int operators, int allOperators, long multiplyAdds, long allMultiplyAdds) {
    /** Nothing. */
    public static final Coverage NONE = new Coverage(0, 0, 0, 0, 0);

    /** The share of the multiply-adds, of the operators where there are none. */
    public double share() {
        return allMultiplyAdds > 0 ? (double) multiplyAdds / allMultiplyAdds : allOperators > 0 ? (double) operators / allOperators : 0;
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("segments", segments);
        map.put("operators", operators);
        map.put("allOperators", allOperators);
        map.put("multiplyAdds", multiplyAdds);
        map.put("allMultiplyAdds", allMultiplyAdds);
        return map;
    }
}
