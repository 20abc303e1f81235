package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;

/** Puts what a call does in the place of the call. */
public final class Inlining {
    private Inlining() {}

    /**
     * Puts a copy of a body before a node, whose inputs are its arguments.
     *
     * @param call stays, for the caller to take out once its outputs are replaced
     * @param body not changed
     * @param work what is to be done to the copy, such as inlining its calls, before its nodes are moved into place
     * @return what the body gives
     */
    public static List<Value> before(Node call, Graph body, Consumer<Block> work) {
        Map<Value, Value> values = new HashMap<>();
        for (int i = 0; i < body.inputs().size(); i++) {
            values.put(body.inputs().get(i), call.input(i));
        }
        Block inner = call.graph().create("prim::Inlined").addBlock();
        new BlockCopy(call.graph(), values)
                .copyInto(body.block(), inner::append)
                .forEach(inner::addResult);
        work.accept(inner);
        Splice.before(call, inner);
        List<Value> results = new ArrayList<>(inner.results());
        inner.returns().removeAllInputs();
        return results;
    }

    /**
     * Puts what a body gave in the places of a call's outputs, of which several are the items of one tuple, and takes
     * the call out.
     */
    public static void replace(Node call, List<Value> results) {
        if (call.outputs().size() == 1) {
            call.output().replaceAllUsesWith(results.get(0));
        } else if (call.outputs().size() > 1) {
            Node unpack = call.graph()
                    .create(Prim.TUPLE_UNPACK)
                    .addInput(results.get(0))
                    .range(call.range());
            for (Value output : call.outputs()) {
                output.replaceAllUsesWith(unpack.addOutput(output.type()));
            }
            call.owner().insertBefore(call, unpack);
        }
        call.destroy();
    }
}
