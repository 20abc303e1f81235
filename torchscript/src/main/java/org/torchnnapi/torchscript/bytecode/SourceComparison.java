package org.torchnnapi.torchscript.bytecode;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.value.Callee;

/**
 * Whether the source that a file for the lite interpreter keeps beside its byte code shows what a phone runs, which is
 * the byte code.
 */
public final class SourceComparison {
    private final Set<Function> seen = new HashSet<>();
    private final Set<String> operators = new TreeSet<>();
    private boolean complete = true;

    private SourceComparison() {}

    /**
     * The operators that the byte code of a method calls and its source does not. The source may call more, whose
     * results nobody reads, as PyTorch leaves those out of byte code.
     *
     * @return none where the source calls what only a run finds out
     */
    public static Set<String> missingInSource(Function source, Function byteCode) {
        SourceComparison shown = new SourceComparison();
        shown.collect(source);
        SourceComparison run = new SourceComparison();
        run.collect(byteCode);
        run.operators.removeAll(shown.operators);
        return shown.complete ? run.operators : Set.of();
    }

    private void collect(Function function) {
        if (seen.add(function)) {
            collect(function.graph().block());
        }
    }

    private void collect(Block block) {
        for (Node node : block.nodes()) {
            if (node.is(Prim.CALL_FUNCTION) || node.is(Prim.CALL_METHOD)) {
                if (Callee.of(node, name -> null) instanceof Callee.Body body) {
                    collect(body.function());
                } else {
                    complete = false;
                }
            } else if (node.schema() != null && !node.kind().startsWith("prim::")) {
                operators.add(node.kind());
            }
            node.blocks().forEach(this::collect);
        }
    }
}
