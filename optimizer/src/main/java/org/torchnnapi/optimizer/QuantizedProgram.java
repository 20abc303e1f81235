package org.torchnnapi.optimizer;

import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.operators.passes.QuantizedPairs;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.Freeze;

/**
 * Modules that PyTorch 2 exported quantized, whose steps to integers and back no earlier PyTorch has: written with
 * PyTorch's quantized operators in their place.
 */
public final class QuantizedProgram {
    private QuantizedProgram() {}

    /**
     * What writes a module: as it is, or with its methods as graphs of quantized operators where it has such steps.
     *
     * @param module in evaluation mode; not changed
     * @throws IllegalArgumentException if a method with such steps cannot be made one graph
     */
    public static ModuleWriter writer(ScriptModule module) {
        boolean hasPairs = module.object().type().methods().stream()
                .anyMatch(method -> method.hasBody() && QuantizedPairs.occur(method.graph()));
        if (!hasPairs) {
            return module.moduleWriter();
        }
        FrozenModule frozen = new FrozenModule(module);
        boolean quantizes = false;
        for (String name : frozen.methods()) {
            Graph graph = Freeze.run(module.object(), name, frozen.changing());
            Passes.simplifyExactly(graph);
            frozen.graph(name, graph);
            quantizes |= EachNode.any(graph, QuantizedProgram::isQuantized);
        }
        // Where real numbers are computed with, weights stay integers that are made real in a call.
        return quantizes ? frozen.writer() : module.moduleWriter();
    }

    private static boolean isQuantized(Node node) {
        return node.kind().startsWith("quantized::") || QuantizeOperators.isStep(node);
    }
}
