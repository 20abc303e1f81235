package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;

/** Functions of {@code x: Tensor, flag: bool} in TorchScript, sent through a pass that the verifier checks after. */
final class PassesUnderTest {
    private PassesUnderTest() {}

    /** The graph after the pass; {@code CONSTANTS.c0}, {@code c1}, .. are the given tensors. */
    static Graph graph(Consumer<Graph> pass, List<Tensor> constants, String... body) {
        String text = "def f(x: Tensor, flag: bool) -> Tensor:\n  " + String.join("\n  ", body) + "\n";
        CodeArchive archive = new CodeArchive() {
            @Override
            public String source(String entry) {
                return Map.of("code/__torch__/m.py", text).get(entry);
            }

            @Override
            public Object constant(int index) {
                return constants.get(index);
            }
        };
        Graph graph = new CodeLoader(archive, OperatorRegistry.withBuiltins())
                .function("__torch__.m.f")
                .graph();
        pass.accept(graph);
        GraphVerifier.verify(graph);
        return graph;
    }

    /** Kinds of all nodes but constants, in order, those of inner blocks after their node. */
    static List<String> kinds(Consumer<Graph> pass, String... body) {
        List<String> kinds = new ArrayList<>();
        collect(graph(pass, List.of(), body).block(), kinds);
        return kinds;
    }

    private static void collect(Block block, List<String> kinds) {
        for (Node node : block.nodes()) {
            if (!node.is("prim::Constant")) {
                kinds.add(node.kind());
            }
            node.blocks().forEach(inner -> collect(inner, kinds));
        }
    }
}
