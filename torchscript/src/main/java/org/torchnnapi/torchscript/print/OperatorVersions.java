package org.torchnnapi.torchscript.print;

import java.util.Map;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;

/**
 * The file format that operators ask for: those that meant something else in older ones (torch/csrc/jit/operator_upgraders and
 * caffe2/serialize/versions.h of PyTorch 1.13).
 */
final class OperatorVersions {
    private static final int LEAST = 3;
    private static final Map<String, Integer> CHANGED = Map.of("aten::div", 4, "aten::div_", 4, "aten::full", 5, "aten::linspace", 8,
        "aten::logspace", 9, "aten::gelu", 10);

    private int least = LEAST;

    /** Operators on plain numbers never changed. */
    void used(Node node) {
        if (node.schema() == null || node.schema().returns().stream().anyMatch(result -> result.type() == Type.Basic.TENSOR)) {
            least = Math.max(least, CHANGED.getOrDefault(node.kind(), LEAST));
        }
    }

    int least() {
        return least;
    }
}
