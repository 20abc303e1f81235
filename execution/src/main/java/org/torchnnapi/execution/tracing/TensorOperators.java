package org.torchnnapi.execution.tracing;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Callee;
import org.torchnnapi.torchscript.value.CustomClass;

/** How much functions do to tensors. */
final class TensorOperators {
    /** A module around NNAPI models has fewer: getting ready to compile them would take longer than they do. */
    private static final int MANY = 12;

    private final java.util.function.Function<String, CustomClass> customClasses;
    private final Set<Function> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int count;

    private TensorOperators(java.util.function.Function<String, CustomClass> customClasses) {
        this.customClasses = customClasses;
    }

    /** Whether a function and those that it calls have a good many operators that give tensors. */
    static boolean areMany(Function function, java.util.function.Function<String, CustomClass> customClasses) {
        TensorOperators counter = new TensorOperators(customClasses);
        counter.count(function);
        return counter.count >= MANY;
    }

    private void count(Function function) {
        if (function.hasBody() && seen.add(function)) {
            count(function.representative().graph().block());
        }
    }

    private void count(Block block) {
        for (Node node : block.nodes()) {
            if (count >= MANY) {
                return;
            }
            if (node.schema() != null
                    && node.schema().returns().stream().anyMatch(result -> result.type() == Type.Basic.TENSOR)) {
                count++;
            }
            if ((node.is(Prim.CALL_METHOD) || node.is(Prim.CALL_FUNCTION))
                    && Callee.of(node, customClasses) instanceof Callee.Body body) {
                count(body.function());
            }
            node.blocks().forEach(this::count);
        }
    }
}
